"""Read what an invitation's mail is composed from, at the time it is sent.

A job may run long after it was queued, or twice, so the function decides by what is true now, and returns None if there
is nothing to say any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from engine.clock.durations import parse
from engine.clock.terms import ABANDONED_AFTER, Terms
from service.language.languages import Reader, language
from service.language.people import People
from service.queries.recipients import Recipient, addressee, player, reader_for
from service.queries.table import load
from service.store import blocks
from service.store.accounts import Account
from service.store.invitations import Invitation
from service.store.tables import Table


@dataclass(frozen=True, slots=True)
class Invited:
    """A valid invitation. `sitting` are those at the table, `people` their names; `inviter` is one of them, or None.

    `is_rematch` is whether the table was opened for a rematch. `terms` are the table's clock and ladder; None if there
    is no clock.
    """

    to: Recipient
    invitation: str
    table: str
    inviter: str | None
    people: People
    sitting: tuple[int, ...]
    seats: int
    goal_discs: int
    commitment: str
    expires_at: datetime
    is_rematch: bool = False
    terms: Terms | None = None
    abandoned_after: timedelta = ABANDONED_AFTER


def invitation(session: Session, id: str, now: datetime) -> Invited | None:
    """Return an invitation that is still valid, to a table that is still open, or None.

    There is none between two players of whom one has blocked the other.
    """
    row = session.get(Invitation, id)
    if row is None or row.state(now) != "open":
        return None
    game = session.scalar(select(Table.id).where(Table.key == row.game))
    table = None if game is None else load(session, game)
    if table is None or table.status != "open":
        return None
    inviter = None if row.invited_by is None else session.get(Account, row.invited_by)
    if row.account is not None:
        to = player(session, row.account)
    elif row.email is not None:
        stranger = Reader() if inviter is None else reader_for(inviter)
        if row.language is not None:
            stranger = Reader(language(row.language), stranger.zone)
        to = addressee(session, row.email, stranger)
    else:
        to = None
    if to is None:
        return None
    if inviter is not None and to.account is not None and blocks.are_apart(session, inviter.id, to.account):
        return None
    return Invited(
        to=to,
        invitation=row.id,
        table=table.table.id,
        inviter=None if inviter is None else inviter.name,
        people=People(table.names, None, to.reader.language),
        sitting=tuple(player.seat for player in table.players),
        seats=table.table.seats,
        goal_discs=table.table.goal_discs,
        commitment=table.table.commitment.hex(),
        expires_at=row.expires_at,
        terms=table.terms,
        abandoned_after=parse(table.table.abandoned_after),
        is_rematch=session.scalar(select(exists().where(Table.rematch == table.table.id))) is True,
    )
