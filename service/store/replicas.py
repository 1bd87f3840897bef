"""Read from replicas of the database, as long as they are close enough behind the primary (`NOVALUNA_READS_URL`).

A thread asks the primary every second how far its write-ahead log goes, and each replica how far it has come. One is
used while it has everything that the primary had `MOST_BEHIND` ago. It is not used once it does not answer, has been
promoted, or has failed a statement, until it has answered such a question again. A primary that does not say how far it
is has no replicas either: nobody could say how old what they show is.

Only statements that write nothing are run here. Whoever runs one must be ready to run it at the primary instead
(`service.api.spectators`).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from itertools import count
from threading import Event, Lock, Thread
from typing import Any

import psycopg
import structlog

from service.store.autocommit_pool import AutocommitPool
from service.store.prepared_statements import Arguments, Rows

MOST_BEHIND = 10.0
"""The most seconds that a replica may be behind the primary."""

EVERY = 1.0
"""Seconds between two questions."""

_Connect = Callable[[], "psycopg.Connection[Any]"]

_WRITTEN = "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn"
_REPLAYED = "SELECT pg_last_wal_replay_lsn() - '0/0'::pg_lsn WHERE pg_is_in_recovery()"

_log = structlog.get_logger(__name__)


class ReplicaFailed(Exception):
    """A replica did not answer: it restarts, is away, or has canceled a statement that was in its way."""


class Replica(AutocommitPool):
    """One replica: a pool like that of the primary, and whether it is close enough behind.

    Args:
        name: its host or its number, for log lines.
        connect: opens a connection in autocommit mode.
        most: the number of connections that are kept.
    """

    def __init__(self, name: str, connect: _Connect, most: int) -> None:
        super().__init__(connect, most)
        self.name = name
        self.connect = connect
        self.is_usable = False

    def rows(self, statement: str, arguments: Arguments) -> Rows:
        """Return the rows of a statement.

        Raises:
            ReplicaFailed: there are none; the replica is not used until it has answered again.
        """
        try:
            return super().rows(statement, arguments)
        except psycopg.Error as error:
            self.is_usable = False
            _log.info("a replica failed, and the primary was asked", replica=self.name, why=type(error).__name__)
            raise ReplicaFailed from None

    def write(self, statement: str, arguments: Arguments, *, wakes: bool) -> tuple[Any, ...]:
        """Refuse to write."""
        raise NotImplementedError("a replica only reads")


class Replicas:
    """The replicas of a process, which take turns. The thread that watches them starts with the first question.

    Attributes:
        replicas: the replicas.

    Args:
        replicas: the replicas.
        primary: opens a connection to the primary, in autocommit mode.
        clock: returns seconds that never go back.
    """

    def __init__(
        self, replicas: Sequence[Replica], primary: _Connect, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.replicas = replicas
        self._clock = clock
        self._turns = count()
        self._lock = Lock()
        self._over = Event()
        self._thread: Thread | None = None
        self._primary = _Asked(primary, _WRITTEN)
        self._asked = [_Asked(replica.connect, _REPLAYED) for replica in replicas]
        self._written: deque[tuple[float, int]] = deque()

    def usable(self) -> Replica | None:
        """Return the next replica that may be asked, or None."""
        if self._thread is None:
            self._start()
        turn = next(self._turns)
        for number in range(len(self.replicas)):
            replica = self.replicas[(turn + number) % len(self.replicas)]
            if replica.is_usable:
                return replica
        return None

    def look(self) -> None:
        """Ask the primary and all replicas, and note which replicas may be used."""
        at = self._clock()
        written = self._primary.position()
        if written is not None:
            self._written.append((at, written))
        while len(self._written) > 1 and self._written[1][0] <= at - MOST_BEHIND + EVERY:
            self._written.popleft()
        known = written is not None
        for replica, asked in zip(self.replicas, self._asked, strict=True):
            replayed = asked.position() if known else None
            usable = replayed is not None and replayed >= self._written[0][1]
            if usable != replica.is_usable:
                _log.info("a replica is used" if usable else "a replica is not used", replica=replica.name)
            replica.is_usable = usable

    def close(self) -> None:
        """Stop watching, and close the connections that are not in use."""
        self._over.set()
        for replica in self.replicas:
            replica.is_usable = False
            replica.close()

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._watch, name="replicas", daemon=True)
                self._thread.start()

    def _watch(self) -> None:
        while True:
            self.look()
            if self._over.wait(EVERY):
                break
        for asked in (self._primary, *self._asked):
            asked.close()


class _Asked:
    """A connection of its own to a server that is asked for a position in the write-ahead log."""

    def __init__(self, connect: _Connect, question: str) -> None:
        self._connect = connect
        self._question = question
        self._connection: psycopg.Connection[Any] | None = None

    def position(self) -> int | None:
        """Return the position, or None if the server does not answer, or is no replica where one is asked."""
        try:
            if self._connection is None:
                self._connection = self._connect()
            row = self._connection.execute(self._question.encode()).fetchone()
        except (psycopg.Error, OSError):
            self.close()
            return None
        return None if row is None or row[0] is None else int(row[0])

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
