"""Read what the mail about a closed table is composed from, at the time it is sent.

A job may run long after it was queued, or twice, so the function decides by what is true now, and returns None if there
is nothing to say any more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from engine.bots import signature
from service.language.people import People
from service.queries import talk
from service.queries.recipients import Recipient, player
from service.queries.talk import NewMessages
from service.store.accounts import Account
from service.store.tables import Seat, Table


@dataclass(frozen=True, slots=True)
class Closed:
    """A table that was closed before its game started.

    `because` is `maker` or `expired`. `heard` are messages by others that no mail has brought to the reader.
    """

    to: Recipient
    table: str
    because: str
    seats: int
    created_at: datetime
    people: People = field(default_factory=lambda: People(()))
    heard: NewMessages = field(default_factory=NewMessages)


def closed(session: Session, game: str, account: str) -> Closed | None:
    """Return a closed table for a player who sat there; None if the player was erased."""
    table = session.scalar(select(Table).where(Table.id == game))
    to = player(session, account)
    if table is None or to is None or table.closed_at is None:
        return None
    names = select(Seat.seat, Account.name, Seat.bot).outerjoin(Account, Account.id == Seat.account)
    by_seat = {
        seat: name if bot is None else signature(bot)
        for seat, name, bot in session.execute(names.where(Seat.game == table.key))
    }
    people = People(tuple(by_seat.get(seat) for seat in range(table.seats)), None, to.reader.language)
    heard = talk.heard(session, table.key, account)
    return Closed(to, game, table.closed_because or "", table.seats, table.created_at, people, heard)
