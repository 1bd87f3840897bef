"""The parts of the service that mail needs.

These are a real worker that sends by SMTP, and a real receiver that listens for LMTP.
"""

import asyncio
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from urllib.parse import urlsplit

import pytest
from sqlalchemy import text

from service.config import Settings
from service.jobs import deadlines
from service.jobs.worker import work
from service.jobs.worker_context import WorkerContext
from service.jobs.worker_context import sessions as work_sessions
from service.mail.smtp_pool import SmtpConnectionPool
from service.mail.transport import make_transport
from service.receiver.ingest import sessions as mail_sessions
from service.receiver.receiver import Receiver
from service.receiver.server import listen
from service.receiver.session import LmtpConnection
from service.store import waking
from tests.acceptance.by_mail.people import Correspondent
from tests.support.mail import relay as relays
from tests.support.running import eventually

SERVICE = "nova-luna@play.example.org"


@dataclass
class PassingClock:
    """The real time, and as much more as a test has let pass."""

    ahead: timedelta = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


@dataclass
class Service:
    """The service as its correspondents know it: an address. `relay` has the mails that it sent."""

    relay: relays.Relay
    context: WorkerContext
    port: int
    clock: PassingClock
    read: int = 0
    people: dict[str, Correspondent] = field(default_factory=dict)

    def person(self, name: str) -> Correspondent:
        """Return a new person with a mailbox."""
        address = f"{name.lower()}@example.org"
        return self.people.setdefault(address, Correspondent(name, address, self.port))

    def go_on(self, **span: float) -> None:
        """Let time pass, in which every part of the service is alive, and do what is due then."""
        with self.context.sessions.begin() as session:
            session.execute(text("UPDATE service_signs SET at = at + :span"), {"span": timedelta(**span)})
        self.clock.ahead += timedelta(**span)
        deadlines.look(self.context)

    def new_mails(self) -> Iterator[tuple[Correspondent, EmailMessage]]:
        """Wait for mails that were not read yet, and yield each with its recipient."""
        eventually(lambda: len(self.relay.mails) > self.read, seconds=90)  # a failed job is retried after 30
        while len(self.relay.mails) > self.read:
            self.read += 1
            person = self.people[self.relay.recipients[self.read - 1]]
            yield person, person.receive(self.relay.mails[self.read - 1])


@pytest.fixture
def service(database_url: str) -> Iterator[Service]:
    with relays.running() as relay:
        settings = Settings(
            database_url=database_url,
            secret_keys=("a-key-of-the-tests-that-is-long-enough",),
            mail_from=f"Nova Luna by post <{SERVICE}>",
            mail_in="lmtp://127.0.0.1:0",
            smtp_url=f"smtp://127.0.0.1:{relay.port}",
            mail_pictures=False,
        )
        clock = PassingClock()
        with _running(settings, clock) as (port, context):
            yield Service(relay, context, port, clock)


@contextmanager
def _running(settings: Settings, clock: PassingClock) -> Iterator[tuple[int, WorkerContext]]:
    """Run the worker and the receiver during the block, and yield the receiver's port."""
    running: queue.Queue[tuple[int, WorkerContext]] = queue.Queue()
    loop = asyncio.new_event_loop()
    over = asyncio.Event()

    async def run() -> None:
        made, taken = work_sessions(settings, 2), mail_sessions(settings)
        mails, waker = make_transport(settings), waking.Waker(settings)
        waking.use(waker)
        receiver = Receiver(settings, taken)
        server = await listen(receiver, LmtpConnection, urlsplit(str(settings.mail_in)))
        context = WorkerContext(settings, made, mails, clock)
        working = asyncio.create_task(work(context, polling=1.0))
        running.put((server.sockets[0].getsockname()[1], context))
        await over.wait()
        working.cancel()
        server.close()
        await receiver.stop()
        await asyncio.gather(working, return_exceptions=True)
        assert isinstance(mails, SmtpConnectionPool)
        mails.close()
        waking.use(None)
        waker.close()
        made.kw["bind"].dispose()
        taken.kw["bind"].dispose()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    try:
        yield running.get(timeout=60)
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()
