"""The games that somebody is in, for a mail that lists them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from service.queries import tables

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
        _own(account, listed)
        for kind in ("match", "solo")
        for status in ("running", "open")
        for listed in tables.listed(
            session, account, tables.Filters(kind=kind, status=status, mine=True), before=None, limit=MOST
        )
    ]
    return tuple(sorted(games, key=lambda game: (game.turn is None, game.turn != game.seat)))


def _own(account: str, listed: tables.Listed) -> OwnGame:
    names: list[str | None] = [None] * listed.table.seats
    for sitting in listed.players:
        names[sitting.seat] = sitting.name
    seat = next(sitting.seat for sitting in listed.players if sitting.account == account)
    return OwnGame(listed.table.id, listed.table.kind, seat, tuple(names), listed.turn)
