"""The input of a drawing: a table at one moment, and how to show it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from engine import State
from engine.game import Match
from engine.goals import ExplainedGoal, explained
from service.language.people import People
from service.pictures import lettering
from service.pictures.drawn_names import DrawnNames
from service.pictures.palette import LIGHT, Scheme


class Part(StrEnum):
    """The part of a table to draw."""

    TABLE = "table"
    DISPLAY = "display"
    WHEEL = "wheel"
    TRACK = "track"


@dataclass(frozen=True)
class Scene(DrawnNames):
    """A table at one moment.

    Attributes:
        version: the number of the last move.
        last: the tile that this move placed, and by which seat; None if it placed none.
        seat: whose display comes first; None: the player with the goal `why`, or else the player to move or the winner.
        why: a goal, by its tile and index, over which is drawn why it is met or not; None: none.
        caution: what the picture says at its top, lest it be taken for that of a game; empty for a game.
    """

    state: State
    people: People
    version: int
    last: tuple[int, int] | None = None
    seat: int | None = None
    scheme: Scheme = field(default=LIGHT)
    only_shipped_type: bool = False
    why: tuple[int, int] | None = None
    caution: str = ""

    @cached_property
    def explained(self) -> tuple[int, ExplainedGoal] | None:
        """The seat and the goal that `why` names; None if no tile on a display has such a goal."""
        if self.why is None:
            return None
        for seat, display in enumerate(self.state.displays):
            if any(tile == self.why[0] for tile, _, _, _ in display.placed()):
                goals = explained(self.state, seat)
                return next(((seat, goal) for goal in goals if (goal.tile, goal.goal) == self.why), None)
        return None

    def why_of(self, seat: int) -> ExplainedGoal | None:
        """Return the goal to explain on this seat's display."""
        found = self.explained
        return found[1] if found is not None and found[0] == seat else None

    @property
    def first(self) -> int:
        """The seat whose display comes first."""
        if self.seat is not None:
            return self.seat
        if self.explained is not None:
            return self.explained[0]
        if self.state.turn is not None:
            return self.state.turn
        ranking = self.state.result.ranking if self.state.result else None
        return ranking[0] if ranking else 0

    @property
    def order(self) -> tuple[int, ...]:
        """The seats in the order in which their displays are drawn."""
        return (self.first, *(seat for seat in range(self.state.seats) if seat != self.first))

    def short_name(self, seat: int, room: float) -> str:
        """Return a player's name, shortened to `room` at the font size of names."""
        return lettering.fit(self.name(seat), room / self.spread, lettering.NAME, lettering.BOLD)

    def has_letters(self, seat: int) -> bool:
        """Return whether this seat's open cells have letters, as those of the player to move do."""
        return seat == self.state.turn

    def last_of(self, seat: int) -> int | None:
        """Return the tile that the last move placed on this seat's display."""
        return self.last[0] if self.last and self.last[1] == seat else None

    def has_left(self, seat: int) -> bool:
        """Return whether this seat has left the game."""
        return isinstance(self.state, Match) and seat in self.state.moon.left

    def place(self, seat: int) -> int | None:
        """Return the seat's final rank, from 1; None while the game runs, and if there is no ranking."""
        result = self.state.result
        return result.ranking.index(seat) + 1 if result and result.ranking else None
