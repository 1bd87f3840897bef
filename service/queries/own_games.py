"""List the games of an account that are not over, for mail and for the page of its tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from math import inf
from typing import NamedTuple

from sqlalchemy.orm import Session

from engine.record import moment
from service.queries import tables
from service.queries.listed_clocks import clock_of
from service.store.callers import KnownAccount

MOST = 20
"""The maximum of games listed of each kind in which others are to move, and of those not started, the newest first."""

MOST_WAITING = 200
"""The maximum of games listed of each kind in which the account is to move, those whose time is up first."""

_KINDS = ("match", "solo")


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
        taken: the number of seats that are taken.
    """

    table: str
    kind: str
    seat: int
    names: tuple[str | None, ...]
    turn: int | None
    until: datetime | None = None
    now: datetime | None = field(default=None, compare=False)
    version: int = 0
    taken: int = 0


class OwnGames(NamedTuple):
    """An account's games that are not over, and whether there may be more of them."""

    games: tuple[OwnGame, ...]
    has_more: bool


class OwnGamePage(NamedTuple):
    """A page of an account's games that are not over, and the key of the last one if there are more."""

    games: tuple[OwnGame, ...]
    last: int | None


def own_games(session: Session, account: str, now: datetime) -> OwnGames:
    """Return an account's games: those where it is to move, then the other running ones, then those not started.

    Of those where it is to move, the ones come first whose time is up first. They are read apart, so that none of them
    is left out because others are newer.
    """
    found: dict[str, tables.ListedTable] = {}
    has_more = False
    for kind in _KINDS:
        for filters, most in (
            (tables.Filters(kind, "running", my_turn=True, soonest_first=True), MOST_WAITING),
            (tables.Filters(kind, "running", mine=True), MOST),
            (tables.Filters(kind, "open", mine=True), MOST),
        ):
            listed = tables.listed(session, KnownAccount(account), filters, tables.START, most).tables
            has_more |= len(listed) == most
            found |= {each.id: each for each in listed}
    return OwnGames(tuple(sorted((_own(listed, now) for listed in found.values()), key=_place)), has_more)


def own_games_from(session: Session, account: str, now: datetime, after: tables.After, most: int) -> OwnGamePage:
    """Return an account's games that are running or not started, the newest first, from a place in their order on."""
    found = [
        listed
        for kind in _KINDS
        for status in ("running", "open")
        for listed in tables.listed(
            session, KnownAccount(account), tables.Filters(kind, status, mine=True), after, most + 1
        ).tables
    ]
    found.sort(key=lambda listed: -listed.key)
    shown = tuple(_own(listed, now) for listed in found[:most])
    return OwnGamePage(shown, found[most - 1].key if len(found) > most else None)


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
    until, taken = until if is_ahead else None, len(listed.players)
    return OwnGame(
        listed.id, listed.kind, listed.seat, tuple(names), listed.turn, until, now, listed.version, taken=taken
    )
