"""Tell the time by the database's clock, which all machines of a host share.

One machine writes times that another one compares with its own: when a code expires, when a limit's window ends, when a
job is due. So the service uses the time of the database. It asks for that now and then, and in between continues from
the answer with a monotonic clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import NamedTuple

import psycopg
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

from service.store.autocommit_pool import Statements

_EVERY = 30.0
"""Seconds for which an answer is used."""

_AGAIN = 5.0
"""Seconds before a database that was away is asked again."""

_STEP = 1.0
"""Seconds that the machine's own clock may drift. Beyond that it was set, or the machine was suspended."""

_NOW = "SELECT clock_timestamp()"


class _Known(NamedTuple):
    """The time of the database at one moment, and the times of this machine's monotonic and wall clocks."""

    at: datetime
    ticks: float
    wall: float


class DatabaseClock:
    """A clock that returns the time in UTC by the database, or by this machine until the database has answered.

    The time is cut to milliseconds, as in records: the database rounds to them, so with more digits what came first
    could seem to come later.

    It can be used by several threads: one asks, and the others use what is known.

    Args:
        ask: returns the database's time.
        ticks: this machine's monotonic clock, in seconds.
        wall: this machine's wall clock, in seconds.
    """

    def __init__(
        self,
        ask: Callable[[], datetime],
        ticks: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._ask, self._ticks, self._wall = ask, ticks, wall
        self._known: _Known | None = None
        self._next = float("-inf")
        self._lock = Lock()

    def __call__(self) -> datetime:
        ticks, wall = self._ticks(), self._wall()
        known = self._known
        if ticks >= self._next or (known is not None and abs(wall - known.wall - ticks + known.ticks) > _STEP):
            known = self._asked() or known
        if known is None:
            return _cut(datetime.fromtimestamp(wall, UTC))
        return _cut(known.at + timedelta(seconds=self._ticks() - known.ticks))

    def skew(self) -> timedelta:
        """Return by how much the database's clock is ahead of this machine's."""
        return self() - datetime.fromtimestamp(self._wall(), UTC)

    def _asked(self) -> _Known | None:
        if not self._lock.acquire(blocking=False):
            return None
        try:
            began = self._ticks()
            self._next = began + _AGAIN
            at = self._ask()
            ticks = self._ticks()
            # The database read its clock at some point between question and answer.
            self._known = _Known(at + timedelta(seconds=(ticks - began) / 2), ticks, self._wall())
            self._next = ticks + _EVERY
            return self._known
        except (psycopg.Error, SQLAlchemyError):
            if self._known is not None:  # so that the next call does not ask again at once
                self._known = self._known._replace(wall=self._wall() - self._ticks() + self._known.ticks)
            return None
        finally:
            self._lock.release()


def read(session: Session) -> datetime:
    """Return the time of the database in UTC, cut to milliseconds, read in the session's transaction."""
    at: datetime = session.scalar(text(_NOW))
    return _cut(at.astimezone(UTC))


def _cut(at: datetime) -> datetime:
    """Return a time cut to milliseconds."""
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def by_statements(store: Statements) -> DatabaseClock:
    """Return the database's clock, asked through the autocommit connections of the hot path."""
    return DatabaseClock(lambda: store.read(_NOW, {})[0].astimezone(UTC))


def by_sessions(sessions: sessionmaker[Session]) -> DatabaseClock:
    """Return the database's clock, asked through sessions."""

    def ask() -> datetime:
        with sessions() as session:
            session.connection(execution_options={"isolation_level": "AUTOCOMMIT"})
            at: datetime = session.scalar(text(_NOW))
            return at.astimezone(UTC)

    return DatabaseClock(ask)
