"""Orders of turns for simulated games with clocks: any order, or that of a real match with random moves."""

from random import Random
from typing import Any, Protocol

from engine.draw import Draw
from engine.game import Match
from engine.moves import RESIGN, TIMEOUT, to_json


class Turns(Protocol):
    """Something that says who is to move, and who after whom."""

    def first(self) -> int:
        """Return the seat that begins."""

    def after(self, mover: int | None, left: set[int]) -> list[int]:
        """Return the seats that would move next, one after the other, if the mover were gone."""

    def move(self, mover: int, left: set[int]) -> tuple[int | None, dict[str, Any]]:
        """Let the one to move move; return who is next, and what the event has besides."""

    def leave(self, seat: int, *, timeout: bool) -> None:
        """Let a seat leave."""


class AnyTurns:
    """Turns in any order, as no real match would have them."""

    def __init__(self, random: Random, seats: int) -> None:
        self.random = random
        self.seats = range(seats)

    def first(self) -> int:
        return self.random.choice(self.seats)

    def after(self, mover: int | None, left: set[int]) -> list[int]:
        others = [seat for seat in self.seats if seat not in left and seat != mover]
        self.random.shuffle(others)
        return others

    def move(self, mover: int, left: set[int]) -> tuple[int | None, dict[str, Any]]:
        if self.random.random() < 0.2:
            return mover, {}
        return None if self.random.random() < 0.004 else self.after(mover, left)[0], {}

    def leave(self, seat: int, *, timeout: bool) -> None:
        """Do nothing: who is next is chosen when it is asked."""


class MatchTurns:
    """The turns of a real match, whose draw and moves stand in the line."""

    def __init__(self, random: Random, draw: Draw) -> None:
        self.random = random
        self.match = Match(len(draw.entropy), 20, draw.tiles, draw.stack)

    def first(self) -> int:
        assert self.match.turn is not None
        return self.match.turn

    def after(self, mover: int | None, left: set[int]) -> list[int]:
        return [seat for seat in self.match.moon.order if seat != mover]

    def move(self, mover: int, left: set[int]) -> tuple[int | None, dict[str, Any]]:
        assert self.match.turn == mover
        legal = self.match.legal_moves()
        move = legal[self.random.randrange(len(legal))]
        self.match.advance(mover, move)
        return self.match.turn, {"move": to_json(move)}

    def leave(self, seat: int, *, timeout: bool) -> None:
        self.match.advance(seat, TIMEOUT if timeout else RESIGN)
