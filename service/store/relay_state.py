"""Store since when the mail server has accepted no mail. The workers write it, and health checks read it.

Times are those of the database's clock, because the machines that write and read may have different ones.
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
    """Record that a mail could not be handed over, if none could since the last success."""
    session.execute(_FAILS)


def works(session: Session) -> None:
    """Record that the mail server has accepted a mail."""
    session.execute(_WORKS)


def failing_since(connection: Connection, seconds: float) -> datetime | None:
    """Return since when no mail was accepted; None if mail is accepted, or if that is less than `seconds` ago."""
    at: datetime | None = connection.scalar(_SINCE, {"seconds": seconds})
    return at
