"""Queue mails about messages at tables that send no other mail, because the game is over or the table was closed."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.store import blocks, deliveries, mail_kinds, talk
from service.store.queue import defer
from service.store.tables import Seat, Table

MAIL_EVERY = timedelta(hours=1)
"""The shortest time between two mails to a reader about messages at one table."""


def queue_for_all(session: Session, table: Table, now: datetime, *, but: str) -> None:
    """Queue a mail about unmailed messages to everybody at a table except `but`, who sent the latest one.

    Those who have blocked its author get no such mail.
    """
    others = session.scalars(select(Seat.account).where(Seat.game == table.key, Seat.account != but)).all()
    deaf = blocks.blocking_among(session, but, others)
    for account in others:
        if account is not None and account not in deaf:
            queue_for(session, table.id, account, now)


def queue_for(session: Session, game: str, account: str, now: datetime) -> None:
    """Queue a mail to an account about messages at the table with this id that were not yet mailed to it.

    If such a mail was sent within the last hour, the next one waits until that hour is over. A mail that would contain
    nothing is not sent.
    """
    key = session.scalar(select(Table.key).where(Table.id == game))
    number = None if key is None else talk.last_number(session, key)
    if number is None:
        return
    mailed = deliveries.last_sent(session, account, game, "talk")
    later = None if mailed is None or mailed + MAIL_EVERY <= now else mailed + MAIL_EVERY
    ids: dict[str, int | str] = {"game": game, "account": account, "message": number}
    defer(session, "mail_talk", ids, queueing_lock=mail_kinds.TALK.lock(game=game, account=account), scheduled_at=later)
