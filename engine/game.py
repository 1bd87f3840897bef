"""A match of 2 to 4 players: set-up, turns, the end (RULINGS.md 1 to 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from engine.errors import IllegalMove, SetupError
from engine.moves import Place, Refill
from engine.phrases import phrase
from engine.result import Result
from engine.table import Step, Table
from engine.tiles import COSTS
from engine.track import MoonTrack

FULL = 20
FEWEST, MOST = 5, 20
FIRST_GAME = {3: 17, 4: 15}
"""The goal discs of the first-game variant by number of seats; there is none for two (1.2)."""

_step = tuple.__new__  # makes a step without checking its number of fields, for the hottest call

_RULES = {"discs": "4.1", "tiles": "4.2", "left": "4.3", "ended": "4.2"}


def goal_discs(seats: int, discs: str | int) -> int:
    """Return a player's number of goal discs (1.2).

    Args:
        seats: the number of players.
        discs: "full", "first_game" or a number from 5 to 20.

    Raises:
        SetupError: there is no such game.
    """
    if discs == "full":
        return FULL
    if discs == "first_game":
        if seats not in FIRST_GAME:
            raise SetupError("no_first_game", "The first-game variant is for 3 or 4 players.", "1.2")
        return FIRST_GAME[seats]
    if type(discs) is not int or not FEWEST <= discs <= MOST:
        why = phrase(
            "Goal discs are 'full', 'first_game' or a number from %(fewest)s to %(most)s.", fewest=FEWEST, most=MOST
        )
        raise SetupError("bad_discs", why, "1.2")
    return discs


class Match(Table):
    """The state of a match; `moon` is the moon track, and `Table` has the rest."""

    __slots__ = ("moon",)

    kind: ClassVar[str] = "match"

    def __init__(self, seats: int, goal_discs: int, tiles: Sequence[int], stack: Sequence[int]) -> None:
        """Set up a match at its start.

        Args:
            seats: the number of players.
            goal_discs: the goal discs of each player.
            tiles: the tiles in draw order, all 68 or as far as shown.
            stack: the starting pile, seats bottom first.

        Raises:
            SetupError: there is no such game.
        """
        if type(seats) is not int or not 2 <= seats <= 4:
            raise SetupError("bad_seats", "A match has 2 to 4 seats.", "1.2")
        if type(goal_discs) is not int or not FEWEST <= goal_discs <= MOST:
            why = phrase("A player has %(fewest)s to %(most)s goal discs.", fewest=FEWEST, most=MOST)
            raise SetupError("bad_discs", why, "1.2")
        if len(stack) != seats:
            raise SetupError("bad_stack", "The starting pile holds each seat's disc once.", "1.3")
        super().__init__(seats, goal_discs, tiles)
        self.moon = MoonTrack(stack)
        self.turn = self.moon.order[0]

    def may_refill(self) -> bool:
        """Return whether the player to move may refill: with 1 or 2 tiles left and a pile to draw from (2.2)."""
        return self.result is None and len(self.wheel.ring) <= 2 and self.wheel.pile_size > 0

    def discs_at_hand(self) -> int:
        """Return the number of discs that the player to move may place now."""
        return 0 if self.turn is None else self.discs_left[self.turn]

    def _refill(self, seat: int, move: Refill) -> Step:
        if not self.may_refill():
            why = phrase("The draw pile is empty.")
            if self.wheel.pile_size:
                left = len(self.wheel.ring)
                why = phrase("A refill needs 1 or 2 tiles left on the selection track; there are %(left)s.", left=left)
            raise self._refuse_refill(why, "2.2")
        return Step(self, seat, move, seat, None, None, (), self.wheel.refill(), seat, None)

    def _take(self, seat: int, tile: int, cell: int, move: Place) -> Step:
        wheel = self.wheel
        moon = self.moon
        space = wheel.take(tile)
        moved = moon.advance(COSTS[tile])
        self.turn = moon.order[0]
        covered = self.displays[seat].place(tile, cell, self.discs_left[seat])
        refilled: tuple[tuple[int, int], ...] = ()
        if covered:
            self.discs_left[seat] -= len(covered)
            if not self.discs_left[seat]:
                self._finish("discs")
        if not wheel.ring and self.result is None:
            # An automatic refill belongs to the move before it (2.2).
            refilled = wheel.refill()
            if not refilled:
                self._finish("tiles")
        return _step(Step, (self, seat, move, seat, space, moved, covered, refilled, self.turn, self.result))

    def _leave(self, seat: int) -> None:
        if seat in self.moon.left:
            raise IllegalMove("already_left", phrase("Seat %(seat)s has left the game already.", seat=seat), "4.3")
        self.moon.leave(seat)
        self.turn = self.moon.order[0]
        if len(self.moon.order) == 1:
            self._finish("left")

    def _end(self) -> None:
        self.turn = None
        self.result = Result(self.kind, "ended", tuple(self.discs_left))

    def _finish(self, reason: str) -> None:
        """End the match and rank the seats (4.1 to 4.3).

        Fewest discs left comes first, and ties go to who would have moved next. Players who left come last, the last to
        leave highest.
        """
        self.turn = None
        stayed = sorted(self.moon.order, key=lambda seat: self.discs_left[seat])  # a stable sort: ties keep the order
        self.result = Result(self.kind, reason, tuple(self.discs_left), (*stayed, *reversed(self.moon.left)))

    def _over_rule(self) -> str:
        assert self.result is not None
        return _RULES[self.result.reason]

    def _clone_rest(self, other: Self) -> None:
        other.moon = self.moon.clone()

    def _value(self) -> tuple[object, ...]:
        moon = self.moon
        return (*super()._value(), moon.order, moon.position, moon.left)
