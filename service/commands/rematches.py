"""Open a table for a rematch of a finished game, with the same settings, and invite everybody who sat there.

Whoever asks first opens the table. Everybody who asks later takes a seat at the same one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from engine.clock import durations
from engine.clock.terms import Terms
from engine.phrases import Phrase
from service.commands import blocks, invitations, matches, players, tables
from service.commands.account_limits import AccountLimits
from service.commands.expectation import Expectation
from service.commands.invitation_limits import InvitationLimits
from service.errors import Conflict
from service.store.accounts import Account
from service.store.blocks import blocking_among
from service.store.invitations import Invitation
from service.store.tables import Seat, Table


@dataclass(frozen=True, slots=True)
class Rematch:
    """The table of a rematch; `is_new` is whether this request opened it."""

    table: str
    is_new: bool


def ask(
    session: Session,
    account: str,
    table_id: str,
    *,
    entropy: str = "",
    limits: InvitationLimits,
    now: datetime,
    bounds: AccountLimits | None = None,
    expected: Expectation | None = None,
) -> Rematch:
    """Ask for a rematch of a finished game on behalf of one of its players.

    The first who asks opens a table and sits at it, with as many bots as before. The others are each invited by
    mail, except those whose accounts were deleted or are suspended. Whoever asks while that table is not closed is
    given the same one, and a seat if it waits for players and none of those at it has blocked them. Simultaneous
    requests are let in one by one.

    Args:
        session: the transaction.
        account: who asks.
        table_id: the table of the finished game.
        entropy: the player's text for the draw; empty for none.
        limits: the limits on sending invitations.
        now: the time of the request.
        bounds: the limits of the account; None for no limit.
        expected: the state of the finished game in which a rematch may be asked for; None for any.

    Raises:
        Refusal: the account did not sit there, the game is not over (`not_over`), the account has blocked one of the
            others (`player_blocked`), nobody is left to be invited (`nobody_left`), or a limit is reached. Then nobody
            is invited.
    """
    present = _lock_accounts(session, account, table_id, alone=bounds is not None)
    old = tables.locked_table(session, table_id)
    if old.status != "finished":
        raise tables.conflict(
            session, old, "not_over", Phrase("The game is not over; a rematch can be asked for then.")
        )
    blocks.check_none_blocked(session, account, present)
    tables.check_expected(session, old, expected)
    standing = _standing(session, old)
    if standing is not None:
        _sit(session, standing, account, entropy, now, bounds)
        return Rematch(standing.id, is_new=False)
    bots = _bots(session, old)
    others = [other for other in present if other != account]
    if not others and old.seats - bots > 1:
        raise Conflict("nobody_left", Phrase("Nobody is left to be invited: the others have deleted their accounts."))
    new = matches.open_match(
        session,
        account,
        tables.TableSettings(
            seats=old.seats,
            goal_discs=old.goal_discs,
            visibility=old.visibility,
            hints=old.hints,
            terms=None if old.clock is None else Terms.from_json(json.loads(old.clock)),
            abandoned_after=durations.parse(old.abandoned_after),
        ),
        bots=bots,
        entropy=entropy,
        now=now,
        bounds=bounds,
    )
    for other in others:
        invitations.invite_player(session, account, new.id, other, limits, now, bounds)
    old.rematch = new.id  # the revision stays: no view of the finished game shows this
    session.flush()
    return Rematch(new.id, is_new=True)


def _bots(session: Session, table: Table) -> int:
    """Return the number of a table's seats that bots play."""
    return sum(seat.bot is not None for seat in tables.taken_seats(session, table))


def _lock_accounts(session: Session, account: str, table_id: str, *, alone: bool) -> Sequence[str]:
    """Lock the accounts of a table's players before the table, and return their ids by seat.

    The seats of a game that has started never change, so they can be read before anything is locked.
    """
    tables.lock_account(session, account, alone=alone)
    sitting = (
        select(Account.id)
        .join(Seat, Seat.account == Account.id)
        .join(Table, Table.key == Seat.game)
        .where(Table.id == table_id, Account.erased_at.is_(None), Account.suspended_at.is_(None))
        .order_by(Seat.seat)
        .with_for_update(read=True, key_share=True, of=Account)
    )
    found = session.scalars(sitting).all()
    if account not in found:
        raise tables.not_seated()
    return found


def _standing(session: Session, old: Table) -> Table | None:
    """Return the table of the rematch, locked, or None if nobody has asked yet or that table was closed."""
    if old.rematch is None:
        return None
    table = tables.locked_table(session, old.rematch)
    return None if table.closed_at is not None else table


def _sit(
    session: Session, table: Table, account: str, entropy: str, now: datetime, bounds: AccountLimits | None
) -> None:
    """Give the account a seat at the table of the rematch, if it has none there and one is free."""
    seats = tables.taken_seats(session, table)
    others = [seat.account for seat in seats]
    if len(seats) == table.seats or account in others or blocking_among(session, account, others):
        return
    mine = (
        select(Invitation)
        .join(Account, or_(Account.id == Invitation.account, Account.email == Invitation.email))
        .where(Invitation.game == table.key, Account.id == account, Invitation.used_at.is_(None))
        .with_for_update(of=Invitation)
    )
    for invitation in session.scalars(mine):
        if invitation.state(now) == "open":
            invitation.used_at = now
    players.sit_down(session, table, seats, account, entropy, now, bounds)
