"""Make sure that a connection still leads to the primary, where a standby may have taken its place.

A primary that was suspended, as a virtual machine is while it moves, and that others have replaced meanwhile, does not
know that yet when it goes on. For a moment it answers connections that have been idle, from a state that is no longer
the newest. It can't commit anything, however, as the standby that would have to acknowledge that follows somebody else.
So a connection that has had no answer for `UNCONFIRMED`, or none at all, commits something before it is used. This
suffices if a primary has to be silent for longer before it is replaced than that and the longest wait for an answer
(`service.store.timeouts`) together: docs/OPERATING.md says what to set.

This is done where `DATABASE_URL` asks for a primary with `target_session_attrs`, and has its full effect only where a
commit waits for a standby.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg import generators
from psycopg.conninfo import conninfo_to_dict
from psycopg.errors import _WaitTimeout, error_from_result
from psycopg.pq import ExecStatus
from sqlalchemy import Engine, event
from sqlalchemy.exc import InvalidatePoolError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

UNCONFIRMED = 2.0
"""Seconds after a connection's last answer during which it is used without a commit."""

_WITHIN = 3.0
"""Seconds within which the commit must be acknowledged."""

_COMMIT = b"SELECT pg_logical_emit_message(true, 'nova-luna', '')"
"""A statement that changes nothing, but whose commit is in the write-ahead log."""

_ANSWERED = "answered"


class NotPrimary(psycopg.OperationalError):
    """The server does not commit, so it may be a primary that others have replaced."""


def is_asked_for(database_url: str) -> bool:
    """Return whether this address asks for a primary, so that there may be others."""
    return asks_for_primary(conninfo_to_dict(database_url))


def asks_for_primary(parameters: Mapping[str, Any]) -> bool:
    """Return whether the parameters of a connection ask for a primary."""
    return parameters.get("target_session_attrs") in ("read-write", "primary")


def is_unconfirmed(answered: float | None) -> bool:
    """Return whether a connection whose last answer came then, by `time.monotonic`, has to be confirmed."""
    return answered is None or time.monotonic() - answered > UNCONFIRMED


def confirm(connection: psycopg.Connection[Any]) -> None:
    """Commit something on a connection that is in no transaction.

    Raises:
        NotPrimary: that was not acknowledged in time; the connection is closed.
        psycopg.Error: the connection is broken.
    """
    server = connection.pgconn
    server.send_query(_COMMIT)
    try:
        result = connection.wait(generators.execute(server), timeout=_WITHIN)[-1]
    except _WaitTimeout:
        server.finish()
        raise NotPrimary(f"the database did not commit within {_WITHIN} s") from None
    if result.status != ExecStatus.TUPLES_OK:
        raise error_from_result(result)


def watch(engine: Engine, database_url: str) -> None:
    """Make the engine's pool confirm connections before it hands them out, if this address asks for a primary.

    If an older connection is refused, so are all others, and the pool makes new ones.
    """
    if not is_asked_for(database_url):
        return

    @event.listens_for(engine, "checkout")
    def check(connection: psycopg.Connection[Any], record: ConnectionPoolEntry, proxy: object) -> None:
        answered = record.info.get(_ANSWERED)
        if not is_unconfirmed(answered):
            return
        try:
            confirm(connection)
        except psycopg.Error as error:
            if answered is not None:
                raise InvalidatePoolError(str(error)) from error
            raise OperationalError(None, None, error, connection_invalidated=True) from error

    @event.listens_for(engine, "checkin")
    def note(connection: object, record: ConnectionPoolEntry) -> None:
        record.info[_ANSWERED] = time.monotonic()
