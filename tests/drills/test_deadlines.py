"""A thousand games fall due in the same minute, under three workers of which one is killed (CLOCKS.md 7.1)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from bench import seed, served
from engine.clock.terms import Ladder, PerWait, Terms
from service.commands.rebuild import rebuild
from tests.support.running import eventually

pytestmark = [pytest.mark.drill, pytest.mark.long, pytest.mark.alone]

GAMES = 1000
WORKERS = 3
VERSION = 8
PEOPLE = 40

ALLOWED = timedelta(hours=1)
AHEAD = timedelta(seconds=60)
"""The time from the writing of the games until they fall due."""

WORKED_OFF_WITHIN = timedelta(seconds=30)

_TERMS = Terms(PerWait(ALLOWED), Ladder(timedelta(hours=1), None, "out"))

_PLANNED = text("SELECT count(*) FROM progress WHERE clock_due_at > last_at")
_STEPS = text("SELECT count(*), count(DISTINCT game), min(at), max(at) FROM log WHERE move LIKE 'mark clock.nudge %'")


@contextmanager
def _worker(database: served.Database) -> Iterator[subprocess.Popen[bytes]]:
    environ = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ}
    environ |= {
        "DATABASE_URL": database.service_url,
        "NOVALUNA_SECRET_KEY": "for-the-drill-only-and-32-characters-long",
        "NOVALUNA_DATA": str(database.folder),
        "NOVALUNA_MAIL_PICTURES": "off",
    }
    with (database.folder / "worker.log").open("ab") as log:
        process = subprocess.Popen([sys.executable, "-m", "service.cli", "worker"], env=environ, stdout=log, stderr=log)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _count(engine: Engine) -> int:
    with engine.connect() as connection:
        return int(connection.execute(_STEPS).one()[0])


def test_a_thousand_games_that_fall_due_at_once_are_worked_off() -> None:
    with ExitStack() as stack:
        database = stack.enter_context(served.database())
        engine = stack.enter_context(served.connected(database.url))
        last_at = (datetime.now(UTC) + AHEAD - ALLOWED).replace(microsecond=0)
        with Session(engine) as session, session.begin():
            people = seed.sign_up(session, PEOPLE)
            seed.games(session, people, GAMES, VERSION, 0, terms=_TERMS, last_at=last_at, pace=timedelta())
        served.settle(engine)
        due = last_at + ALLOWED
        workers = [stack.enter_context(_worker(database)) for _ in range(WORKERS)]
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            eventually(lambda: connection.execute(_PLANNED).scalar() == GAMES)
        assert datetime.now(UTC) < due, "the machine is too slow to have the games planned before they are due"
        eventually(lambda: _count(engine) > GAMES // 10, seconds=120)
        workers[0].send_signal(signal.SIGKILL)
        assert _count(engine) < GAMES, "all was done before a worker could be killed"
        eventually(lambda: _count(engine) == GAMES, seconds=120)
        with engine.connect() as connection:
            steps, games, first, last = connection.execute(_STEPS).one()
        print(f"{steps} steps in {games} games, from {first - due} to {last - due} after they were due")
        assert (steps, games) == (GAMES, GAMES)
        assert due <= first and last - due < WORKED_OFF_WITHIN
        with Session(engine) as session:
            assert list(rebuild(session, write=False)) == []
