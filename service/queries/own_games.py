"""The games that somebody is in, for a mail that lists them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from service.queries import tables
from service.store.callers import Known

MOST = 20
"""So many of each kind and status are listed, the newest first."""


@dataclass(frozen=True, slots=True)
class OwnGame:
    """A game: its table's id, its kind, the reader's seat, the names by seat (None: free, erased or never given), and whose turn
    it is; None where it waits for players."""

    table: str
    kind: str
    seat: int
    names: tuple[str | None, ...]
    turn: int | None


def own_games(session: Session, account: str) -> tuple[OwnGame, ...]:
    """What this account plays or waits for: where it is to move, then what else is running, then what has not started."""
    games = [
        _own(listed)
        for kind in ("match", "solo")
        for status in ("running", "open")
        for listed in tables.listed(
            session, Known(account), tables.Filters(kind=kind, status=status, mine=True), before=None, limit=MOST
        ).tables
    ]
    return tuple(sorted(games, key=lambda game: (game.turn is None, game.turn != game.seat)))


def _own(listed: tables.Listed) -> OwnGame:
    names: list[str | None] = [None] * listed.seats
    for sitting in listed.players:
        names[sitting.seat] = sitting.name
    assert listed.seat is not None, "it is the reader's own"
    return OwnGame(listed.id, listed.kind, listed.seat, tuple(names), listed.turn)
