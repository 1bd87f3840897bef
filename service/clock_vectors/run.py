"""The command `novaluna clocks`: run vectors of clocks, one per line, and print the differences."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import text

from service.clock_vectors.game import Game, Unplayable
from service.clock_vectors.scripted import draw_of, turns_of
from service.clock_vectors.together import mails
from service.config import Settings
from service.console import write
from service.exit_codes import BAD_USAGE, FAILED, OK
from service.jobs.worker_context import WorkerContext, sessions
from service.local.postgres import Postgres
from service.mail.transport import maildir
from service.store.migrate import upgrade

_COMPARED = ("views", "log", "reminders", "refused")
_HASTY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

# Nothing of one vector may be due in the next one, which may play at an earlier time.
_CLEAR = text("""
    UPDATE progress SET clock_due_at = NULL;
    DELETE FROM reminders; DELETE FROM service_signs; DELETE FROM failures; DELETE FROM pending_outages;
    DELETE FROM incoming; DELETE FROM procrastinate_jobs
""")


def clocks(files: Sequence[str]) -> int:
    """Run the vectors in files (``-``: standard input) and print a line for each difference.

    Returns:
        The exit code: 0 if nothing differs, 1 if something does, 2 if a file cannot be read.
    """
    try:
        vectors = [vector for file in files for vector in _read(file)]
    except (OSError, ValueError) as error:
        sys.stderr.write(f"novaluna: these are no vectors: {error}\n")
        return BAD_USAGE
    with worker() as context:
        found = 0
        for vector in vectors:
            for difference in differences(context, vector):
                write(f"{vector['id']}: {difference}\n")
                found += 1
    sys.stderr.write(f"novaluna: {len(vectors)} vectors, {found} differences\n")
    return FAILED if found else OK


def _read(file: str) -> Iterator[dict[str, Any]]:
    lines = sys.stdin.readlines() if file == "-" else Path(file).read_text(encoding="utf-8").splitlines()
    return (json.loads(line) for line in lines if line.strip())


@contextmanager
def worker() -> Iterator[WorkerContext]:
    """Yield a worker context on a temporary Postgres of its own."""
    with _folder() as folder, Postgres(folder / "data", settings=_HASTY) as postgres:
        upgrade(postgres.url)
        with on_database(postgres.url, folder) as context:
            yield context


@contextmanager
def _folder() -> Iterator[Path]:
    """Yield a temporary folder that Postgres, which does not run as root, may enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


@contextmanager
def on_database(url: str, folder: Path) -> Iterator[WorkerContext]:
    """Yield a worker context on a database, with all parts of the service in use."""
    settings = Settings(
        database_url=url,
        secret_keys=("-" * 32,),
        smtp_url="smtp://127.0.0.1:9",
        mail_in="lmtp://127.0.0.1:9",
        data_dir=folder,
    )
    make_session = sessions(settings, 2)
    try:
        yield WorkerContext(settings, make_session, maildir(settings), _no_time)
    finally:
        make_session.kw["bind"].dispose()


def _no_time() -> Any:
    raise AssertionError("each vector has its own time")


def differences(context: WorkerContext, vector: dict[str, Any]) -> list[str]:
    """Run a vector and return a sentence for each difference."""
    _clear(context)
    if "planned" in vector:
        return _compared("mails", vector["expect"]["mails"], mails(context, vector["planned"]))
    has_tiles = "tiles" in vector["settings"].get("draw", {})
    game = Game(context, vector, scripted=has_tiles)
    try:
        with draw_of(vector) if has_tiles else nullcontext():
            game.run()
    except Unplayable:
        _clear(context)
        with turns_of(vector):
            game = Game(context, vector, scripted=True)
            game.run()
    found: list[str] = []
    for name in _COMPARED:
        found += _compared(name, vector["expect"][name], getattr(game, name))
    return found + [f"log: {problem}" for problem in game.problems]


def _clear(context: WorkerContext) -> None:
    with context.sessions.begin() as session:
        session.execute(_CLEAR)


def _compared(name: str, expected: Iterable[Any], got: Iterable[Any]) -> list[str]:
    """Return a sentence for each item that is missing or surplus; their order does not matter."""
    missing, surplus = list(map(_spelled, expected)), list(map(_spelled, got))
    for item in list(missing):
        if item in surplus:
            missing.remove(item)
            surplus.remove(item)
    return [f"{name}: expected {item}" for item in missing] + [f"{name}: got {item}" for item in surplus]


def _spelled(value: Any) -> str:
    if isinstance(value, dict) and isinstance(value.get("data"), dict) and "what" in value["data"]:
        value = {**value, "data": {**value["data"], "what": sorted(value["data"]["what"])}}
    return json.dumps(value, sort_keys=True)
