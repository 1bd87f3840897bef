"""Lists of tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.orm import Session

from service.store.accounts import Account
from service.store.tables import ProgressRow, Seat, Table


@dataclass(frozen=True)
class Filters:
    """Which tables are asked for; None and False ask for all.

    `status` is open, running, finished or closed. `mine` are the reader's own, `my_turn` those where the reader is to
    move; both need a reader.
    """

    kind: str
    status: str | None = None
    mine: bool = False
    my_turn: bool = False


class Sitting(NamedTuple):
    """Who sits where."""

    seat: int
    account: str
    name: str | None


class Listed(NamedTuple):
    """One table of a list; `turn` is None unless it is running."""

    table: Table
    version: int
    status: str
    turn: int | None
    ended_at: datetime | None
    players: tuple[Sitting, ...]


def listed(session: Session, reader: str | None, filters: Filters, before: int | None, limit: int) -> list[Listed]:
    """Tables, newest first, with keys below `before`: public ones and the reader's own, so far as the filters ask."""
    query = (
        select(Table, ProgressRow)
        .outerjoin(ProgressRow, ProgressRow.game == Table.key)
        .where(Table.kind == filters.kind, *_conditions(reader, filters))
        .order_by(Table.key.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(Table.key < before)
    rows = session.execute(query).all()
    players = _players(session, [table.key for table, _ in rows])
    return [_listed(table, progress, players.get(table.key, ())) for table, progress in rows]


def _conditions(reader: str | None, filters: Filters) -> list[ColumnElement[bool]]:
    own = Table.key.in_(select(Seat.game).where(Seat.account == reader))
    conditions = [own if filters.mine else or_(Table.visibility == "public", own)]
    if filters.my_turn:
        conditions.append(and_(ProgressRow.turn_account == reader, ProgressRow.turn_account.is_not(None)))
    match filters.status:
        case "closed":
            conditions.append(Table.closed_at.is_not(None))
        case "open":
            conditions += [Table.closed_at.is_(None), ProgressRow.game.is_(None)]
        case "running" | "finished":
            conditions.append(ProgressRow.status == filters.status)
    return conditions


def _players(session: Session, keys: Sequence[int]) -> dict[int, tuple[Sitting, ...]]:
    query = (
        select(Seat.game, Seat.seat, Seat.account, Account.name)
        .join(Account, Account.id == Seat.account)
        .where(Seat.game.in_(keys))
        .order_by(Seat.game, Seat.seat)
    )
    players: dict[int, tuple[Sitting, ...]] = {}
    for game, seat, account, name in session.execute(query):
        players[game] = (*players.get(game, ()), Sitting(seat, account, name))
    return players


def _listed(table: Table, progress: ProgressRow | None, players: tuple[Sitting, ...]) -> Listed:
    if progress is None:
        return Listed(table, 0, "closed" if table.closed_at else "open", None, None, players)
    return Listed(table, progress.version, progress.status, progress.turn, progress.ended_at, players)
