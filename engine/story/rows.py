"""The moves of a game as the rows of a table, for spreadsheets and data sets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from engine import State
from engine.moves import Mark, Place, type_of
from engine.story.model import LoggedMove
from engine.story.waits import Waits
from engine.tiles import COSTS


class MoveRow(NamedTuple):
    """An entry of the log that is no mark, and how its player stood after it.

    Attributes:
        seat: who moved; None for an end.
        by: who acted instead of the player, as the entry has it.
        type: the type of the move, as in a record.
        tile, x, y: the tile that was placed, and where; None for other moves.
        covered: how many goals were covered.
        think: the seconds from the beginning of the wait to a placement or refill; None for other moves.
        discs_left: the goal discs that the player has left; None for an end.
        distance: the time cost of all tiles of the player; None for an end.
        turn: the seat that is to move next; None when the game is over.
    """

    seq: int
    at: datetime
    seat: int | None
    by: str | None
    type: str
    tile: int | None
    x: int | None
    y: int | None
    covered: int
    think: int | None
    discs_left: int | None
    distance: int | None
    turn: int | None


def rows(state: State, started_at: datetime, entries: Iterable[LoggedMove]) -> Iterator[MoveRow]:
    """Yield the rows of a game.

    Args:
        state: the game at its start, which this function advances.
        started_at: when the game started.
        entries: the log.

    Raises:
        engine.errors.MoveError: an entry is no possible move.
    """
    waits, distance = Waits(started_at), [0] * state.seats
    for entry in entries:
        step = state.advance(entry.seat, entry.move)
        think = waits.after(entry, step)
        if isinstance(entry.move, Mark):
            continue
        seat = entry.seat
        if isinstance(entry.move, Place) and seat is not None:
            distance[seat] += COSTS[entry.move.tile]
        yield MoveRow(
            entry.seq,
            entry.at,
            seat,
            entry.by,
            type_of(entry.move),
            step.tile,
            step.x,
            step.y,
            len(step.covered),
            think,
            None if seat is None else state.discs_left[seat],
            None if seat is None else distance[seat],
            step.turn,
        )
