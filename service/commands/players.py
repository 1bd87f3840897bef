"""Coming to a table and leaving it before the game starts. The last to come starts the game."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from engine.saying import said
from service.access.secrets import Keys
from service.commands import invitations, tables
from service.commands.bounds import Bounds
from service.commands.start import start
from service.errors import NotFound
from service.store.tables import Seat, Table


def join(
    session: Session,
    account: str,
    table_id: str,
    *,
    invitation: str | None,
    entropy: str,
    keys: Keys,
    now: datetime,
    bounds: Bounds | None = None,
) -> None:
    """Take the first free seat; when it is the last one, the game starts.

    `invitation` is the secret of one, needed at a private table (without a good one there is no such game), and used
    up by this; `entropy` the text for the draw (empty: none). Everybody who comes at once is let in one by one, so
    exactly the free seats are given.

    Refuses, each with its own code: already seated, closed, started, full (others took the last seat as you came), an
    invitation that is no longer open; and a seat beyond the `bounds`.
    """
    tables.hold(session, account, alone=bounds is not None)
    came_late = tables.has_started(session, table_id)
    table = tables.locked(session, table_id)
    seats = tables.sitting(session, table)
    if any(seat.account == account for seat in seats):
        raise tables.conflict(session, table, "already_seated", "You sit at this table already.")
    ticket = None if invitation is None else invitations.find(session, table, invitation, keys)
    if ticket is None and (table.visibility == "private" or invitation is not None):
        raise invitations.unknown(table)
    tables.check_not_closed(session, table)
    if came_late:
        raise tables.conflict(session, table, "already_started", "The game has started; all its seats are taken.")
    if len(seats) == table.seats:
        raise tables.conflict(
            session, table, "table_full", said("All %(seats)s seats of this table were just taken.", seats=table.seats)
        )
    if ticket is not None:
        invitations.check_usable(session, table, ticket, now)
        ticket.used_at = now
    if bounds is not None:
        bounds.before_seat(session, account)
    free = min(set(range(table.seats)) - {seat.seat for seat in seats})
    tables.sit(session, table, free, account, entropy, now)
    table.revision += 1
    session.flush()
    if len(seats) + 1 == table.seats:
        start(session, table, tables.sitting(session, table), now)


def give_entropy(session: Session, account: str, table_id: str, entropy: str) -> None:
    """Set one's text for the draw, until the start. It becomes public with the start, for ever."""
    _, seats = _open(session, table_id)
    _own(seats, account).entropy = entropy
    session.flush()


def leave(session: Session, account: str, table_id: str, now: datetime) -> None:
    """Give one's seat back before the start; a maker who leaves closes the table."""
    table, seats = _open(session, table_id)
    _free(session, table, _own(seats, account), now)


def put_out(session: Session, account: str, table_id: str, seat: int, now: datetime) -> None:
    """The maker frees a seat before the start; freeing the own one closes the table."""
    table = tables.locked(session, table_id)
    tables.check_maker(table.maker, account)
    tables.check_open(session, table)
    taken = next((taken for taken in tables.sitting(session, table) if taken.seat == seat), None)
    if taken is None:
        raise NotFound("no_such_player", said("Nobody sits at seat %(seat)s.", seat=seat))
    _free(session, table, taken, now)


def _open(session: Session, table_id: str) -> tuple[Table, Sequence[Seat]]:
    table = tables.locked(session, table_id)
    tables.check_open(session, table)
    return table, tables.sitting(session, table)


def _own(seats: Sequence[Seat], account: str) -> Seat:
    for seat in seats:
        if seat.account == account:
            return seat
    raise tables.not_seated()


def _free(session: Session, table: Table, seat: Seat, now: datetime) -> None:
    if seat.account == table.maker:
        tables.shut(session, table, tables.BY_MAKER, now)
        return
    session.delete(seat)
    table.revision += 1
    session.flush()
