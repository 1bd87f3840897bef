"""State that the connections of a process share: how many there are, and the threads that store mail."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Protocol

import structlog
from sqlalchemy.orm import Session, sessionmaker

from service import metrics
from service.access.reply_addresses import own_address
from service.config import Settings
from service.receiver import limits
from service.receiver.ingest import ReceivedMail, ingest
from service.store.clock import by_sessions

BUSY = "421 4.3.2 There are too many connections at the moment; try again later"
STOPPING = "421 4.3.2 The service is being stopped; try again later"

_log = structlog.get_logger(__name__)


class Dismissible(Protocol):
    """A connection, as far as the receiver needs to know it."""

    def dismiss(self, answer: str) -> None:
        """Send this reply, and close the connection."""


class Receiver:
    """All connections of a process, and the threads that store their mails.

    Attributes:
        is_stopping: true once no more mail is accepted.
        name: the name by which it greets clients: the domain of the service's address.
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
        self._threads = ThreadPoolExecutor(limits.STORING, thread_name_prefix="storing")
        self._peers: dict[Dismissible, str] = {}
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def connections(self) -> int:
        """The number of connections."""
        return len(self._peers)

    def admit(self, connection: Dismissible, peer: str) -> str | None:
        """Count a new connection; return None if it may stay, or else the reply that refuses it."""
        if self.is_stopping:
            return STOPPING
        by_peer = Counter(self._peers.values())
        if self.connections >= limits.CONNECTIONS or by_peer[peer] >= limits.CONNECTIONS_BY_PEER:
            self.count("busy")
            return BUSY
        self._peers[connection] = peer
        self._idle.clear()
        return None

    def forget(self, connection: Dismissible) -> None:
        """Remove a connection that has ended."""
        del self._peers[connection]
        if not self._peers:
            self._idle.set()

    def count(self, outcome: str) -> None:
        """Count the result of a mail, or of an attempt to send one."""
        metrics.mail_in(outcome)

    async def ingest(self, mail: ReceivedMail) -> list[str]:
        """Store a mail, and return the reply for each recipient."""
        answers = await self.loop.run_in_executor(
            self._threads, ingest, self.settings, self._sessions, mail, self._clock
        )
        for answer in answers:
            self.count(answer.became)
        return [answer.text for answer in answers]

    async def stop(self) -> None:
        """Close all connections. Mails that are being stored are stored and acknowledged first."""
        self.is_stopping = True
        for connection in list(self._peers):
            connection.dismiss(STOPPING)
        try:
            async with asyncio.timeout(limits.GOODBYE_SECONDS):
                await self._idle.wait()
        except TimeoutError:
            _log.warning("connections were cut", count=self.connections)
        await asyncio.to_thread(self._threads.shutdown)
