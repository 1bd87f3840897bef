"""List the games of an account, for mail."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from math import inf

from sqlalchemy.orm import Session

from engine.record import moment
from service.queries import tables
from service.queries.listed_clocks import clock_of
from service.store.callers import KnownAccount

MOST = 20
"""The maximum of games listed of each kind and status, the newest first."""


@dataclass(frozen=True, slots=True)
class OwnGame:
    """A game of the reader.

    Attributes:
        table: the table's id.
        kind: `match` or `solo`.
        seat: the reader's seat.
        names: the names by seat; None if the seat is free, or the name erased or never given.
        turn: the seat to move; None if the table waits for players.
        until: until when that player has time; None without a clock, or if time is up.
        now: when this was so; games that differ only in it are equal.
        version: the version of the table.
    """

    table: str
    kind: str
    seat: int
    names: tuple[str | None, ...]
    turn: int | None
    until: datetime | None = None
    now: datetime | None = field(default=None, compare=False)
    version: int = 0


def own_games(session: Session, account: str, now: datetime) -> tuple[OwnGame, ...]:
    """Return an account's games: those where it is to move, then the other running ones, then those not started.

    Of those where it is to move, the ones come first whose time is up first.
    """
    games = [
        _own(listed, now)
        for kind in ("match", "solo")
        for status in ("running", "open")
        for listed in tables.listed(
            session, KnownAccount(account), tables.Filters(kind=kind, status=status, mine=True), tables.START, MOST
        ).tables
    ]
    return tuple(sorted(games, key=_place))


def _place(game: OwnGame) -> tuple[bool, bool, float]:
    is_mine = game.turn == game.seat
    return game.turn is None, not is_mine, game.until.timestamp() if is_mine and game.until else inf


def _own(listed: tables.ListedTable, now: datetime) -> OwnGame:
    names: list[str | None] = [None] * listed.seats
    for sitting in listed.players:
        names[sitting.seat] = sitting.name
    assert listed.seat is not None, "it is the reader's own"
    runs_out_at = clock_of(listed, now).runs_out_at
    until = None if runs_out_at is None else moment(runs_out_at)
    is_ahead = until is not None and until > now
    until = until if is_ahead else None
    return OwnGame(listed.id, listed.kind, listed.seat, tuple(names), listed.turn, until, now, listed.version)
