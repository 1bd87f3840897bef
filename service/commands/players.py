"""Take and give up seats at a table before its game starts. Taking the last seat starts the game."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from engine.phrases import phrase
from service.access.secrets import Keys
from service.commands import blocks, invitation_links, invitations, tables
from service.commands.account_limits import AccountLimits
from service.commands.expectation import Expectation
from service.commands.start import start
from service.errors import NotFound
from service.store import epoch
from service.store.blocks import blocking_among
from service.store.invitations import Invitation, InvitationLink
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
    bounds: AccountLimits | None = None,
    expected: Expectation | None = None,
) -> None:
    """Take the first free seat. If it is the last one, the game starts.

    Simultaneous calls are let in one by one, so exactly the free seats are given away.

    Args:
        session: the transaction.
        account: who joins.
        table_id: the table.
        invitation: the secret of an invitation, which is used up, or the text of an invitation link. A private table
            needs one of them; otherwise it does not exist for the caller.
        entropy: the player's text for the draw; empty for none.
        keys: the keys that the secret is checked with.
        now: the time of the request.
        bounds: the limits of the account; None for no limit.
        expected: the state in which the table may be joined; None for any.

    Raises:
        Refusal: each with its own code: already seated, closed, started, full (others took the last seat), an
            invitation that is no longer open, a seat beyond the `bounds`, or a player at the table whom the account has
            blocked. Where somebody has blocked the account, the table counts as full.
    """
    tables.lock_account(session, account, alone=bounds is not None)
    came_late = tables.has_started(session, table_id)
    table = tables.locked_table(session, table_id)
    seats = tables.taken_seats(session, table)
    if any(seat.account == account for seat in seats):
        raise tables.conflict(session, table, "already_seated", "You sit at this table already.")
    ticket = None if invitation is None else invitations.find(session, table, invitation, keys)
    link = _link(session, table, ticket, invitation, keys)
    if ticket is None and link is None and (table.visibility == "private" or invitation is not None):
        raise invitations.unknown(table)
    tables.check_not_closed(session, table)
    if came_late:
        raise tables.conflict(session, table, "already_started", "The game has started; all its seats are taken.")
    others = [seat.account for seat in seats]
    blocks.check_none_blocked(session, account, others)
    if len(seats) == table.seats or blocking_among(session, account, others):
        raise tables.conflict(
            session,
            table,
            "table_full",
            phrase("All %(seats)s seats of this table were just taken.", seats=table.seats),
        )
    tables.check_expected(session, table, expected)
    if ticket is not None:
        invitations.check_usable(session, table, ticket, now)
        ticket.used_at = now
    if link is not None:
        invitation_links.use(session, table, link, now)
    sit_down(session, table, seats, account, entropy, now, bounds)


def _link(
    session: Session, table: Table, ticket: Invitation | None, secret: str | None, keys: Keys
) -> InvitationLink | None:
    """Return the invitation link that somebody joins by: that of the secret, or that of the invitation; None: none."""
    if ticket is not None:
        return None if ticket.link is None else session.get(InvitationLink, ticket.link, populate_existing=True)
    found = None if secret is None else invitation_links.find(session, keys, secret)
    return None if found is None or found.game != table.key else found


def sit_down(
    session: Session,
    table: Table,
    seats: Sequence[Seat],
    account: str,
    entropy: str,
    now: datetime,
    bounds: AccountLimits | None,
) -> None:
    """Give the first free seat of a locked, open table to a locked account; if it is the last, start the game.

    `seats` are those that are taken; the account has none of them.
    """
    if bounds is not None:
        bounds.before_seat(session, account)
    free = min(set(range(table.seats)) - {seat.seat for seat in seats})
    tables.take_seat(session, table, free, account, entropy, now)
    table.revision = epoch.next_revision(session, table.revision)
    session.flush()
    if len(seats) + 1 == table.seats:
        start(session, table, tables.taken_seats(session, table), now)


def give_entropy(
    session: Session, account: str, table_id: str, entropy: str, expected: Expectation | None = None
) -> None:
    """Set a player's text for the draw, until the start. From the start on, it is public forever.

    `expected` is the state in which the table may be changed, here and below; None for any.
    """
    table, seats = _open(session, table_id)
    seat = _own(seats, account)
    tables.check_expected(session, table, expected)
    seat.entropy = entropy
    session.flush()


def leave(session: Session, account: str, table_id: str, now: datetime, expected: Expectation | None = None) -> None:
    """Give up one's seat before the start. If the player who made the table leaves, the table is closed."""
    table, seats = _open(session, table_id)
    seat = _own(seats, account)
    tables.check_expected(session, table, expected)
    _free(session, table, seat, now)


def remove_player(
    session: Session, account: str, table_id: str, seat: int, now: datetime, expected: Expectation | None = None
) -> None:
    """Free a player's seat before the start, on behalf of the player who made the table.

    Freeing one's own seat closes the table. A bot keeps its seat.
    """
    table = tables.locked_table_of_maker(session, account, table_id)
    tables.check_open(session, table)
    taken = next((taken for taken in tables.taken_seats(session, table) if taken.seat == seat), None)
    if taken is None:
        raise NotFound("no_such_player", phrase("Nobody sits at seat %(seat)s.", seat=seat))
    if taken.bot is not None:
        detail = phrase("A bot plays seat %(seat)s, and the number of bots stays as the table was opened.", seat=seat)
        raise tables.conflict(session, table, "seat_of_a_bot", detail)
    tables.check_expected(session, table, expected)
    _free(session, table, taken, now)


def _open(session: Session, table_id: str) -> tuple[Table, Sequence[Seat]]:
    table = tables.locked_table(session, table_id)
    tables.check_open(session, table)
    return table, tables.taken_seats(session, table)


def _own(seats: Sequence[Seat], account: str) -> Seat:
    for seat in seats:
        if seat.account == account:
            return seat
    raise tables.not_seated()


def _free(session: Session, table: Table, seat: Seat, now: datetime) -> None:
    if seat.account == table.maker:
        tables.close_locked(session, table, tables.BY_MAKER, now)
        return
    session.delete(seat)
    table.revision = epoch.next_revision(session, table.revision)
    session.flush()
