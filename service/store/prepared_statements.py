"""A connection to Postgres whose statements are prepared once each: this module is on the hot path.

psycopg's cursors take any statement and any value, and finding out which takes longer than a short statement does. Here
a statement's text is read once in a process and each connection prepares it once (behind a pooler in transaction mode:
never). Then its values go as they are, and the row that comes back is loaded from its binary form, by psycopg itself.
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
"""The values of a statement by their names: texts, whole numbers, bytes, moments and None. A statement says of which type
each is wherever that does not follow."""

_NAMED = re.compile(r"%\((\w+)\)s")
_TEXT, _BINARY = 0, 1


class _Statement(NamedTuple):
    """As the server takes it, with $1, $2, …, and the names of these."""

    sql: bytes
    names: tuple[str, ...]


@cache  # these are constants of ours
def _statement(text: str) -> _Statement:
    names = tuple(dict.fromkeys(_NAMED.findall(text)))
    return _Statement(_NAMED.sub(lambda found: f"${names.index(found[1]) + 1}", text).encode(), names)


class _Known(NamedTuple):
    """A statement on one connection: the name that it is prepared by (None: it is not), and what loads its rows."""

    statement: _Statement
    name: bytes | None
    loading: abc.Transformer


class PreparedConnection:
    """Runs statements of plain SQL with ``%(name)s`` in it, one after the other.

    `connection` commits by itself, and is given away to this. All waiting is its own.
    """

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self._known: dict[str, _Known] = {}

    @property
    def is_idle(self) -> bool:
        """Whether the next statement can be run on it."""
        return self.connection.pgconn.transaction_status == TransactionStatus.IDLE

    def run(self, text: str, arguments: Arguments) -> Rows:
        """Return the rows that this statement gives. Raises `psycopg.Error`."""
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
        """Ends it."""
        self.connection.close()

    def _prepare(self, text: str) -> _Known:
        statement, name = _statement(text), None
        if self.connection.prepare_threshold is not None:
            name = b"straight %d" % len(self._known)
            self.connection.pgconn.send_prepare(name, statement.sql)
            self._result()
        known = self._known[text] = _Known(statement, name, Transformer(self.connection))
        return known

    def _result(self) -> PGresult:
        """What the server answers to what was sent, waited for as long as the connection will."""
        result: PGresult = self.connection.wait(generators.execute(self.connection.pgconn))[-1]
        if result.status not in (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK):
            raise error_from_result(result, encoding=self.connection.info.encoding)
        return result


def _sent(value: object) -> bytes | None:
    """A value as the server reads it: text, but bytes as they are."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes) or value is None:
        return value
    if isinstance(value, int):
        return b"%d" % value
    if isinstance(value, datetime):
        return value.isoformat().encode()
    raise TypeError(f"{type(value).__name__} is no value of a statement")
