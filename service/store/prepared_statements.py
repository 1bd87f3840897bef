"""Run prepared statements on a connection to Postgres. This module is on the hot path.

psycopg's cursors accept any statement and any value, and analyzing them takes longer than a short statement itself.
Here a statement's text is parsed once in a process, and prepared once on each connection (never behind a pooler in
transaction mode). Then its values are sent as they are, and psycopg loads the returned rows from their binary form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from types import NoneType
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


class _Forms(dict[type, Callable[[Any], bytes | None]]):
    """The functions that bring values into the form in which they are sent, by type; subtypes are found, too."""

    def __missing__(self, kind: type) -> Callable[[Any], bytes | None]:
        for known, form in tuple(self.items()):
            if issubclass(kind, known):
                self[kind] = form
                return form
        raise TypeError(f"{kind.__name__} is no type of a value of a statement")


_FORMS = _Forms(
    {
        str: str.encode,
        bytes: bytes,  # the only ones in binary form
        int: b"%d".__mod__,
        datetime: lambda at: at.isoformat().encode(),
        NoneType: lambda _: None,
    }
)


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

    Attributes:
        answered: when a pool that minds it had its last answer, by the monotonic clock.
    """

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self.answered = 0.0
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
        given = [arguments[name] for name in known.statement.names]
        formats = [_BINARY if isinstance(value, bytes) else _TEXT for value in given]
        values = [_FORMS[type(value)](value) for value in given]
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
