"""List the games of an account, for mail."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from service.queries import tables
from service.store.callers import Known

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
    """

    table: str
    kind: str
    seat: int
    names: tuple[str | None, ...]
    turn: int | None


def own_games(session: Session, account: str) -> tuple[OwnGame, ...]:
    """Return an account's games: those where it is to move, then the other running ones, then those not started."""
    games = [
        _own(listed)
        for kind in ("match", "solo")
        for status in ("running", "open")
        for listed in tables.listed(
            session, Known(account), tables.Filters(kind=kind, status=status, mine=True), tables.START, MOST
        ).tables
    ]
    return tuple(sorted(games, key=lambda game: (game.turn is None, game.turn != game.seat)))


def _own(listed: tables.ListedTable) -> OwnGame:
    names: list[str | None] = [None] * listed.seats
    for sitting in listed.players:
        names[sitting.seat] = sitting.name
    assert listed.seat is not None, "it is the reader's own"
    return OwnGame(listed.id, listed.kind, listed.seat, tuple(names), listed.turn)
