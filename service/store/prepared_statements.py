"""Run prepared statements on a connection to Postgres. This module is on the hot path.

psycopg's cursors accept any statement and any value, and analyzing them takes longer than a short statement itself.
Here a statement's text is parsed once in a process, and prepared once on each connection (never behind a pooler in
transaction mode). Then its values are sent as they are, and psycopg loads the returned rows from their binary form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import psycopg
from psycopg import abc, generators
from psycopg.adapt import Transformer
from psycopg.errors import error_from_result
from psycopg.pq import ExecStatus, TransactionStatus
from psycopg.pq.abc import PGresult

Rows = list[tuple[Any, ...]]

Arguments = Mapping[str, object]
"""The values of a statement by name: texts, integers, bytes, times and None.

The statement states the type of each value wherever it does not follow from the context.
"""

_NAMED = re.compile(r"%\((\w+)\)s")
_TEXT, _BINARY = 0, 1


class _Statement(NamedTuple):
    """A statement in the form of the server, with $1, $2, …, and the names of these parameters."""

    sql: bytes
    names: tuple[str, ...]


@cache  # the statements are constants
def _statement(text: str) -> _Statement:
    names = tuple(dict.fromkeys(_NAMED.findall(text)))
    return _Statement(_NAMED.sub(lambda found: f"${names.index(found[1]) + 1}", text).encode(), names)


class _Known(NamedTuple):
    """A statement on one connection: its prepared name (None if it is not prepared), and the loader of its rows."""

    statement: _Statement
    name: bytes | None
    loading: abc.Transformer


class PreparedConnection:
    """A connection that runs statements of plain SQL with `%(name)s` parameters, one after the other.

    `connection` is in autocommit mode, and is owned by this object. Its time-outs apply.
    """

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self._known: dict[str, _Known] = {}

    @property
    def is_idle(self) -> bool:
        """True if another statement can be run on the connection."""
        return self.connection.pgconn.transaction_status == TransactionStatus.IDLE

    def run(self, text: str, arguments: Arguments) -> Rows:
        """Run a statement and return its rows.

        Raises:
            psycopg.Error: the statement failed.
        """
        known = self._known.get(text) or self._prepare(text)
        values: list[bytes | None] = []
        formats = []
        for name in known.statement.names:
            value = arguments[name]
            formats.append(_BINARY if isinstance(value, bytes) else _TEXT)
            values.append(_sent(value))
        server = self.connection.pgconn
        if known.name is None:
            server.send_query_params(known.statement.sql, values, None, formats, _BINARY)
        else:
            server.send_query_prepared(known.name, values, formats, _BINARY)
        result = self._result()
        known.loading.set_pgresult(result)
        return known.loading.load_rows(0, result.ntuples, tuple)

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def _prepare(self, text: str) -> _Known:
        statement, name = _statement(text), None
        if self.connection.prepare_threshold is not None:
            name = b"statement %d" % len(self._known)
            self.connection.pgconn.send_prepare(name, statement.sql)
            self._result()
        known = self._known[text] = _Known(statement, name, Transformer(self.connection))
        return known

    def _result(self) -> PGresult:
        """Wait for the server's result, as long as the connection's time-out allows."""
        result: PGresult = self.connection.wait(generators.execute(self.connection.pgconn))[-1]
        if result.status not in (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK):
            raise error_from_result(result, encoding=self.connection.info.encoding)
        return result


def _sent(value: object) -> bytes | None:
    """Return a value in the form that the server reads: text, except bytes, which stay as they are."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes) or value is None:
        return value
    if isinstance(value, int):
        return b"%d" % value
    if isinstance(value, datetime):
        return value.isoformat().encode()
    raise TypeError(f"{type(value).__name__} is no value of a statement")
