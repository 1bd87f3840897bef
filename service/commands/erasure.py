"""Remove an account from its tables when it is deleted."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from functools import partial

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from engine.moves import RESIGN
from service.commands import explorations, imports, players, tables
from service.commands.play import play
from service.commands.reachability import ALL_KEYS, bump_revisions
from service.errors import Conflict, IllegalMoveRefused
from service.queries import legal
from service.queries.table import load
from service.store import due_games
from service.store.accounts import Account
from service.store.batches import Batch
from service.store.invitations import Invitation, InvitationLink
from service.store.tables import Seat, Table


def leave_everything(session: Session, account: str, now: datetime) -> None:
    """Resign the account's running games and solos, close or leave its open tables, and withdraw its invitations.

    The addresses of these invitations are erased, and every record stays valid. All tables of the account get a new
    revision. A game that cannot be read is skipped: nobody can move there, and it is no reason to keep a person's
    address.
    """
    # The lock orders this against a seat being taken: that is committed before, or refused afterwards. An address is a
    # key, so the row is locked against those who refer to it, too.
    session.execute(select(Account.id).where(Account.id == account).with_for_update())
    _leave_tables(session, account, now)
    sent = update(Invitation).where(Invitation.invited_by == account)
    unanswered = (Invitation.taken_back_at.is_(None), Invitation.declined_at.is_(None), Invitation.used_at.is_(None))
    session.execute(sent.where(*unanswered).values(taken_back_at=now))
    session.execute(sent.values(email=None, account=None))
    imports.remove_all(session, account)
    explorations.remove_all(session, account)
    links = update(InvitationLink).where(InvitationLink.made_by == account, InvitationLink.revoked_at.is_(None))
    session.execute(links.values(revoked_at=now))


def _leave_tables(session: Session, account: str, now: datetime) -> None:
    """Leave the account's tables and give all of them a new revision, each in its place in the order of the locks."""
    mine = select(Table.key, Table.id).join(Seat, Seat.game == Table.key)
    going_on = mine.where(Seat.account == account, Seat.status.in_(("open", "running")))
    batch, first = Batch("delete_account"), 0
    for key, table_id in session.execute(going_on.order_by(Table.key)).all():
        _change(session, account, range(first, key))
        _leave(session, account, table_id, now, batch)
        first = key
    _change(session, account, range(first, ALL_KEYS.stop))


def _change(session: Session, account: str, keys: range) -> None:
    due_games.lock_running(session, account, keys)
    bump_revisions(session, account, keys)


def _leave(session: Session, account: str, table_id: str, now: datetime, batch: Batch) -> None:
    # An open table must stay open until it is left, so it is locked. A started one is not: a move that ends the game
    # writes its entry before it locks the table.
    if not tables.has_started(session, table_id):
        tables.locked_table(session, table_id)
    table = batch.attempt(table_id, partial(load, session, table_id))
    if table is None:
        return
    seat = table.seat_of(account)
    if seat is None:
        return
    if table.status == "open":
        players.leave(session, account, table_id, now)
    elif table.status == "running" and not legal.has_left(table.state, seat):
        with suppress(Conflict, IllegalMoveRefused):  # the game has ended, or the player has resigned
            play(session, table, seat, RESIGN, None, now)
