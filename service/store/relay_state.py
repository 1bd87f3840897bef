"""Since when the mail server has taken no mail. The workers put it down, and whoever watches over the service reads it.

Times are those of the database's clock, as the machines that write and read may have others.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, text
from sqlalchemy.orm import Session

_FAILS = text("""
    INSERT INTO relay_state AS kept (one, failing_since) VALUES (true, now())
    ON CONFLICT (one) DO UPDATE SET failing_since = now() WHERE kept.failing_since IS NULL
""")
_WORKS = text("UPDATE relay_state SET failing_since = NULL WHERE failing_since IS NOT NULL")
_SINCE = text("""
    SELECT failing_since FROM relay_state WHERE failing_since <= now() - make_interval(secs => :seconds)
""")


def fails(session: Session) -> None:
    """Put down that a mail could not be handed over, if none could be since the last one that was."""
    session.execute(_FAILS)


def works(session: Session) -> None:
    """Put down that the mail server has taken a mail."""
    session.execute(_WORKS)


def failing_since(connection: Connection, seconds: float) -> datetime | None:
    """Return since when no mail was taken, None if that is less than so many seconds ago, or they are taken."""
    at: datetime | None = connection.scalar(_SINCE, {"seconds": seconds})
    return at
