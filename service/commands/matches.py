"""Open a table for a match. With bots at all other seats, its game starts at once."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from engine.clock.terms import ABANDONED_AFTER, Terms
from service.commands import tables
from service.commands.account_limits import AccountLimits
from service.commands.bots import NAME
from service.commands.start import start
from service.store.tables import Seat, Table


def open_match(
    session: Session,
    account: str,
    *,
    seats: int,
    goal_discs: int,
    visibility: str,
    bots: int = 0,
    entropy: str = "",
    hints: bool = True,
    terms: Terms | None = None,
    abandoned_after: timedelta = ABANDONED_AFTER,
    now: datetime,
    bounds: AccountLimits | None = None,
) -> Table:
    """Open a table for a match, with the account at seat 0 and bots at the last seats.

    Args:
        session: the transaction.
        account: the player who makes the table.
        seats: the number of seats, 2 to 4.
        goal_discs: the number of discs each player starts with.
        visibility: `public` or `private`.
        bots: the number of seats that bots play, less than `seats`. If they are all but one, the game starts.
        entropy: the player's text for the draw; empty for none.
        hints: whether mails of this game may show hints.
        terms: the table's clock; None for no clock.
        abandoned_after: the time after which a game ends that nobody goes on with.
        now: the time of the request.
        bounds: the limits of the account; None for no limit.
    """
    table = tables.create(
        session,
        account,
        kind="match",
        seats=seats,
        goal_discs=goal_discs,
        visibility=visibility,
        hints=hints,
        terms=terms,
        abandoned_after=abandoned_after,
        now=now,
        bounds=bounds,
    )
    if entropy:
        session.get_one(Seat, (table.key, 0)).entropy = entropy
    seat_bots(session, table, range(seats - bots, seats), now)
    return table


def seat_bots(session: Session, table: Table, seats: Iterable[int], now: datetime) -> None:
    """Give free seats of a new table to bots; if no seat is left, start the game."""
    for seat in seats:
        tables.seat_bot(session, table, seat, NAME, now)
    taken = tables.taken_seats(session, table)
    if len(taken) == table.seats:
        start(session, table, taken, now)
