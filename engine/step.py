"""What one accepted move did, and how a game ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.moves import Move, Place

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


class Step(NamedTuple):
    """The facts of one accepted move.

    `space` is where a placed tile lay on the selection track, else None. `moved` are the positions that the disc left
    and reached on the moon track, None where none moved. `covered` are the goals covered, as (tile id, goal index), in
    the order of covering. `refilled` are the spaces filled with their tiles. `before` is the seat whose turn it was;
    `turn` the seat to move next, None when the game is over. `ended` is the result when this move ended the game.
    `state` is the state after the step, as long as nobody advances it.
    """

    state: Table
    seat: int | None
    move: Move
    before: int | None
    space: int | None
    moved: tuple[int, int] | None
    covered: tuple[tuple[int, int], ...]
    refilled: tuple[tuple[int, int], ...]
    turn: int | None
    ended: Result | None

    @property
    def tile(self) -> int | None:
        """The tile taken and placed, else None."""
        return self.move.tile if isinstance(self.move, Place) else None

    @property
    def x(self) -> int | None:
        """Where the tile was placed, else None."""
        return self.move.x if isinstance(self.move, Place) else None

    @property
    def y(self) -> int | None:
        """Where the tile was placed, else None."""
        return self.move.y if isinstance(self.move, Place) else None

    @property
    def by_itself(self) -> bool:
        """Whether the track was refilled by itself, as belongs to the move before it (2.2, 5.2)."""
        return bool(self.refilled) and isinstance(self.move, Place)

    @property
    def turn_passed(self) -> bool:
        """Whether it is now another player's turn than before."""
        return self.turn is not None and self.turn != self.before

    def counting(self, tile: int, goal: int) -> list[int]:
        """The ids of the tiles that count for a goal that this step covered, worked out now, in `state` as it is."""
        if self.seat is None:
            return []
        return self.state.displays[self.seat].counting(tile, goal)
