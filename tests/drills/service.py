"""A whole service under a drill, with a folder of its own and no limits."""

import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
from psycopg.rows import TupleRow
from sqlalchemy import create_engine, select
from sqlalchemy.orm import Session

from engine import audit
from service.commands.rebuild import rebuild
from service.config import KNOWN
from service.jobs.worker import LANES
from service.local.postgres import Postgres
from service.queries import records
from service.queries.table import load
from service.store.base import engine_url
from service.store.tables import Setup, Table
from tests.drills.client import Api, Player
from tests.drills.mailbox import Mailbox, MaildirMailbox
from tests.support.running import UP, Running, eventually, free_port, up

PATIENCE = 300.0
"""Seconds within which the queue must be empty.

A failed job waits for 30, and one of a killed worker for up to 40. While a relay hangs with the content, the mails of
two minutes pile up.
"""

ENVIRON = dict.fromkeys((name for name in KNOWN if name.startswith("NOVALUNA_LIMIT_")), "0") | {
    "NOVALUNA_MAIL_PICTURES": "off"  # this drill sends thousands of mails, whose look does not matter
}


class Service:
    """A running service.

    Args:
        folder: a folder of its own, which is removed with it.
        environ: variables beside those that switch the limits off.
        mailbox: where its mails go; None: the Maildir.
        database_url: the URL of its database as the owner; None: that of `novaluna up`.
        program: see `tests.support.running.start`.
        workers: how many workers the program runs.

    Attributes:
        running: its processes.
        api: a client of it.
        mailbox: where its mails go.
        starting: the seconds that its last start took.
    """

    def __init__(
        self,
        folder: Path,
        *,
        environ: Mapping[str, str] | None = None,
        mailbox: Mailbox | None = None,
        database_url: str | None = None,
        program: Sequence[str] = UP,
        workers: int = 1,
    ) -> None:
        self.folder = folder
        self._data = folder / "data"
        self._environ = ENVIRON | dict(environ or {})
        self._program = program
        self.workers = workers
        self.mailbox: Mailbox = mailbox or MaildirMailbox(self._data)
        self.database_url = database_url or Postgres(self._data).url
        self._stack = ExitStack()
        self._start(str(free_port()))
        self.api = Api(self.running.address)

    def _start(self, port: str) -> None:
        begun = time.monotonic()
        started = up(self._data, self._environ, "--port", port, program=self._program)
        self.running: Running = self._stack.enter_context(started)
        self.starting = time.monotonic() - begun

    def restart(self) -> None:
        """Stop all its processes, and start new ones on the same data and at the same address."""
        self._stack.close()
        self._start(self.running.address.rpartition(":")[2])

    def worker_pids(self) -> list[int]:
        """Return the process ids of the running workers."""
        return [pid for part in ("service.cli worker", "novaluna worker") for pid in self.running.pids(part)]

    def stop(self) -> None:
        """Stop all its processes, and close the client."""
        self.api.close()
        self.stop_processes()

    def stop_processes(self) -> None:
        """Stop all its processes, until `restart`."""
        self._stack.close()

    def sign_up(self, count: int, called: str = "player") -> list[Player]:
        """Sign people up with the codes from their mails, and return them."""
        addresses = [f"{called}{number}@example.org" for number in range(count)]
        for address in addresses:
            self.api.insist("POST", "/v1/sign-ins", None, {"email": address}, expected=202)
        eventually(lambda: self.mailbox.codes().keys() >= set(addresses), PATIENCE)
        codes = self.mailbox.codes()
        return [self._sign_in(address, codes[address]) for address in addresses]

    def _sign_in(self, address: str, code: str) -> Player:
        made = self.api.insist("POST", "/v1/tokens", None, {"email": address, "code": code}, expected=201).json()
        return Player(made["account"]["id"], address, made["token"])

    @contextmanager
    def database(self) -> Iterator[psycopg.Connection[TupleRow]]:
        """Yield a connection to its database in autocommit mode."""
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            yield connection

    def await_empty_queue(self, hurried: bool = False) -> None:
        """Wait until no mail is left to be sent.

        With `hurried`, time passes for the queue alone: what is to be retried later is retried now, and what a dead
        worker had started is taken over at once.
        """

        def is_empty() -> bool:
            with self.database() as connection:
                if hurried:
                    for statement in (_NOW, _FORGET_THE_OTHERS if self.workers == 1 else _FORGET_THE_SILENT, _TAKE_UP):
                        connection.execute(statement)
                left = connection.execute(_LEFT).fetchone()
                return left == (0,)

        eventually(is_empty, PATIENCE, every=0.2)

    def check_records(self) -> None:
        """Check that every record is valid, and that every projection follows from its log."""
        engine = create_engine(engine_url(self.database_url))
        with Session(engine) as session:
            for started in session.scalars(select(Table.id).join(Setup, Setup.game == Table.key)).all():
                table = load(session, started)
                assert table is not None
                audit.check(records.line(session, table))
            assert list(rebuild(session, write=False)) == []
        engine.dispose()


_LEFT = """
SELECT count(*) FROM procrastinate_jobs WHERE task_name LIKE 'mail%' AND status IN ('todo', 'doing')
"""

_NOW = "UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE task_name LIKE 'mail%' AND status = 'todo'"

_FORGET_THE_OTHERS = f"""
UPDATE procrastinate_workers SET last_heartbeat = '-infinity'
 WHERE id <= (SELECT max(id) FROM procrastinate_workers) - {LANES}
"""

_FORGET_THE_SILENT = """
UPDATE procrastinate_workers SET last_heartbeat = '-infinity'
 WHERE last_heartbeat < clock_timestamp() - interval '12 seconds'
"""

_TAKE_UP = """
INSERT INTO procrastinate_jobs (queue_name, task_name, queueing_lock, args)
SELECT 'default', 'take_up_stalled_jobs', 'hurry', '{"timestamp": 0}'
 WHERE EXISTS (SELECT FROM procrastinate_jobs WHERE task_name LIKE 'mail%' AND status = 'doing')
ON CONFLICT (queueing_lock) WHERE status = 'todo' DO NOTHING
"""


@contextmanager
def open_folder(called: str = "drill") -> Iterator[Path]:
    """Yield a new folder that every account may enter, because Postgres runs as another account under root."""
    folder = Path(tempfile.mkdtemp(prefix=f"nova-luna-{called}-"))
    folder.chmod(0o711)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def running_service() -> Iterator[Service]:
    """Yield a service that `novaluna up` runs in a new folder; stop and remove both at the end."""
    with open_folder() as folder:
        service = Service(folder)
        try:
            yield service
        finally:
            service.stop()
