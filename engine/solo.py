"""The solo game: two phases, two totals, one score (RULINGS.md 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from engine.moves import Place, Refill
from engine.phrases import phrase
from engine.result import Result
from engine.table import Step, Table

DISCS = 21
FIRST_STACK = 8
"""The discs of phase 1; phase 2 has the other 13 and those left of these (5.1, 5.5)."""
PENALTY = 10
"""The penalty for each disc not placed, added to a total (5.3, 5.7)."""

_RULES = {"discs": "5.5", "tiles": "5.5", "left": "5.6", "ended": "5.5"}


class Solo(Table):
    """The state of a solo game.

    Attributes:
        first_total: the total of phase 1; None while that lasts.
        discs_left: counts from 21.
    """

    __slots__ = ("first_total",)

    kind: ClassVar[str] = "solo"

    def __init__(self, tiles: Sequence[int]) -> None:
        """Set up a solo at its start.

        Args:
            tiles: the tiles in draw order, all 68 or as far as shown.

        Raises:
            SetupError: there is no such game.
        """
        super().__init__(1, DISCS, tiles)
        self.first_total: int | None = None

    @property
    def phase(self) -> int:
        """The phase: 1 until the refill, then 2."""
        return 1 if self.first_total is None else 2

    @property
    def second_total(self) -> int | None:
        """The display's cost plus 10 for each disc not placed (5.7), once the game has ended by discs or tiles."""
        return None if self.result is None else self.result.second_total

    @property
    def score(self) -> int | None:
        """The score (5.7), once the game has ended by discs or tiles."""
        return None if self.result is None else self.result.score

    def may_refill(self) -> bool:
        """Return whether the player may refill: in phase 1, from the eighth disc on (5.2)."""
        return self.result is None and self.first_total is None and self.discs_at_hand() == 0

    def discs_at_hand(self) -> int:
        """Return the number of discs that the player may place now: in phase 1 those left of the first eight (5.2)."""
        left = self.discs_left[0]
        return left - (DISCS - FIRST_STACK) if self.first_total is None else left

    def _refill(self, seat: int, move: Refill) -> Step:
        if self.first_total is not None:
            raise self._refuse_refill(phrase("Phase 2 has no refill."), "5.5")
        if self.discs_at_hand():
            placed = FIRST_STACK - self.discs_at_hand()
            why = phrase("A refill comes from the eighth disc on; placed so far: %(placed)s.", placed=placed)
            raise self._refuse_refill(why, "5.2")
        refilled = self.wheel.refill()
        covered = self._begin_second_phase()
        return Step(self, seat, move, seat, None, None, covered, refilled, self.turn, self.result)

    def _take(self, seat: int, tile: int, cell: int, move: Place) -> Step:
        wheel, display = self.wheel, self.displays[0]
        space = wheel.take(tile)
        covered = display.place(tile, cell, self.discs_at_hand())
        self.discs_left[0] -= len(covered)
        refilled: tuple[tuple[int, int], ...] = ()
        if not self.discs_left[0]:
            self._finish("discs")  # even if that was the last tile (5.6)
        elif not wheel.ring:
            if self.first_total is None:
                refilled = wheel.refill()
                covered += self._begin_second_phase()
            else:
                self._finish("tiles")
        return Step(self, seat, move, seat, space, None, covered, refilled, self.turn, self.result)

    def _begin_second_phase(self) -> tuple[tuple[int, int], ...]:
        """Store the first total (5.3), cover the goals that waited (5.4), and return those goals."""
        self.first_total = self.displays[0].cost + PENALTY * self.discs_at_hand()
        covered = self.displays[0].cover_waiting(self.discs_left[0])
        self.discs_left[0] -= len(covered)
        if not self.discs_left[0]:
            self._finish("discs")
        return covered

    def _finish(self, reason: str) -> None:
        assert self.first_total is not None  # phase 1 places 8 of 21 discs and ends with its refill at the latest
        self.turn = None
        second = self.displays[0].cost + PENALTY * self.discs_left[0]
        self.result = Result(
            self.kind,
            reason,
            tuple(self.discs_left),
            first_total=self.first_total,
            second_total=second,
            score=self.first_total + second,
        )

    def _leave(self, seat: int) -> None:
        self._stop("left")

    def _end(self) -> None:
        self._stop("ended")

    def _stop(self, reason: str) -> None:
        """End the game without a score; the first total stays if phase 2 had begun (5.6)."""
        self.turn = None
        self.result = Result(self.kind, reason, tuple(self.discs_left), first_total=self.first_total)

    def _over_rule(self) -> str:
        assert self.result is not None
        return _RULES[self.result.reason]

    def _clone_rest(self, other: Self) -> None:
        other.first_total = self.first_total

    def _value(self) -> tuple[object, ...]:
        return (*super()._value(), self.first_total)
