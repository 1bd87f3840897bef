"""Create, lock and close tables before their games start."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from engine import record
from engine.clock.durations import render
from engine.clock.terms import ABANDONED_AFTER, Terms
from engine.draw import commitment
from engine.phrases import Phrase
from service.commands import talk_mail
from service.commands.account_limits import AccountLimits
from service.commands.expectation import Expectation
from service.commands.invitation_events import announce_end
from service.errors import Conflict, Forbidden, NotFound, Unauthorized
from service.ids import new_id
from service.queries.table import load
from service.store import epoch, mail_kinds
from service.store.accounts import Account
from service.store.batches import Batch
from service.store.queue import defer
from service.store.tables import DrawSecret, ProgressRow, Seat, Setup, Table

BY_MAKER, EXPIRED = "maker", "expired"
"""The reasons for closing a table: its maker closed it, left or was deleted, or it did not start in time."""

LIFETIME = timedelta(days=30)
"""The time that a table may wait for its start."""

SEED_BYTES = 32


@dataclass(frozen=True, slots=True)
class TableSettings:
    """The settings of a table, which its maker chooses and which stay as they are.

    Attributes:
        seats: the number of seats, 2 to 4 in a match, 1 in a solo.
        goal_discs: the number of discs each player starts with, 5 to 20 in a match, 21 in a solo.
        visibility: `public` or `private`; a solo is private.
        kind: `match` or `solo`.
        hints: whether mails of this game may show hints.
        terms: the table's clock; None for no clock, as in a solo.
        abandoned_after: the time after which a game ends that nobody goes on with.
    """

    seats: int
    goal_discs: int
    visibility: str
    kind: str = "match"
    hints: bool = True
    terms: Terms | None = None
    abandoned_after: timedelta = ABANDONED_AFTER


def create(
    session: Session, account: str, settings: TableSettings, *, now: datetime, bounds: AccountLimits | None = None
) -> Table:
    """Create a table with the account at seat 0, and the seed of its draw, so that the commitment can be shown at once.

    `bounds` are the limits of the account; None for no limit.
    """
    lock_account(session, account, alone=bounds is not None)
    if bounds is not None:
        bounds.before_table(session, account, settings.kind)
    seed = secrets.token_bytes(SEED_BYTES)
    table = Table(
        id=new_id(),
        kind=settings.kind,
        seats=settings.seats,
        goal_discs=settings.goal_discs,
        visibility=settings.visibility,
        hints=settings.hints,
        clock=None if settings.terms is None else record.canonical(settings.terms.to_json()).decode(),
        abandoned_after=render(settings.abandoned_after),
        maker=account,
        commitment=bytes.fromhex(commitment(seed)),
        created_at=now,
        revision=0,
    )
    session.add(table)
    session.flush()
    session.add(DrawSecret(game=table.key, server_seed=seed))
    take_seat(session, table, 0, account, "", now)
    return table


def seat_bot(session: Session, table: Table, seat: int, bot: str, now: datetime) -> None:
    """Give a free seat of a table to a bot, which has no text for the draw."""
    session.add(Seat(game=table.key, seat=seat, bot=bot, entropy="", joined_at=now))


def take_seat(session: Session, table: Table, seat: int, account: str, entropy: str, now: datetime) -> None:
    """Give a free seat of a table to an account whose row is locked (`lock_account`)."""
    session.add(Seat(game=table.key, seat=seat, account=account, entropy=entropy, joined_at=now))
    session.flush()


def lock_account(session: Session, account: str, *, alone: bool = False) -> None:
    """Lock an account's row until the commit, so that it cannot be deleted; refuse an account that is gone.

    With `alone`, others who lock it alone wait; so do those who count what the account has. Call this before
    `locked_table`: a deletion locks the account first and then its tables, so it waits for this transaction and sees
    its effects.
    """
    standing = select(Account.id).where(Account.id == account, Account.erased_at.is_(None))
    if session.scalar(standing.with_for_update(read=not alone, key_share=True)) is None:
        raise Unauthorized("account_gone", "The account was deleted.")


def locked_table(session: Session, table_id: str) -> Table:
    """Return the table, locked until the transaction ends, so that joining, leaving and closing are serialized."""
    query = select(Table).where(Table.id == table_id).with_for_update(key_share=True)
    table = session.scalar(query.execution_options(populate_existing=True))
    if table is None:
        raise unknown()
    return table


def locked_table_of_maker(session: Session, account: str, table_id: str) -> Table:
    """Lock a table until the commit, on behalf of the player who made it.

    Raises:
        NotFound: there is no such table.
        Forbidden: somebody else made it.
    """
    table = locked_table(session, table_id)
    check_maker(table.maker, account)
    return table


def unknown() -> NotFound:
    """Return the refusal for a table that does not exist, which is the same for one that the caller may not see."""
    return NotFound("not_found", "There is no such game, or none that you may see.")


def taken_seats(session: Session, table: Table) -> Sequence[Seat]:
    """Return the taken seats of a table, in order."""
    query = select(Seat).where(Seat.game == table.key).order_by(Seat.seat)
    return session.scalars(query.execution_options(populate_existing=True)).all()


def has_started(session: Session, table_id: str) -> bool:
    """Return whether the table's game has started, that is, has a set-up."""
    setup = exists().where(Setup.game == Table.key, Table.id == table_id)
    return session.scalar(select(setup)) is True


