"""Read from replicas of the database, as long as they are close enough behind the primary (`NOVALUNA_READS_URL`).

A thread asks the primary every second how far its write-ahead log goes, and each replica how far it has come. So it is
known of each replica until when it has everything that the primary had, and what a replica says counts for no longer
than `MOST_BEHIND` after that: also while the primary, or this thread, hangs. A replica is not used once it does not
answer, has been promoted, or has failed a statement, until it has answered such a question again; nor if its epoch or
its timeline is another one, as it may then have what a new primary lacks (`service.store.epoch`). A primary that does
not say how far it is has no replicas either: nobody could say how old what they show is.

After a synchronous failover the epoch stays, but a replica that does not follow the new primary may be further in the
write-ahead log of the former one than the new one is in its own. So places in the log are compared within one timeline
only: that of the primary, and that which the replica has read in its row of the epoch, where a new primary's is stored
before anything else is written.

Only statements that write nothing are run here. Whoever runs one must be ready to run it at the primary instead
(`service.api.spectators`).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from itertools import count
from threading import Event, Lock, Thread
from typing import Any, NamedTuple

import psycopg
import structlog

from service.store import epoch, primary
from service.store.autocommit_pool import AutocommitPool
from service.store.prepared_statements import Arguments, Rows

MOST_BEHIND = 10.0
"""The most seconds that a replica may be behind the primary."""

EVERY = 1.0
"""Seconds between two questions."""

_Connect = Callable[[], "psycopg.Connection[Any]"]

_WRITTEN = f"SELECT pg_current_wal_lsn() - '0/0'::pg_lsn, value, {epoch.TIMELINE} FROM epoch"
_REPLAYED = "SELECT pg_last_wal_replay_lsn() - '0/0'::pg_lsn, value, timeline FROM epoch WHERE pg_is_in_recovery()"

_log = structlog.get_logger(__name__)


class ReplicaFailed(Exception):
    """A replica did not answer: it restarts, is away, or has canceled a statement that was in its way."""


class Replica(AutocommitPool):
    """One replica: a pool like that of the primary, and whether it is close enough behind.

    Attributes:
        complete_at: the time, by the clock, of which it is known that the replica has all that the primary had then;
            None while it is not used.

    Args:
        name: its host or its number, for log lines.
        connect: opens a connection in autocommit mode.
        most: the number of connections that are kept.
        clock: returns seconds that never go back.
    """

    def __init__(self, name: str, connect: _Connect, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(connect, most)
        self.name = name
        self.connect = connect
        self.complete_at: float | None = None
        self._clock = clock

    @property
    def is_usable(self) -> bool:
        """True if what it shows now is not too old."""
        return self._is_recent(self.complete_at)

    def _is_recent(self, complete_at: float | None) -> bool:
        return complete_at is not None and self._clock() - complete_at <= MOST_BEHIND

    def rows(self, statement: str, arguments: Arguments) -> Rows:
        """Return the rows of a statement, unless they came so late that they may be too old.

        Raises:
            ReplicaFailed: there are none; after an error, the replica is not used until it has answered again.
        """
        complete_at = self.complete_at
        try:
            rows = super().rows(statement, arguments)
        except psycopg.Error as error:
            self.complete_at = None
            _log.info("a replica failed, and the primary was asked", replica=self.name, why=type(error).__name__)
            raise ReplicaFailed from None
        if not self._is_recent(complete_at):
            raise ReplicaFailed
        return rows

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
        confirms: whether the primary may have been replaced, so that it has to prove that it still is one
            (`service.store.primary`).
    """

    def __init__(
        self,
        replicas: Sequence[Replica],
        primary: _Connect,
        clock: Callable[[], float] = time.monotonic,
        *,
        confirms: bool = False,
    ) -> None:
        self.replicas = replicas
        self._clock = clock
        self._turns = count()
        self._lock = Lock()
        self._over = Event()
        self._thread: Thread | None = None
        self._primary = _Asked(primary, _WRITTEN, confirms=confirms)
        self._asked = [_Asked(replica.connect, _REPLAYED) for replica in replicas]
        self._written: deque[tuple[float, _Position]] = deque()

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
        """Ask the primary and all replicas, and note of each replica until when it is complete."""
        at = self._clock()
        written = self._primary.position()
        if written is not None:
            self._written.append((at, written))
        while self._written and self._written[0][0] < at - MOST_BEHIND:
            self._written.popleft()
        for replica, asked in zip(self.replicas, self._asked, strict=True):
            was_usable = replica.is_usable
            replica.complete_at = None if written is None else self._complete_at(asked.position(), written.history)
            if replica.is_usable != was_usable:
                told = "a replica is not used" if was_usable else "a replica is used"
                _log.info(told, replica=replica.name)

    def _complete_at(self, replayed: _Position | None, history: _History) -> float | None:
        """Return when the primary last had nothing that a replica lacks; None if that is too long ago."""
        if replayed is None or replayed.history != history:
            return None
        of_history = ((at, written.lsn) for at, written in reversed(self._written) if written.history == history)
        return next((at for at, lsn in of_history if lsn <= replayed.lsn), None)

    def close(self) -> None:
        """Stop watching, and close the connections that are not in use."""
        self._over.set()
        for replica in self.replicas:
            replica.complete_at = None
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


class _History(NamedTuple):
    """The history within which positions in the write-ahead log can be compared."""

    epoch: str
    timeline: str


class _Position(NamedTuple):
    """A position in the write-ahead log of a server, and the history that it belongs to."""

    lsn: int
    history: _History


class _Asked:
    """A connection of its own to a server that is asked for a position in the write-ahead log."""

    def __init__(self, connect: _Connect, question: str, *, confirms: bool = False) -> None:
        self._connect = connect
        self._question = question
        self._confirms = confirms
        self._answered: float | None = None
        self._connection: psycopg.Connection[Any] | None = None

    def position(self) -> _Position | None:
        """Return the position, or None if the server does not answer, or is no replica where one is asked."""
        try:
            if self._connection is None:
                self._connection = self._connect()
            if self._confirms and primary.is_unconfirmed(self._answered):
                primary.confirm(self._connection)
            row = self._connection.execute(self._question.encode()).fetchone()
        except (psycopg.Error, OSError):
            self.close()
            return None
        self._answered = time.monotonic()
        return None if row is None or row[0] is None else _Position(int(row[0]), _History(*row[1:]))

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = self._answered = None
