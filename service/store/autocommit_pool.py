"""Run statements in autocommit mode, each as a transaction of its own. This module is on the hot path.

Reading a game is one statement, and a move is one more. They avoid everything that costs more than such a statement
itself: BEGIN and COMMIT around it, a ping before it, a reset after it, and layers between psycopg's row and its reader.
`service.store.prepared_statements` runs each statement.

A caller with a session can run the same statements in its transaction: see `statements`.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import psycopg
from sqlalchemy.orm import Session

from service.store import broken_transactions, primary
from service.store.closed_connections import is_gone
from service.store.events import announce_after_commit
from service.store.prepared_statements import Arguments, PreparedConnection, Rows
from service.store.queue import wake_after_commit
from service.store.waking import announce, wake


class Statements(Protocol):
    """An object that runs statements of plain SQL with `%(name)s` parameters."""

    def rows(self, statement: str, arguments: Arguments) -> Rows:
        """Return the rows of a statement. It must change nothing, because it may be run twice."""

    def read(self, statement: str, arguments: Arguments) -> tuple[Any, ...]:
        """Return the only row of a statement that changes nothing."""

    def write(self, statement: str, arguments: Arguments, *, wakes: bool) -> tuple[Any, ...]:
        """Return the only row of a statement that may write.

        It has its effect once, or at most once if this raises. After the commit, its events are announced and, with
        `wakes`, the worker is woken, because it may contain jobs.
        """


class AutocommitPool:
    """A pool of autocommit connections for several threads. Each statement is committed when the method returns.

    `connect` opens a connection in autocommit mode. There are as many connections as threads are using the pool, and
    `most` are kept. The most recently used one is used first, so only a few have to be warm. With `confirms`, one that
    has had no answer for a while has to prove that it leads to the primary (`service.store.primary`).
    """

    def __init__(self, connect: Callable[[], psycopg.Connection[Any]], most: int, *, confirms: bool = False) -> None:
        self._connect = connect
        self._most = most
        self._confirms = confirms
        self._free: deque[PreparedConnection] = deque()

    def read(self, statement: str, arguments: Arguments) -> tuple[Any, ...]:
        """Return the only row of a statement, as `Statements.read` does."""
        return self.rows(statement, arguments)[0]

    def rows(self, statement: str, arguments: Arguments) -> Rows:
        """Return the rows of a statement, as `Statements.rows` does.

        A connection may have died since its last use, as all do when Postgres restarts. Then the statement, which only
        reads, is run again on a new connection.

        Raises:
            psycopg.Error: the statement failed.
        """
        try:
            return self._run(self._taken(), statement, arguments)
        except _Died:
            pass
        try:
            return self._run(self._taken(), statement, arguments)
        except _Died as died:
            raise died.error from None

    def write(self, statement: str, arguments: Arguments, *, wakes: bool) -> tuple[Any, ...]:
        """Return the only row of a statement, as `Statements.write` does. A connection known to be dead is not used.

        The victim of a deadlock is run again: it is known to have been rolled back.

        Raises:
            psycopg.OperationalError: the connection died, and the fate of the statement is unknown; it is not run
                again.
        """
        (row,) = broken_transactions.run(partial(self._written, statement, arguments))
        if wakes:
            wake()
        announce()
        return row

    def _written(self, statement: str, arguments: Arguments) -> Rows:
        connection = self._taken()
        if is_gone(connection.connection):
            connection.close()
            self.close()
            connection = self._taken()
        try:
            return self._run(connection, statement, arguments)
        except _Died as died:
            raise died.error from None

    def close(self) -> None:
        """Close the connections that are not in use."""
        free, self._free = self._free, deque()
        for connection in free:
            connection.close()

    def _taken(self) -> PreparedConnection:
        try:
            connection = self._free.pop()
        except IndexError:
            return self._opened()
        if self._confirms and primary.is_unconfirmed(connection.answered):
            try:
                primary.confirm(connection.connection)
            except psycopg.Error:  # the other connections lead to the same server
                connection.close()
                self.close()
                return self._opened()
        return connection

    def _opened(self) -> PreparedConnection:
        connection = self._connect()
        if self._confirms:
            primary.confirm(connection)
        return PreparedConnection(connection)

    def _run(self, connection: PreparedConnection, statement: str, arguments: Arguments) -> Rows:
        free = self._free
        try:
            rows = connection.run(statement, arguments)
        except psycopg.Error as error:
            if connection.is_idle:
                self._give_back(connection)
                raise
            connection.close()
            if self._free is free:  # the other connections are as old, and probably dead too
                self.close()
            raise _Died(error) from error
        except BaseException:  # in the midst of a statement
            connection.close()
            raise
        self._give_back(connection)
        return rows

    def _give_back(self, connection: PreparedConnection) -> None:
        if self._confirms:
            connection.answered = time.monotonic()
        if len(self._free) < self._most:
            self._free.append(connection)
        else:
            connection.close()


class _Died(Exception):
    """The connection was lost."""

    def __init__(self, error: psycopg.Error) -> None:
        super().__init__(error)
        self.error = error


class _Joined:
    """Statements in the transaction of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def rows(self, statement: str, arguments: Arguments) -> Rows:
        self._session.flush()  # as the session's own queries do
        return [tuple(row) for row in self._session.connection().exec_driver_sql(statement, dict(arguments))]

    def read(self, statement: str, arguments: Arguments) -> tuple[Any, ...]:
        (row,) = self.rows(statement, arguments)
        return row

    def write(self, statement: str, arguments: Arguments, *, wakes: bool) -> tuple[Any, ...]:
        if wakes:
            wake_after_commit(self._session)
        announce_after_commit(self._session)
        return self.read(statement, arguments)


def statements(store: Session | Statements) -> Statements:
    """Return an object that runs statements, in the session's transaction if a session is given."""
    return _Joined(store) if isinstance(store, Session) else store