def conflict(session: Session, table: Table, code: str, detail: str | Phrase) -> Conflict:
    """Return a refusal because of the state of the table, with the version of its game (0 before the start)."""
    version = session.scalar(select(ProgressRow.version).where(ProgressRow.game == table.key))
    return Conflict(code, detail, version=version or 0)


def check_open(session: Session, table: Table) -> None:
    """Refuse a table that is closed, or whose game has started."""
    check_not_closed(session, table)
    if has_started(session, table.id):
        raise conflict(session, table, "already_started", "The game has started; this could be done before that only.")


def check_not_closed(session: Session, table: Table) -> None:
    """Refuse a table that is closed."""
    if table.closed_at is not None:
        raise conflict(session, table, "table_closed", "The table is closed.")


def check_expected(session: Session, table: Table, expected: Expectation | None) -> None:
    """Refuse to change a locked table that is in another state than the client expects (`stale_version`)."""
    if expected is not None and (found := load(session, table.id)) is not None:
        expected.check(found)


def check_maker(maker: str | None, account: str | None) -> None:
    """Refuse anybody but the player who made the table."""
    if maker != account:
        raise Forbidden("not_the_maker", "Only the player who made the table may do this.")


def not_seated() -> Forbidden:
    """Return the refusal for an account without a seat at the table."""
    return Forbidden("not_at_the_table", "You do not sit at this table.")


def close(session: Session, account: str, table_id: str, now: datetime, expected: Expectation | None = None) -> None:
    """Close a table that has not started, on behalf of the player who made it. The others receive a mail.

    `expected` is the state in which it may be closed; None for any.
    """
    table = locked_table_of_maker(session, account, table_id)
    check_open(session, table)
    check_expected(session, table, expected)
    close_locked(session, table, BY_MAKER, now)


def close_locked(session: Session, table: Table, because: str, now: datetime) -> None:
    """Close a locked, open table. Everybody at it receives a mail, except the player who closed it."""
    table.closed_at = now
    table.closed_because = because
    table.revision = epoch.next_revision(session, table.revision)
    session.flush()
    if table.kind == "solo":
        return
    announce_end(session, table, now)
    for seat in taken_seats(session, table):
        if seat.account is None:
            continue
        if because == EXPIRED or seat.account != table.maker:
            ids: dict[str, int | str] = {"game": table.id, "account": seat.account}
            defer(
                session, "mail_closed", ids, queueing_lock=mail_kinds.CLOSED.lock(game=table.id, account=seat.account)
            )
        else:
            talk_mail.queue_for(session, table.id, seat.account, now)


def close_expired(session: Session, now: datetime, most: int, batch: Batch | None = None) -> int:
    """Close up to `most` tables that have waited longer than `LIFETIME` to start, and return how many were tried.

    A table that is locked at the moment, perhaps by a join, is left to the next run, as is one that `batch` has set
    aside.
    """
    batch = batch or Batch("close_old_tables")
    due = (
        select(Table.key)
        .where(Table.status == "open", Table.created_at <= now - LIFETIME, Table.key.not_in(batch.aside))
        .order_by(Table.created_at)
    )
    keys = session.scalars(due.limit(most)).all()
    query = (
        select(Table)
        .where(Table.key.in_(keys), Table.status == "open")
        .order_by(Table.key)
        .with_for_update(skip_locked=True, key_share=True)
    )
    tables = session.scalars(query.execution_options(populate_existing=True)).all()
    batch.each(session, tables, lambda table: table.key, lambda table: close_locked(session, table, EXPIRED, now))
    return len(tables)
