"""Statements that are a transaction each, straight at Postgres: this module is on the hot path.

A GET of a game is one statement, a move is one more. So they go without what others need and which costs more than such
a statement itself: no BEGIN and COMMIT around it, no ping before it, no reset after it, no layers between psycopg's row
and its reader. Each connection prepares each statement once (behind a pooler in transaction mode: never) and takes the
binary form of what comes back.

Who has a session joins its transaction by the same two methods: see `statements`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import psycopg
from psycopg.pq import TransactionStatus
from sqlalchemy import URL, Engine, create_engine
from sqlalchemy.orm import Session

from service.store.alive import is_gone
from service.store.queue import wake_after_commit
from service.store.waking import wake

Arguments = Mapping[str, object]


class Statements(Protocol):
    """Runs statements of plain SQL with ``%(name)s`` in it, each of which gives one row."""

    def read(self, statement: str, arguments: Arguments) -> tuple[Any, ...]:
        """The row that it gives. It must change nothing: it may be run twice."""

    def write(self, statement: str, arguments: Arguments, *, wakes: bool) -> tuple[Any, ...]:
        """The row that it gives. It is run once or, if this raises, at most once. `wakes`: there may be jobs in it, so
        the worker is woken once it is committed."""


class Straight:
    """Each statement on its own, committed when the method returns. For several threads.

    `engine` is made by `make_engine` and given away to this.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def read(self, statement: str, arguments: Arguments) -> tuple[Any, ...]:
        """As `Statements.read`. A connection that has died since it was used last, as all do when Postgres is
        restarted, shows it now; what only reads is then run again, on a connection that is new. Raises `psycopg.Error`.
        """
        try:
            return self._run(statement, arguments)
        except _Died:
            pass
        try:
            return self._run(statement, arguments)
        except _Died as died:
            raise died.error from None

    def write(self, statement: str, arguments: Arguments, *, wakes: bool) -> tuple[Any, ...]:
        """As `Statements.write`. If the connection dies, nobody knows what became of the statement: it is not run
        again, the caller sees the `psycopg.OperationalError`. One that is known to have died before is not used."""
        try:
            row = self._run(statement, arguments, only_once=True)
        except _Died as died:
            raise died.error from None
        if wakes:
            wake()
        return row

    def close(self) -> None:
        """Closes the connections that nobody uses now."""
        self._engine.dispose()

    def _run(self, statement: str, arguments: Arguments, *, only_once: bool = False) -> tuple[Any, ...]:
        pool = self._engine.pool
        connection = self._engine.raw_connection()
        if only_once and is_gone(connection.driver_connection):  # type: ignore[arg-type]
            connection.invalidate()
            self._engine.dispose()
            pool, connection = self._engine.pool, self._engine.raw_connection()
        try:
            # A cursor that runs the same statement again need not find out anew how to read its types.
            cursor = connection.info.get(statement)
            if cursor is None:
                made: psycopg.Connection[Any] = connection.driver_connection  # type: ignore[assignment]
                cursor = connection.info[statement] = made.cursor(binary=True)
            row: tuple[Any, ...] | None = cursor.execute(statement, arguments, prepare=True).fetchone()
            assert row is not None, "each of these statements gives a row"
            return row
        except psycopg.Error as error:
            driver = connection.driver_connection
            if driver is not None and driver.info.transaction_status == TransactionStatus.IDLE:
                raise
            connection.invalidate(error)
            if self._engine.pool is pool:  # what else is in it is as old, and likely as dead
                self._engine.dispose()
            raise _Died(error) from error
        except BaseException as error:  # in the midst of a statement: nothing is reset when it goes back to the pool
            connection.invalidate(error)
            raise
        finally:
            connection.close()


class _Died(Exception):
    """The connection is gone."""

    def __init__(self, error: psycopg.Error) -> None:
        super().__init__(error)
        self.error = error


class _Joined:
    """Statements in the transaction of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def read(self, statement: str, arguments: Arguments) -> tuple[Any, ...]:
        return tuple(self._session.connection().exec_driver_sql(statement, dict(arguments)).one())

    def write(self, statement: str, arguments: Arguments, *, wakes: bool) -> tuple[Any, ...]:
        if wakes:
            wake_after_commit(self._session)
        return self.read(statement, arguments)


def statements(store: Session | Statements) -> Statements:
    """Runs statements in the session's transaction, where a session is given."""
    return _Joined(store) if isinstance(store, Session) else store


def make_engine(url: URL, connections: int, patience: float, connect_args: Mapping[str, object]) -> Engine:
    """The engine for a `Straight`: so many connections, for one of which a thread waits so many seconds.

    The one used last is used first: so few of them have to be warm.
    """
    return create_engine(
        url,
        isolation_level="AUTOCOMMIT",
        pool_size=connections,
        max_overflow=0,
        pool_timeout=patience,
        pool_use_lifo=True,
        pool_reset_on_return=None,
        hide_parameters=True,
        connect_args=dict(connect_args),
    )
