"""Lists of tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, ScalarSelect, Select, false, func, literal_column, select, union
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from service.store.accounts import Account
from service.store.tables import ProgressRow, Seat, Table

STATUSES = ("open", "running", "finished", "closed")
"""What a table can be."""

_OF_ONE_ACCOUNT = ("open", "closed")
"""What takes nobody else."""

_OF_MAKER = 5
"""How many of these one maker has in a list."""

_LOOKED_AT = 500
"""How many of these are looked at for a page, so that it costs little however many one maker has."""


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
    """Tables, newest first, with keys below `before`: public ones and the reader's own, so far as the filters ask.

    Of the open and of the closed ones that one maker made, others see the newest few only, so that nobody can fill a list
    alone: for a game to start takes a second player.

    A page costs the same however far down it is and however many tables there are: its keys are the newest out of a
    few ranges of indexes that are in their order.
    """
    page = _my_turn(reader, filters, before, limit) if filters.my_turn else _newest(reader, filters, before, limit)
    shown = page.subquery("page")
    query = (
        select(Table, ProgressRow)
        .join(shown, shown.c.key == Table.key)
        .outerjoin(ProgressRow, ProgressRow.game == Table.key)
        .order_by(Table.key.desc())
    )
    rows = session.execute(query).all()
    players = _players(session, [table.key for table, _ in rows])
    return [_listed(table, progress, players.get(table.key, ())) for table, progress in rows]


def _newest(reader: str | None, filters: Filters, before: int | None, limit: int) -> Select[int]:
    """The keys of a page: the newest of each status in each index, and of these the newest."""
    ranges: list[Select[int]] = []
    for status in STATUSES if filters.status is None else (filters.status,):
        if not filters.mine:
            public = select(Table.key.label("key")).where(*_public(filters.kind, status))
            if status in _OF_ONE_ACCOUNT:
                looked_at = _first(public, Table.key, before, _LOOKED_AT).subquery("looked_at")
                few = select(Table.key.label("key")).join(looked_at, looked_at.c.key == Table.key)
                public = few.where(_newer_of_maker(status) < _OF_MAKER)
            ranges.append(_first(public, Table.key, before, limit))
        if reader is not None:
            own = (Seat.account == reader, Seat.kind == filters.kind, Seat.status == status)
            ranges.append(_first(select(Seat.game.label("key")).where(*own), Seat.game, before, limit))
    together = union(*ranges).subquery("together")  # a table can be public and the reader's own
    return select(together.c.key).order_by(together.c.key.desc()).limit(limit)


def looked_at_until(session: Session, filters: Filters, before: int | None) -> int | None:
    """Down to which key a page that has fewer tables than asked for has looked, if there may be more below: very many of
    one maker stood there."""
    if filters.mine or filters.my_turn:
        return None
    last = [
        session.scalar(
            _first(select(Table.key).where(*_public(filters.kind, status)), Table.key, before, 1).offset(_LOOKED_AT - 1)
        )
        for status in _OF_ONE_ACCOUNT
        if filters.status in (None, status)
    ]
    return max((key for key in last if key is not None), default=None)


def _public(kind: str, status: str) -> tuple[ColumnElement[bool], ...]:
    return Table.kind == kind, Table.status == status, Table.visibility == literal_column("'public'")


def _newer_of_maker(status: str) -> ScalarSelect[int]:
    """How many newer public tables of this status their maker has, counted as far as it matters."""
    newer = aliased(Table)
    rows = select(newer.key).where(
        newer.maker == Table.maker,
        newer.status == literal_column(f"'{status}'"),  # as the index has it
        newer.key > Table.key,
        newer.visibility == literal_column("'public'"),
        newer.kind == Table.kind,
    )
    counted = rows.limit(_OF_MAKER).correlate(Table).subquery()
    return select(func.count()).select_from(counted).scalar_subquery()


def _my_turn(reader: str | None, filters: Filters, before: int | None, limit: int) -> Select[int]:
    """The keys of a page of the games where the reader is to move; all of them are running."""
    turns = (
        select(ProgressRow.game.label("key"))
        .join(Table, Table.key == ProgressRow.game)
        .where(ProgressRow.turn_account == reader, Table.kind == filters.kind)
    )
    if filters.status not in (None, "running"):
        turns = turns.where(false())
    return _first(turns, ProgressRow.game, before, limit)


def _first(query: Select[int], key: InstrumentedAttribute[int], before: int | None, limit: int) -> Select[int]:
    below = query if before is None else query.where(key < before)
    return below.order_by(key.desc()).limit(limit)


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
