"""A name of this history of the database: 8 hex digits by chance, renewed where it goes on from an earlier state.

After a restore, and after a failover to a server that had not got all, counters come to the same numbers again. So what
is named by a counter and leaves the house carries this, where it can't carry the head of a game's log.
"""

from __future__ import annotations

from sqlalchemy import Connection, text
from sqlalchemy.orm import Session


def current(session: Session) -> str:
    """Return the epoch that the database is in."""
    return str(session.scalar(text("SELECT value FROM epoch")))


#: Revisions and the numbers of messages are counters too, and clients hold them: all leap ahead.
_RENEW = (
    (
        "UPDATE epoch SET value = left(replace(gen_random_uuid()::text, '-', ''), 8),"
        " counted_from = counted_from + 1000000"
    ),
    "UPDATE tables SET revision = revision + 1000 + floor(random() * 1000000)::integer WHERE revision < 1000000000",
)


def renew(connection: Connection) -> str:
    """Begin a new epoch, in the connection's transaction, as the owner of the tables; return its name."""
    for statement in _RENEW:
        connection.execute(text(statement))
    return str(connection.scalar(text("SELECT value FROM epoch")))
