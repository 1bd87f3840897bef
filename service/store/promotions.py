"""Notice that another server has become the primary, and begin a new epoch if it may lack the last changes.

A standby that becomes the primary begins a new timeline, whose number is in the names of its write-ahead log files. The
epoch (`service.store.epoch`) is stored with the timeline that it was last seen on. Each new connection compares the two
before anything else is done with it. If they differ, another server has taken over since. Where a commit waits for a
standby (`synchronous_standby_names`), that server has everything that was acknowledged, and history goes on. Otherwise
the last changes may be lost, and a new epoch begins, before anybody reads or writes anything here.

A process that has seen a timeline uses no server of an earlier one any more: that would be a former primary which does
not know yet that it was replaced.

This is done where the address asks for a primary with `target_session_attrs`.
"""

from __future__ import annotations

from typing import Any

import psycopg
import structlog
from psycopg import generators
from psycopg.abc import PQGen
from psycopg.pq import DiagnosticField, ExecStatus

from service.store import epoch
from service.store.primary import NotPrimary, asks_for_primary

WITHIN = 3.0
"""Seconds within which the database must say on which timeline it is."""

_IS_SYNCHRONOUS = """(current_setting('synchronous_standby_names') <> ''
       AND current_setting('synchronous_commit') IN ('on', 'remote_apply'))"""

_NOTICE = f"""
UPDATE epoch SET timeline = {epoch.TIMELINE},
       value = CASE WHEN {_IS_SYNCHRONOUS} THEN value ELSE {epoch.NEW_NAME} END,
       counted_from = CASE WHEN {_IS_SYNCHRONOUS} THEN counted_from ELSE {epoch.FURTHER} END
 WHERE timeline IS DISTINCT FROM {epoch.TIMELINE} RETURNING value;
SELECT {epoch.TIMELINE}, system_identifier::text FROM pg_control_system()
""".encode()

_UNKNOWN = (b"42P01", b"42703")
"""The SQLSTATEs of a database whose schema is earlier than the column, or which has none."""

_log = structlog.get_logger(__name__)

_newest: dict[str, str] = {}
"""The newest timeline that this process has seen, by the identifier that a primary and its standbys share."""


def look(connection: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> PQGen[None]:
    """Ask on a new connection for the timeline, and begin a new epoch if need be.

    Raises:
        NotPrimary: the server is not the newest primary that this process knows, or can't say.
    """
    server = connection.pgconn
    if not asks_for_primary(connection.info.get_parameters()):
        return
    server.send_query(_NOTICE)
    results = yield from generators.execute(server)
    noticed = results[-1]
    if noticed.status != ExecStatus.TUPLES_OK:
        if noticed.error_field(DiagnosticField.SQLSTATE) in _UNKNOWN:
            return
        raise NotPrimary(f"the database did not say on which timeline it is: {noticed.error_message.decode()}")
    if results[0].ntuples:
        _log.warning("another database server has become the primary", epoch=_text(results[0].get_value(0, 0)))
    _compare(_text(noticed.get_value(0, 0)), _text(noticed.get_value(0, 1)))


def silent() -> NotPrimary:
    """Return the error of a database that has not said on which timeline it is."""
    return NotPrimary(f"the database did not say within {WITHIN} s on which timeline it is")


def _compare(timeline: str, system: str) -> None:
    """Remember the timeline of a server.

    Raises:
        NotPrimary: this process has seen a later one.
    """
    newest = max(timeline, _newest.get(system, ""))
    if timeline < newest:
        raise NotPrimary(f"the database is on timeline {timeline}, and was replaced by a server on {newest}")
    _newest[system] = newest


def _text(value: bytes | None) -> str:
    assert value is not None, "none of the columns is null"
    return value.decode()
