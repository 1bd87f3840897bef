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


#: Revisions and message numbers are counters that clients remember, so all of them jump ahead.
_RENEW = (
    (
        "UPDATE epoch SET value = left(replace(gen_random_uuid()::text, '-', ''), 8),"
        " counted_from = counted_from + 1000000"
    ),
    "UPDATE tables SET revision = revision + 1000 + floor(random() * 1000000)::integer WHERE revision < 1000000000",
)


def renew(connection: Connection) -> str:
    """Start a new epoch, in the connection's transaction and as the owner of the tables, and return its name."""
    for statement in _RENEW:
        connection.execute(text(statement))
    return str(connection.scalar(text("SELECT value FROM epoch")))
