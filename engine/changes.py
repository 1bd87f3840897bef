"""The changes that a move makes to a table, one after the other, as hands at a table would make them (2.4, 2.2, 5.4).

Applied in their order to the position before the move, they give the position after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from engine.game import Match
from engine.moves import Place, Resign, Timeout
from engine.result import Result
from engine.solo import PENALTY, Solo
from engine.table import Step, Table


class TileTaken(NamedTuple):
    """A tile was taken from a space of the selection track."""

    tile: int
    space: int


class MarkerMoved(NamedTuple):
    """The marker moved from one space of the selection track to another."""

    start: int
    to: int


class DiscMoved(NamedTuple):
    """A player's disc moved on the moon track; distances from the start, and the number of discs below it there."""

    seat: int
    start: int
    to: int
    height: int


class TilePlaced(NamedTuple):
    """A tile was placed on a player's display."""

    seat: int
    tile: int
    x: int
    y: int


class GoalCovered(NamedTuple):
    """A goal disc was placed on a goal of a tile, by its index.

    `counting` are the tiles that count for the goal, and `discs_left` the player's discs that are left after this one.
    """

    seat: int
    tile: int
    goal: int
    counting: tuple[int, ...]
    discs_left: int


class PhaseBegun(NamedTuple):
    """The second phase of a solo began, with this first total (5.3)."""

    first_total: int


class TileDrawn(NamedTuple):
    """A tile was put on a space of the selection track; `pile_size` is the number of tiles left in the draw pile."""

    tile: int
    space: int
    pile_size: int


class DiscRemoved(NamedTuple):
    """A player left, and the disc was taken off the moon track (4.3)."""

    seat: int
    start: int


class TurnPassed(NamedTuple):
    """It is another player's turn now."""

    seat: int


class GameEnded(NamedTuple):
    """The game ended with this result."""

    result: Result


Change = (
    TileTaken
    | MarkerMoved
    | DiscMoved
    | TilePlaced
    | GoalCovered
    | PhaseBegun
    | TileDrawn
    | DiscRemoved
    | TurnPassed
    | GameEnded
)


def changes(before: Table, step: Step) -> tuple[Change, ...]:
    """Return the changes that a step made, in their order; none for a mark.

    Args:
        before: the state before the step.
        step: the step, with its state not advanced any further.
    """
    return tuple(_changes(before, step))


def _changes(before: Table, step: Step) -> Iterator[Change]:
    move, seat, after = step.move, step.seat, step.state
    if isinstance(move, Place):
        assert seat is not None and step.space is not None
        yield TileTaken(move.tile, step.space)
        yield MarkerMoved(before.wheel.marker, step.space)
        if step.moved is not None:
            yield DiscMoved(seat, *step.moved, _height(after, seat))
        yield TilePlaced(seat, move.tile, move.x, move.y)
    if isinstance(move, Resign | Timeout) and isinstance(before, Match):
        assert seat is not None
        yield DiscRemoved(seat, before.moon.position[seat])
    covered = list(_covered(before, step))
    waited = len(covered) - _waiting(before, step)
    yield from covered[:waited]
    pile = before.wheel.pile_size
    for space, tile in step.refilled:
        pile -= 1
        yield TileDrawn(tile, space, pile)
    if _began_second_phase(before, after):
        assert isinstance(after, Solo) and after.first_total is not None
        yield PhaseBegun(after.first_total)
    yield from covered[waited:]
    if step.ended is not None:
        yield GameEnded(step.ended)
    elif step.turn_passed:
        assert step.turn is not None
        yield TurnPassed(step.turn)


def _height(after: Table, seat: int) -> int:
    """Return the number of discs below a seat's disc on the moon track."""
    assert isinstance(after, Match)
    moon = after.moon
    return sum(moon.position[other] == moon.position[seat] for other in moon.order) - 1


def _covered(before: Table, step: Step) -> Iterator[GoalCovered]:
    for number, (tile, goal) in enumerate(step.covered, start=1):
        assert step.seat is not None
        left = before.discs_left[step.seat] - number
        yield GoalCovered(step.seat, tile, goal, tuple(step.counting(tile, goal)), left)


def _waiting(before: Table, step: Step) -> int:
    """Return the number of covered goals that had waited for the second phase of a solo (5.4)."""
    after = step.state
    if not isinstance(before, Solo) or not isinstance(after, Solo) or not _began_second_phase(before, after):
        return 0
    assert after.first_total is not None
    # The first total has 10 for each of the first eight discs that was not placed when it was noted (5.3).
    not_placed = (after.first_total - after.displays[0].cost) // PENALTY
    return len(step.covered) - (before.discs_at_hand() - not_placed)


def _began_second_phase(before: Table, after: Table) -> bool:
    return isinstance(before, Solo) and isinstance(after, Solo) and before.phase != after.phase
