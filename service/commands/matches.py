"""Open a table for a match. With bots at all other seats, its game starts at once."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy.orm import Session

from service.commands import tables
from service.commands.account_limits import AccountLimits
from service.commands.bots import NAME
from service.commands.start import start
from service.commands.tables import TableSettings
from service.store.tables import Seat, Table


def open_match(
    session: Session,
    account: str,
    settings: TableSettings,
    *,
    bots: int = 0,
    entropy: str = "",
    now: datetime,
    bounds: AccountLimits | None = None,
) -> Table:
    """Open a table for a match, with the account at seat 0 and bots at the last seats.

    Args:
        session: the transaction.
        account: the player who makes the table.
        settings: the settings of the table.
        bots: the number of seats that bots play, less than all. If they are all but one, the game starts.
        entropy: the player's text for the draw; empty for none.
        now: the time of the request.
        bounds: the limits of the account; None for no limit.
    """
    table = tables.create(session, account, settings, now=now, bounds=bounds)
    if entropy:
        session.get_one(Seat, (table.key, 0)).entropy = entropy
    seat_bots(session, table, range(table.seats - bots, table.seats), now)
    return table


def seat_bots(session: Session, table: Table, seats: Iterable[int], now: datetime) -> None:
    """Give free seats of a new table to bots; if no seat is left, start the game."""
    for seat in seats:
        tables.seat_bot(session, table, seat, NAME, now)
    taken = tables.taken_seats(session, table)
    if len(taken) == table.seats:
        start(session, table, taken, now)
