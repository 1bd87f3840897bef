"""Name the current history of the database: 8 random hex digits, renewed if it continues from an earlier state.

After a restore, or a failover to a server that lacked the latest changes, counters reach the same numbers again. So
whatever is identified by a counter and sent to clients carries this name, unless it carries the head of a game's log.
"""

from __future__ import annotations

from sqlalchemy import Connection, text
from sqlalchemy.orm import Session


def current(session: Session) -> str:
    """Return the current epoch of the database."""
    return str(session.scalar(text("SELECT value FROM epoch")))


TIMELINE = "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)"
"""The SQL of the timeline of a primary, which is a new one whenever a standby or a recovered server is promoted."""

NEW_NAME = "left(replace(gen_random_uuid()::text, '-', ''), 8)"
"""The SQL of the name of a new epoch."""

FURTHER = "counted_from + 200000 + floor(random() * 200000)::integer"
"""The SQL of where a new epoch counts from.

Revisions of tables and numbers of messages are counters that clients remember, so each jumps there with its next
change. The place is random, since the same backup may be restored twice.
"""

NEXT_REVISION = "greatest(tables.revision, (SELECT counted_from FROM epoch)) + 1"
"""The SQL of the next revision of a table."""

_RENEW = f"UPDATE epoch SET value = {NEW_NAME}, counted_from = {FURTHER}, timeline = {TIMELINE}"


def next_revision(session: Session, revision: int) -> int:
    """Return the revision that follows the given one of a table."""
    counted_from: int = session.scalar(text("SELECT counted_from FROM epoch")) or 0
    return max(revision, counted_from) + 1


def renew(connection: Connection) -> str:
    """Start a new epoch, in the connection's transaction, and return its name."""
    connection.execute(text(_RENEW))
    return str(connection.scalar(text("SELECT value FROM epoch")))
