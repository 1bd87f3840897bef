"""The clock of the database, which all machines of a host share.

What one machine writes by its own clock another one compares with its own: whether a code has expired, a limit's window is
over, a job is due. So the time that the service goes by is the database's. It is asked for now and then, and reckoned on
in between by a clock that nobody sets.
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

from service.store.straight import Statements

_EVERY = 30.0
"""Seconds for which the answer is reckoned on."""

_AGAIN = 5.0
"""Seconds after which a database that was away is asked again."""

_STEP = 1.0
"""Seconds by which the machine's own clock may run apart: beyond, it was set, or the machine was suspended."""

_NOW = "SELECT clock_timestamp()"


class _Known(NamedTuple):
    """What the database's clock said, and what this machine's said then: the one that nobody sets, and the other."""

    at: datetime
    ticks: float
    wall: float


class DatabaseClock:
    """Tells the time in UTC, as the database has it; as this machine has it until that has answered for the first time.

    `ask` gives the database's time; `ticks` and `wall` are this machine's clocks, in seconds. For several threads: one
    asks, and the others go by what is known.
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
            return datetime.fromtimestamp(wall, UTC)
        return known.at + timedelta(seconds=self._ticks() - known.ticks)

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
            # It was read somewhere on the way there and back.
            self._known = _Known(at + timedelta(seconds=(ticks - began) / 2), ticks, self._wall())
            self._next = ticks + _EVERY
            return self._known
        except (psycopg.Error, SQLAlchemyError):
            if self._known is not None:  # not for each call anew, whatever the machine's clock was set to
                self._known = self._known._replace(wall=self._wall() - self._ticks() + self._known.ticks)
            return None
        finally:
            self._lock.release()


def by_statements(store: Statements) -> DatabaseClock:
    """Return the clock of a database that is asked by the hot path's connections."""
    return DatabaseClock(lambda: store.read(_NOW, {})[0].astimezone(UTC))


def by_sessions(sessions: sessionmaker[Session]) -> DatabaseClock:
    """Return the clock of a database that is asked by sessions."""

    def ask() -> datetime:
        with sessions() as session:
            session.connection(execution_options={"isolation_level": "AUTOCOMMIT"})
            at: datetime = session.scalar(text(_NOW))
            return at.astimezone(UTC)

    return DatabaseClock(ask)
