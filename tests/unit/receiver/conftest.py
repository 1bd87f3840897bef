"""A receiver in this process with a database of its own, and ways to bring mail to it."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator, MutableMapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql
from structlog.testing import capture_logs

from service.access.reply_addresses import ToTable, own_address, reply_address
from service.config import Settings
from service.local.postgres import Postgres
from service.receiver.ingest import sessions
from service.receiver.receiver import Receiver
from service.receiver.server import listen
from service.receiver.session import LmtpConnection, SmtpConnection

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)
RELAY = "mx.example.org"
GAME = ToTable("TabLe2345678", 1, 7, leaving=False)


@dataclass(frozen=True)
class Place:
    """A running receiver: its port, its settings, and a function that stops it."""

    port: int
    settings: Settings
    receiver: Receiver
    stop: Callable[[], None]

    def address(self, to: ToTable = GAME) -> str:
        """Return a reply address that the receiver accepts."""
        return str(reply_address(self.settings, to))

    @property
    def own(self) -> str:
        """Return the service's own address."""
        return own_address(self.settings)

    def socket(self) -> socket.socket:
        """Open a connection to the receiver."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def rows(self, what: str = "kind, about, seat, version, sender, raw") -> list[tuple[Any, ...]]:
        """Return the stored mails, in the order in which they came."""
        with psycopg.connect(self.settings.database_url) as connection:
            return connection.execute(f"SELECT {what} FROM incoming ORDER BY id").fetchall()

    def jobs(self) -> list[int]:
        """Return the ids of the mails that a worker is to read."""
        with psycopg.connect(self.settings.database_url) as connection:
            asked = "SELECT args->>'incoming' FROM procrastinate_jobs WHERE task_name = 'take_in' ORDER BY id"
            return [int(id) for (id,) in connection.execute(asked)]


Start = Callable[..., Place]

_numbers = count(1)


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[MutableMapping[str, Any]]]:
    """Capture the log lines."""
    with capture_logs() as lines:
        yield lines


@pytest.fixture(scope="session")  # not for the package: a process may run tests of other packages in between
def shared(postgres: Postgres, template: str) -> Iterator[str]:
    """Create the one database that these tests share, and return its owner's address.

    Creating one for each test would take longer than the tests.
    """
    database = f"receiver_{next(_numbers)}"  # the drill with the worst mails has a database of its own
    name = sql.Identifier(database)
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(name, sql.Identifier(template)))
        yield postgres.url_of(database)
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


@pytest.fixture
def owner_url(shared: str) -> str:
    """Return the shared database without any mails and jobs."""
    with psycopg.connect(shared) as connection:
        connection.execute("TRUNCATE incoming, procrastinate_jobs, procrastinate_events RESTART IDENTITY CASCADE")
    return shared


@pytest.fixture
def start(database_url: str) -> Iterator[Start]:
    """Return a function that starts a receiver, by LMTP or another protocol; all are stopped in the end."""
    stops = []

    def started(kind: type[SmtpConnection] = LmtpConnection, port: int = 0, **more: Any) -> Place:
        settings = Settings(
            database_url=database_url,
            secret_keys=("a-key-of-the-tests-that-is-long-enough",),
            **{"mail_from": "Nova Luna <nova-luna@play.example.org>", "mail_in": f"lmtp://127.0.0.1:{port}"} | more,
        )
        ready: threading.Event = threading.Event()
        place: list[Place] = []

        async def serve() -> None:
            made = sessions(settings)
            receiver = Receiver(settings, made, lambda: NOW)
            asked = asyncio.Event()
            server = await listen(receiver, kind, urlsplit(str(settings.mail_in)))

            def stop() -> None:
                receiver.loop.call_soon_threadsafe(asked.set)
                thread.join(60)
                assert not thread.is_alive()

            place.append(Place(server.sockets[0].getsockname()[1], settings, receiver, stop))
            ready.set()
            await asked.wait()
            server.close()
            await receiver.stop()
            made.kw["bind"].dispose()

        thread = threading.Thread(target=asyncio.run, args=(serve(),))
        thread.start()
        assert ready.wait(60)
        stops.append((thread, place[0].stop))
        return place[0]

    yield started
    for thread, stop in stops:
        if thread.is_alive():
            stop()
