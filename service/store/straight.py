"""Statements that are a transaction each, straight at Postgres: this module is on the hot path.

A GET of a game is one statement, a move is one more. So they go without what others need and which costs more than such
a statement itself: no BEGIN and COMMIT around it, no ping before it, no reset after it, no layers between psycopg's row
and its reader. `service.store.prepared_statements` has how one is run.

Who has a session joins its transaction by the same two methods: see `statements`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

import psycopg
from sqlalchemy.orm import Session

from service.store.liveness import is_gone
from service.store.prepared_statements import Arguments, PreparedConnection, Rows
from service.store.queue import wake_after_commit
from service.store.waking import wake


class Statements(Protocol):
    """Runs statements of plain SQL with ``%(name)s`` in it."""

    def rows(self, statement: str, arguments: Arguments) -> Rows:
        """Return the rows that it gives. It must change nothing: it may be run twice."""

    def read(self, statement: str, arguments: Arguments) -> tuple[Any, ...]:
        """Return the one row that it gives; else as `rows`."""

    def write(self, statement: str, arguments: Arguments, *, wakes: bool) -> tuple[Any, ...]:
        """The row that it gives. It is run once or, if this raises, at most once. `wakes`: there may be jobs in it, so
        the worker is woken once it is committed."""


class Straight:
    """Each statement on its own, committed when the method returns. For several threads.

    `connect` makes a connection that commits by itself. There are as many as threads are here at once, and `most` are
    kept; the one used last is used first, so few of them have to be warm.
    """

    def __init__(self, connect: Callable[[], psycopg.Connection[Any]], most: int) -> None:
        self._connect = connect
        self._most = most
        self._free: deque[PreparedConnection] = deque()

    def read(self, statement: str, arguments: Arguments) -> tuple[Any, ...]:
        """As `Statements.read`, and `rows` here."""
        return self.rows(statement, arguments)[0]

    def rows(self, statement: str, arguments: Arguments) -> Rows:
        """As `Statements.rows`. A connection that has died since it was used last, as all do when Postgres is
        restarted, shows it now; what only reads is then run again, on a connection that is new. Raises `psycopg.Error`.
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
        """As `Statements.write`. If the connection dies, nobody knows what became of the statement: it is not run
        again, the caller sees the `psycopg.OperationalError`. One that is known to have died before is not used."""
        connection = self._taken()
        if is_gone(connection.connection):
            connection.close()
            self.close()
            connection = self._taken()
        try:
            (row,) = self._run(connection, statement, arguments)
        except _Died as died:
            raise died.error from None
        if wakes:
            wake()
        return row

    def close(self) -> None:
        """Closes the connections that nobody uses now."""
        free, self._free = self._free, deque()
        for connection in free:
            connection.close()

    def _taken(self) -> PreparedConnection:
        try:
            return self._free.pop()
        except IndexError:
            return PreparedConnection(self._connect())

    def _run(self, connection: PreparedConnection, statement: str, arguments: Arguments) -> Rows:
        free = self._free
        try:
            rows = connection.run(statement, arguments)
        except psycopg.Error as error:
            if connection.is_idle:
                self._give_back(connection)
                raise
            connection.close()
            if self._free is free:  # what else is in it is as old, and likely as dead
                self.close()
            raise _Died(error) from error
        except BaseException:  # in the midst of a statement
            connection.close()
            raise
        self._give_back(connection)
        return rows

    def _give_back(self, connection: PreparedConnection) -> None:
        if len(self._free) < self._most:
            self._free.append(connection)
        else:
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

    def rows(self, statement: str, arguments: Arguments) -> Rows:
        self._session.flush()  # as the session's own queries do
        return [tuple(row) for row in self._session.connection().exec_driver_sql(statement, dict(arguments))]

    def read(self, statement: str, arguments: Arguments) -> tuple[Any, ...]:
        (row,) = self.rows(statement, arguments)
        return row

    def write(self, statement: str, arguments: Arguments, *, wakes: bool) -> tuple[Any, ...]:
        if wakes:
            wake_after_commit(self._session)
        return self.read(statement, arguments)


def statements(store: Session | Statements) -> Statements:
    """Runs statements in the session's transaction, where a session is given."""
    return _Joined(store) if isinstance(store, Session) else store
