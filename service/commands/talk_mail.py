"""Calling for mails of what was said at a table that calls for no other mail any more: its game is over, or it was closed."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.store import deliveries, talk
from service.store.queue import defer
from service.store.tables import Seat, Table

MAIL_EVERY = timedelta(hours=1)
"""So long nobody is mailed again what is said at one table."""


def call_for_all(session: Session, table: Table, now: datetime, *, but: str) -> None:
    """Have everybody at a table mailed what they were not told yet, but for the account that has just said it."""
    for account in session.scalars(select(Seat.account).where(Seat.game == table.key, Seat.account != but)):
        call_for(session, table.id, account, now)


def call_for(session: Session, game: str, account: str, now: datetime) -> None:
    """Have an account mailed what it was not told yet of the talk at the table with this id; if it was mailed about that
    within the last hour, when that is over. A mail that finds nothing to tell is not sent."""
    key = session.scalar(select(Table.key).where(Table.id == game))
    number = None if key is None else talk.last_number(session, key)
    if number is None:
        return
    mailed = deliveries.last_sent(session, account, game, "talk")
    later = None if mailed is None or mailed + MAIL_EVERY <= now else mailed + MAIL_EVERY
    ids: dict[str, int | str] = {"game": game, "account": account, "message": number}
    defer(session, "mail_talk", ids, queueing_lock=f"talk:{game}:{account}", scheduled_at=later)
