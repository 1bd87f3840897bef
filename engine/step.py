"""What one accepted move did, and how a game ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.moves import Move

if TYPE_CHECKING:
    from engine.table import Table


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a game, as its record has it.

    `reason` is "discs" (4.1, 5.5), "tiles" (4.2, 5.5), "left" (4.3, 5.6) or "ended" (by the host, or abandoned).
    `ranking` are the seats, best first; None when ended, and in solo. `discs_left` is by seat. The totals and the
    score are solo's (5.3, 5.7).
    """

    kind: str
    reason: str
    discs_left: tuple[int, ...]
    ranking: tuple[int, ...] | None = None
    first_total: int | None = None
    second_total: int | None = None
    score: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The record's result object."""
        end: dict[str, Any] = {"reason": self.reason, "discs_left": list(self.discs_left)}
        if self.kind == "match":
            return end | {"ranking": None if self.ranking is None else list(self.ranking)}
        return end | {"first_total": self.first_total, "second_total": self.second_total, "score": self.score}


class Step:
    """The facts of one accepted move.

    `tile`, `x`, `y` and `space` (of the selection track) are a placement's, else None. `moved` are the positions that
    the disc left and reached on the moon track, None where none moved. `covered` are the goals covered, as (tile id,
    goal index), in the order of covering. `refilled` are the spaces filled with their tiles; `by_itself` tells a refill
    that belongs to the move before it (2.2, 5.2). `turn` is the seat to move next, None when the game is over;
    `turn_passed` tells whether that is another one than before. `ended` is the result when this move ended the game.
    """

    __slots__ = (
        "by_itself",
        "covered",
        "ended",
        "move",
        "moved",
        "refilled",
        "seat",
        "space",
        "state",
        "tile",
        "turn",
        "turn_passed",
        "x",
        "y",
    )

    def __init__(
        self,
        state: Table,
        seat: int | None,
        move: Move,
        before: int | None,
        tile: int | None = None,
        x: int | None = None,
        y: int | None = None,
        space: int | None = None,
        moved: tuple[int, int] | None = None,
        covered: tuple[tuple[int, int], ...] = (),
        refilled: tuple[tuple[int, int], ...] = (),
        by_itself: bool = False,
    ) -> None:
        """`before` is the seat whose turn it was; what comes after is read from `state`."""
        self.state = state
        self.seat = seat
        self.move = move
        self.tile = tile
        self.x = x
        self.y = y
        self.space = space
        self.moved = moved
        self.covered = covered
        self.refilled = refilled
        self.by_itself = by_itself
        self.turn = turn = state.turn
        self.turn_passed = turn is not None and turn != before
        self.ended = state.result

    def counting(self, tile: int, goal: int) -> list[int]:
        """The ids of the tiles that count for a goal that this step covered, worked out now, in the state as it is.

        The state is that after the step as long as nobody advances it.
        """
        if self.seat is None:
            return []
        return self.state.displays[self.seat].counting(tile, goal)
