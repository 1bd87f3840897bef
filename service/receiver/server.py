"""The receiver's process: it listens, takes mail in, and ends when it is asked to without losing what it has begun."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

import structlog
from sqlalchemy.orm import Session, sessionmaker

from service import logs, metrics, metrics_port
from service.access.reply_addresses import own_address
from service.config import ConfigError, Settings
from service.local.liveness import LivenessReporter
from service.receiver import bounds
from service.receiver.session import BUSY, STOPPING, Connection, LmtpConnection
from service.receiver.taking import Mail, sessions, take
from service.store import waking
from service.store.clock import by_sessions

_log = structlog.get_logger(__name__)


class Receiver:
    """All connections of a process, and the threads that store what they bring.

    Attributes:
        is_stopping: no mail is begun any more.
        name: what it calls itself: the domain of the service's address.
    """

    def __init__(
        self, settings: Settings, sessions: sessionmaker[Session], clock: Callable[[], datetime] | None = None
    ) -> None:
        self.settings = settings
        self.name = own_address(settings).rpartition("@")[2]
        self.loop = asyncio.get_running_loop()
        self.is_stopping = False
        self._sessions = sessions
        self._clock = clock or by_sessions(sessions)
        self._threads = ThreadPoolExecutor(bounds.STORING, thread_name_prefix="storing")
        self._peers: dict[Connection, str] = {}
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def connections(self) -> int:
        """How many there are."""
        return len(self._peers)

    def admit(self, connection: Connection, peer: str) -> str | None:
        """Counts a connection; None if it may stay, else what it is told."""
        if self.is_stopping:
            return STOPPING
        by_peer = Counter(self._peers.values())
        if self.connections >= bounds.CONNECTIONS or by_peer[peer] >= bounds.CONNECTIONS_BY_PEER:
            self.count("busy")
            return BUSY
        self._peers[connection] = peer
        self._idle.clear()
        return None

    def forget(self, connection: Connection) -> None:
        """A connection has ended."""
        del self._peers[connection]
        if not self._peers:
            self._idle.set()

    def count(self, outcome: str) -> None:
        """Counts what became of a mail, or of a try to send one."""
        metrics.mail_in(outcome)

    async def take(self, mail: Mail) -> list[str]:
        """Stores a mail; gives the answer for each recipient."""
        answers = await self.loop.run_in_executor(self._threads, take, self.settings, self._sessions, mail, self._clock)
        for answer in answers:
            self.count(answer.became)
        return [answer.text for answer in answers]

    async def stop(self) -> None:
        """Ends all connections; what is being stored is stored and acknowledged first."""
        self.is_stopping = True
        for connection in list(self._peers):
            connection.dismiss(STOPPING)
        try:
            async with asyncio.timeout(bounds.GOODBYE_SECONDS):
                await self._idle.wait()
        except TimeoutError:
            _log.warning("connections were cut", count=self.connections)
        await asyncio.to_thread(self._threads.shutdown)


def run(settings: Settings, descriptor: int | None = None) -> None:
    """Takes mail in until TERM or INT. Sets up this process' logging.

    Args:
        descriptor: of a listening socket that is taken instead of the place that the settings name.

    Raises:
        ConfigError: the settings don't say where to listen.
        OSError: it can't listen there.
    """
    if settings.mail_in is None:
        raise ConfigError(
            "NOVALUNA_MAILIN is not set. Say where mail is to be taken in, such as lmtp://127.0.0.1:8024."
        )
    logs.configure_process()
    metrics.begin(settings)
    metrics_port.offer(settings)
    waker = waking.Waker(settings)
    waking.use(waker)
    try:
        asyncio.run(_serve(settings, urlsplit(settings.mail_in), descriptor))
    finally:
        waker.close()


async def _serve(settings: Settings, place: SplitResult, descriptor: int | None) -> None:
    receiver = Receiver(settings, sessions(settings))
    loop = receiver.loop
    loop.set_exception_handler(_report)
    LivenessReporter().report_from(loop)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    kind = Connection if place.scheme == "smtp" else LmtpConnection
    server = await listen(receiver, kind, place, descriptor)
    async with server:
        name = "" if place.scheme == "lmtp+unix" else server.sockets[0].getsockname()
        _log.info(
            "mail is taken in", by=place.scheme, host=name[0] if name else place.path, port=name[1] if name else None
        )
        await stop.wait()
        _log.info("mail is no longer taken in")
        server.close()
        await receiver.stop()


async def listen(
    receiver: Receiver, kind: type[Connection], place: SplitResult, descriptor: int | None = None
) -> asyncio.Server:
    """Listens at a place as `Settings.mail_in` names it, or on the socket with this descriptor.

    A unix socket may be used by everybody; who gets to it, the folder decides that it lies in.
    """

    def connection() -> Connection:
        return kind(receiver)

    if descriptor is not None:
        return await receiver.loop.create_server(connection, sock=socket.socket(fileno=descriptor))
    if place.scheme == "lmtp+unix":
        server = await receiver.loop.create_unix_server(connection, place.path)
        Path(place.path).chmod(0o666)
        return server
    assert place.port is not None, "the settings have checked it"
    return await receiver.loop.create_server(connection, place.hostname, place.port)


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    """What nobody waited for went wrong; what it was about is not repeated."""
    _log.error("a connection failed", exc_info=context.get("exception"))
