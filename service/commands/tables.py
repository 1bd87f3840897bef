"""Tables before their game starts: made, found under a lock, closed."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from engine.draw import commitment
from engine.saying import Said
from service.commands import talk_mail
from service.commands.bounds import Bounds
from service.errors import Conflict, Forbidden, NotFound, Unauthorized
from service.ids import new_id
from service.store.accounts import Account
from service.store.batches import Batch
from service.store.queue import defer
from service.store.tables import DrawSecret, ProgressRow, Seat, Setup, Table

BY_MAKER, EXPIRED = "maker", "expired"
"""Why a table was closed: by its maker (also by the maker's leaving, or the end of the account), or unstarted too long."""

LIFETIME = timedelta(days=30)
"""How long a table may wait for its start."""

SEED_BYTES = 32


def create(
    session: Session,
    account: str,
    *,
    kind: str,
    seats: int,
    goal_discs: int,
    visibility: str,
    hints: bool = True,
    now: datetime,
    bounds: Bounds | None = None,
) -> Table:
    """A new table with the account at seat 0. The draw's seed is made with it, so its commitment can be shown at once.

    `kind` is match (2 to 4 seats, 5 to 20 goal discs) or solo (1 and 21, and private). Refuses one beyond the `bounds`.
    """
    hold(session, account, alone=bounds is not None)
    if bounds is not None:
        bounds.before_table(session, account, kind)
    seed = secrets.token_bytes(SEED_BYTES)
    table = Table(
        id=new_id(),
        kind=kind,
        seats=seats,
        goal_discs=goal_discs,
        visibility=visibility,
        hints=hints,
        maker=account,
        commitment=bytes.fromhex(commitment(seed)),
        created_at=now,
        revision=0,
    )
    session.add(table)
    session.flush()
    session.add(DrawSecret(game=table.key, server_seed=seed))
    sit(session, table, 0, account, "", now)
    return table


def sit(session: Session, table: Table, seat: int, account: str, entropy: str, now: datetime) -> None:
    """Give a free seat of a table to an account, whose row is held (`hold`)."""
    session.add(Seat(game=table.key, seat=seat, account=account, entropy=entropy, joined_at=now))
    session.flush()


def hold(session: Session, account: str, *, alone: bool = False) -> None:
    """Hold an account's row until the commit, against its deletion; refuses one that is gone. `alone`: others who want
    it alone wait, as those do who count what the account has.

    To come before `locked`: a deletion holds the account first and its tables then. It waits for this transaction and
    finds what it did.
    """
    standing = select(Account.id).where(Account.id == account, Account.erased_at.is_(None))
    if session.scalar(standing.with_for_update(read=not alone, key_share=True)) is None:
        raise Unauthorized("account_gone", "The account was deleted.")


def locked(session: Session, table_id: str) -> Table:
    """The table, locked until the transaction ends, so that joining, leaving, closing and starting come one by one."""
    query = select(Table).where(Table.id == table_id).with_for_update(key_share=True)
    table = session.scalar(query.execution_options(populate_existing=True))
    if table is None:
        raise unknown()
    return table


def unknown() -> NotFound:
    """The one refusal for a table that there is not, and for one that the asker may not know of."""
    return NotFound("not_found", "There is no such game, or none that you may see.")


def sitting(session: Session, table: Table) -> Sequence[Seat]:
    """The taken seats of a table, in their order."""
    query = select(Seat).where(Seat.game == table.key).order_by(Seat.seat)
    return session.scalars(query.execution_options(populate_existing=True)).all()


def has_started(session: Session, table_id: str) -> bool:
    """Whether the table's game has started; then it has a set-up."""
    setup = exists().where(Setup.game == Table.key, Table.id == table_id)
    return session.scalar(select(setup)) is True


def conflict(session: Session, table: Table, code: str, detail: str | Said) -> Conflict:
    """A refusal because of how things stand at the table, with the version of its game (0 before the start)."""
    version = session.scalar(select(ProgressRow.version).where(ProgressRow.game == table.key))
    return Conflict(code, detail, version=version or 0)


def check_open(session: Session, table: Table) -> None:
    """Refuse a table that was closed, or whose game has started."""
    check_not_closed(session, table)
    if has_started(session, table.id):
        raise conflict(session, table, "already_started", "The game has started; this could be done before that only.")


def check_not_closed(session: Session, table: Table) -> None:
    """Refuse a table that was closed."""
    if table.closed_at is not None:
        raise conflict(session, table, "table_closed", "The table is closed.")


def check_maker(maker: str | None, account: str | None) -> None:
    """Refuse anybody but who made the table."""
    if maker != account:
        raise Forbidden("not_the_maker", "Only the player who made the table may do this.")


def not_seated() -> Forbidden:
    """The refusal of who has no seat at the table."""
    return Forbidden("not_at_the_table", "You do not sit at this table.")


def close(session: Session, account: str, table_id: str, now: datetime) -> None:
    """The maker closes a table that has not started; the others at it are told by mail."""
    table = locked(session, table_id)
    check_maker(table.maker, account)
    check_open(session, table)
    shut(session, table, BY_MAKER, now)


def shut(session: Session, table: Table, because: str, now: datetime) -> None:
    """Close a locked, open table. Everybody at it is told by mail, but not the maker who closed it."""
    table.closed_at = now
    table.closed_because = because
    table.revision += 1
    session.flush()
    if table.kind == "solo":
        return
    for seat in sitting(session, table):
        if because == EXPIRED or seat.account != table.maker:
            ids: dict[str, int | str] = {"game": table.id, "account": seat.account}
            defer(session, "mail_closed", ids, queueing_lock=f"closed:{table.id}:{seat.account}")
        else:
            talk_mail.call_for(session, table.id, seat.account, now)


def close_expired(session: Session, now: datetime, most: int, batch: Batch | None = None) -> int:
    """Close the tables that have waited for their start longer than `LIFETIME`, so many at most; return how many it took.

    One that is locked just now, by a join perhaps, is left to the next run, as is one that `batch` has set aside.
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
    batch.each(session, tables, lambda table: table.key, lambda table: shut(session, table, EXPIRED, now))
    return len(tables)
