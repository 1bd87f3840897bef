"""A whole service under a drill: `novaluna up` on a folder of its own, without limits on sign-ins."""

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.parser import BytesHeaderParser
from pathlib import Path

import psycopg
from psycopg.rows import TupleRow
from sqlalchemy import create_engine, select
from sqlalchemy.orm import Session

from engine import audit
from service.commands.rebuild import rebuild
from service.config import KNOWN
from service.local.postgres import Postgres
from service.mail.maildir import address_of
from service.queries import records
from service.queries.table import load
from service.store.base import engine_url
from service.store.tables import Setup, Table
from tests.drills.client import Api, Player
from tests.running import Running, eventually, up

PATIENCE = 150.0
"""Seconds in which the queue must be empty: a job that failed waits for 30, one of a killed worker for up to 40."""

ENVIRON = dict.fromkeys((name for name in KNOWN if name.startswith("NOVALUNA_LIMIT_")), "0")

_CODE = re.compile(r"^([0-9A-Z]{5}-[0-9A-Z]{5})\r?$", re.MULTILINE)


class Service:
    """A running service.

    Attributes:
        folder: a folder of its own, for whatever is to be removed with it.
        running: its processes.
        api: a client of it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._data = folder / "data"
        self._stack = ExitStack()
        self._start("0")
        self.api = Api(self.running.address)

    def _start(self, port: str) -> None:
        self.running: Running = self._stack.enter_context(up(self._data, ENVIRON, "--port", port))

    def restart(self) -> None:
        """Stops all its processes, and starts others on the same data and at the same address."""
        self._stack.close()
        self._start(self.running.address.rpartition(":")[2])

    def stop(self) -> None:
        """Stops all its processes."""
        self.api.close()
        self._stack.close()

    # People

    def sign_up(self, count: int, called: str = "player") -> list[Player]:
        """People with accounts, by codes out of their mails."""
        addresses = [f"{called}{number}@example.org" for number in range(count)]
        for address in addresses:
            self.api.insist("POST", "/v1/sign-ins", None, {"email": address}, expected=202)
        codes: dict[str, str] = {}
        read: set[str] = set()

        def all_came() -> bool:
            for path in self._mails():
                if path.name not in read:
                    read.add(path.name)
                    codes.update(_code_in(path))
            return codes.keys() >= set(addresses)

        eventually(all_came, PATIENCE)
        return [self._sign_in(address, codes[address]) for address in addresses]

    def _sign_in(self, address: str, code: str) -> Player:
        made = self.api.insist("POST", "/v1/tokens", None, {"email": address, "code": code}, expected=201).json()
        return Player(made["account"]["id"], address, made["token"])

    # What it keeps

    @contextmanager
    def database(self) -> Iterator[psycopg.Connection[TupleRow]]:
        """A connection to its database, each statement committed by itself."""
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            yield connection

    @property
    def database_url(self) -> str:
        return Postgres(self._data).url

    def mails(self) -> Counter[str]:
        """The Message-IDs, without < and @…>, of all mails that were delivered, and how many mails had each."""
        names: Counter[str] = Counter()
        for path in self._mails():
            with path.open("rb") as file:
                names[str(BytesHeaderParser().parse(file)["Message-ID"]).strip("<").partition("@")[0]] += 1
        return names

    def _mails(self) -> list[Path]:
        new = self._data / "mail" / "new"
        return list(new.iterdir()) if new.exists() else []

    def await_empty_queue(self, hurried: bool = False) -> None:
        """Waits until no mail is left to be sent.

        `hurried` lets time pass for the queue alone: what is to be tried again later is tried now, and what a dead
        worker had begun is taken up at once.
        """

        def is_empty() -> bool:
            with self.database() as connection:
                if hurried:
                    connection.execute(_LET_TIME_PASS)
                left = connection.execute(_LEFT).fetchone()
                return left == (0,)

        eventually(is_empty, PATIENCE)

    def check_records(self) -> None:
        """Every record that there is holds, and every projection is what its log gives."""
        engine = create_engine(engine_url(self.database_url))
        with Session(engine) as session:
            for started in session.scalars(select(Table.id).join(Setup, Setup.game == Table.key)).all():
                table = load(session, started)
                assert table is not None
                audit.check(records.line(session, table))
            assert rebuild(session, write=False) == []
        engine.dispose()


def _code_in(path: Path) -> dict[str, str]:
    """The code of a mail that brings one, by the address that it is to."""
    message = message_from_bytes(path.read_bytes(), _class=EmailMessage, policy=policy.default)
    body = message.get_body(("plain",))
    found = _CODE.search(body.get_content()) if body else None
    return {address_of(message): found[1]} if found else {}


_LEFT = """
SELECT count(*) FROM procrastinate_jobs WHERE task_name LIKE 'mail%' AND status IN ('todo', 'doing')
"""

_LET_TIME_PASS = """
UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE task_name LIKE 'mail%' AND status = 'todo';
UPDATE procrastinate_workers SET last_heartbeat = '-infinity'
 WHERE id < (SELECT max(id) FROM procrastinate_workers);
INSERT INTO procrastinate_jobs (queue_name, task_name, queueing_lock, args)
SELECT 'default', 'take_up_stalled_jobs', 'hurry', '{"timestamp": 0}'
 WHERE EXISTS (SELECT FROM procrastinate_jobs WHERE task_name LIKE 'mail%' AND status = 'doing')
ON CONFLICT (queueing_lock) WHERE status = 'todo' DO NOTHING;
"""


@contextmanager
def running_service() -> Iterator[Service]:
    """A service on a new folder, stopped and removed in the end."""
    folder = Path(tempfile.mkdtemp(prefix="nova-luna-drill-"))
    folder.chmod(0o711)  # as root, Postgres runs as another account, which must get there
    try:
        service = Service(folder)
        try:
            yield service
        finally:
            service.stop()
    finally:
        shutil.rmtree(folder)
