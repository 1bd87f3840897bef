"""What is to be drawn: a table at one moment, and how it is to be looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from engine import State
from engine.game import Match
from service.language.people import People, display_name
from service.pictures import lettering
from service.pictures.palette import LIGHT, Scheme

_WIDEST = 1.18


class Part(StrEnum):
    """What of a table is drawn."""

    TABLE = "table"
    DISPLAY = "display"
    WHEEL = "wheel"
    TRACK = "track"


@dataclass(frozen=True, slots=True)
class Scene:
    """A table at one moment.

    `version` is the number of the last move, `last` the tile that it placed and by which seat, None if it placed none.
    `seat` is whose display comes first, None: of the player to move, else of the winner.
    """

    state: State
    people: People
    version: int
    last: tuple[int, int] | None = None
    seat: int | None = None
    scheme: Scheme = field(default=LIGHT)
    only_shipped_type: bool = False

    @property
    def first(self) -> int:
        """The seat whose display comes first."""
        if self.seat is not None:
            return self.seat
        if self.state.turn is not None:
            return self.state.turn
        ranking = self.state.result.ranking if self.state.result else None
        return ranking[0] if ranking else 0

    @property
    def order(self) -> tuple[int, ...]:
        """The seats in the order in which their displays are drawn."""
        return (self.first, *(seat for seat in range(self.state.seats) if seat != self.first))

    def name(self, seat: int) -> str:
        """A player's name as it is drawn. Where only the shipped type is at hand and lacks one of its characters, it
        is `Player 2`, as for somebody without a name."""
        name = self.people.called(seat)
        if self.only_shipped_type and not lettering.can_write(name):
            return display_name(None, seat, self.people.language)
        return name

    def short_name(self, seat: int, room: float) -> str:
        """The same, or as much of it as goes into `room` in the size of names."""
        return lettering.fit(self.name(seat), room / self.spread, lettering.NAME, lettering.BOLD)

    @property
    def spread(self) -> float:
        """How much wider text may be than it is in the shipped type: a browser may draw with DejaVu."""
        return 1.0 if self.only_shipped_type else _WIDEST

    def has_letters(self, seat: int) -> bool:
        """Whether this seat's open cells have letters: those of the player to move."""
        return seat == self.state.turn

    def last_of(self, seat: int) -> int | None:
        """The tile that the last move placed on this seat's display."""
        return self.last[0] if self.last and self.last[1] == seat else None

    def has_left(self, seat: int) -> bool:
        """Whether this seat has left the game."""
        return isinstance(self.state, Match) and seat in self.state.moon.left

    def place(self, seat: int) -> int | None:
        """The seat's place at the end, from 1; None while the game runs and where there is no ranking."""
        result = self.state.result
        return result.ranking.index(seat) + 1 if result and result.ranking else None
