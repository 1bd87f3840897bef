"""What the connections of a process share: how many there may be, and the threads that store what they bring."""

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
from service.receiver import bounds
from service.receiver.ingest import ReceivedMail, ingest
from service.store.clock import by_sessions

BUSY = "421 4.3.2 There are too many connections at the moment; try again later"
STOPPING = "421 4.3.2 The service is being stopped; try again later"

_log = structlog.get_logger(__name__)


class Dismissible(Protocol):
    """A connection, as far as whoever counts it knows it."""

    def dismiss(self, answer: str) -> None:
        """Say this, and close the connection."""


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
        self._peers: dict[Dismissible, str] = {}
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def connections(self) -> int:
        """How many there are."""
        return len(self._peers)

    def admit(self, connection: Dismissible, peer: str) -> str | None:
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

    def forget(self, connection: Dismissible) -> None:
        """A connection has ended."""
        del self._peers[connection]
        if not self._peers:
            self._idle.set()

    def count(self, outcome: str) -> None:
        """Counts what became of a mail, or of a try to send one."""
        metrics.mail_in(outcome)

    async def ingest(self, mail: ReceivedMail) -> list[str]:
        """Stores a mail; gives the answer for each recipient."""
        answers = await self.loop.run_in_executor(
            self._threads, ingest, self.settings, self._sessions, mail, self._clock
        )
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
