"""The common part of match and solo: wheel, displays, discs, the checks of a move, and the facts of a move.

`advance` is the one implementation of a move: in place, on a state that the caller owns, with full validation. A
refused move raises and changes nothing. `engine.apply` clones the state first.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar, NamedTuple, Self

from engine.display import Display
from engine.errors import GameOver, IllegalMove, MalformedMove
from engine.legal import LegalMoves
from engine.moves import End, Mark, Move, Place, Refill, Resign, Timeout, check_mark
from engine.phrases import Phrase, named, phrase
from engine.result import Result
from engine.tiles import COUNT
from engine.wheel import CHOICES, SPACES, Wheel


def no_such_seat(seat: object, seats: int) -> Phrase:
    """Return the sentence that a number is no seat at a table with `seats` seats."""
    return phrase("There is no seat %(seat)s here; the seats are 0 to %(last)s.", seat=named(seat), last=seats - 1)


class Step(NamedTuple):
    """The facts of one accepted move.

    Attributes:
        space: the space of the selection track where a placed tile was taken; None for other moves.
        moved: the positions on the moon track that the disc left and reached; None if none moved.
        covered: the covered goals as (tile id, goal index), in the order of covering.
        refilled: the filled spaces with their tiles.
        before: the seat whose turn it was.
        turn: the seat to move next; None when the game is over.
        ended: the result, if this move ended the game.
        state: the state after the step, until somebody advances it.
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
        """The tile that was taken and placed, else None."""
        return self.move.tile if isinstance(self.move, Place) else None

    @property
    def x(self) -> int | None:
        """The x coordinate of the placed tile, else None."""
        return self.move.x if isinstance(self.move, Place) else None

    @property
    def y(self) -> int | None:
        """The y coordinate of the placed tile, else None."""
        return self.move.y if isinstance(self.move, Place) else None

    @property
    def by_itself(self) -> bool:
        """True if the track was refilled automatically, as part of the move before (2.2, 5.2)."""
        return bool(self.refilled) and isinstance(self.move, Place)

    @property
    def turn_passed(self) -> bool:
        """True if it is now another player's turn than before."""
        return self.turn is not None and self.turn != self.before

    @property
    def covered_by(self) -> tuple[tuple[int, ...], ...]:
        """For each covered goal the ids of the tiles that count for it, in the present `state`."""
        return tuple(tuple(self.counting(tile, goal)) for tile, goal in self.covered)

    def counting(self, tile: int, goal: int) -> list[int]:
        """Return the ids of the tiles that count for a goal covered by this step, in the present `state`."""
        if self.seat is None:
            return []
        return self.state.displays[self.seat].counting(tile, goal)


class Table(ABC):
    """The state of a game, which is compared by value, copied by `clone`, and changed in place by `advance`.

    Attributes:
        displays: the displays by seat.
        discs_left: the goal discs left by seat.
        turn: the seat to move; None when the game is over.
        result: how the game ended; None while it runs.
    """

    __slots__ = ("discs_left", "displays", "goal_discs", "result", "seats", "turn", "wheel")

    kind: ClassVar[str]

    def __init__(self, seats: int, goal_discs: int, tiles: Sequence[int]) -> None:
        self.seats = seats
        self.goal_discs = goal_discs
        self.wheel = Wheel(tiles)
        self.displays = [Display() for _ in range(seats)]
        self.discs_left = [goal_discs] * seats
        self.turn: int | None = 0  # follows from the rest; stored, because every move reads it several times
        self.result: Result | None = None

    def clone(self) -> Self:
        """Return an independent copy of the state."""
        other = type(self).__new__(type(self))
        other.seats = self.seats
        other.goal_discs = self.goal_discs
        other.wheel = self.wheel.clone()
        other.displays = [display.clone() for display in self.displays]
        other.discs_left = self.discs_left.copy()
        other.turn = self.turn
        other.result = self.result
        self._clone_rest(other)
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self._value() == other._value()

    __hash__ = None  # type: ignore[assignment]  # a value, but one that can be advanced in place

    @abstractmethod
    def may_refill(self) -> bool:
        """Return whether the player to move may refill (2.2, 5.2)."""

    @abstractmethod
    def discs_at_hand(self) -> int:
        """Return the number of discs that the player to move may place now."""

    def advance(self, seat: int | None, move: Move) -> Step:
        """Make a move in place and return its facts; a refused move changes nothing.

        Args:
            seat: who moves; None for an end and for the host's marks.
            move: the move.

        Raises:
            MalformedMove: the values are no move.
            IllegalMove: the rules do not allow the move; GameOver if the game has ended.
            TilesNotShown: the state was made from a running game's shown tiles and needs more of them.
        """
        if type(move) is Place:
            tile = move.tile
            x = move.x
            y = move.y
            if seat != self.turn or type(seat) is not int:
                raise self._refuse_turn(seat)
            if tile not in self.wheel.ring[:CHOICES]:
                raise self._refuse_tile(tile)
            cell = (y << 8) + x
            # Beyond 127, a cell's number would name another cell; 68 tiles in a line reach 67.
            if cell not in self.displays[seat].frontier or not -128 < x < 128:
                raise self._refuse_cell(seat, x, y)
            if len(self.wheel.ring) == 1 and self._may_run_short():
                # Tried on a copy first: whether a refill is needed is known only after covering goals.
                self.clone()._take(seat, tile, cell, move)
            return self._take(seat, tile, cell, move)
        if type(move) is Refill:
            if seat != self.turn or type(seat) is not int:
                raise self._refuse_turn(seat)
            return self._refill(seat, move)
        return self._apart(seat, move)

    def legal_moves(self) -> LegalMoves:
        """Return the legal moves of the player to move, except leaving."""
        turn = self.turn
        if turn is None:
            return LegalMoves([], (), False)
        ring = self.wheel.ring
        return LegalMoves(ring[:CHOICES], self.displays[turn].frontier, len(ring) < SPACES - 1 and self.may_refill())

    @abstractmethod
    def _clone_rest(self, other: Self) -> None: ...

    @abstractmethod
    def _take(self, seat: int, tile: int, cell: int, move: Place) -> Step:
        """Make a placement, already checked, of the player to move."""

    @abstractmethod
    def _refill(self, seat: int, move: Refill) -> Step:
        """Check and make a refill of the player to move."""

    @abstractmethod
    def _leave(self, seat: int) -> None: ...

    @abstractmethod
    def _end(self) -> None: ...

    @abstractmethod
    def _over_rule(self) -> str: ...

    def _value(self) -> tuple[object, ...]:
        wheel = self.wheel
        return (
            self.seats,
            self.goal_discs,
            (wheel.tiles, wheel.marker, wheel.spaces(), wheel.shown),
            self.displays,
            self.discs_left,
            self.result,
        )

    def _may_run_short(self) -> bool:
        """Return whether a placement of the last tile may need a refill from tiles that this state does not know."""
        wheel = self.wheel
        return wheel.pile_size > 0 and len(wheel.tiles) < min(COUNT, wheel.shown + SPACES - 1)

    def _refuse_turn(self, seat: int | None) -> IllegalMove:
        self._check_seat(seat)
        if self.result is not None:
            return GameOver(self._over_rule())
        why = phrase("It is the turn of seat %(turn)s, not of seat %(seat)s.", turn=self.turn, seat=seat)
        return IllegalMove("not_your_turn", why, "2.1")

    def _refuse_tile(self, tile: int) -> IllegalMove:
        offered = ", ".join(map(str, self.wheel.choices()))
        return IllegalMove(
            "tile_not_offered",
            phrase(
                "Tile %(tile)s is not among those that can be taken, the next ones clockwise from the marker: "
                "%(offered)s.",
                tile=tile,
                offered=offered,
            ),
            "2.3",
        )

    def _refuse_cell(self, seat: int, x: int, y: int) -> IllegalMove:
        why = phrase("The cell %(x)s,%(y)s is taken or shares no side with a placed tile.", x=x, y=y)
        if not len(self.displays[seat]):
            why = phrase("The first tile goes to 0,0, not to %(x)s,%(y)s.", x=x, y=y)
        return IllegalMove("cell_not_open", why, "2.6")

    def _check_seat(self, seat: int | None) -> None:
        if type(seat) is not int or not 0 <= seat < self.seats:
            raise MalformedMove(no_such_seat(seat, self.seats))

    def _apart(self, seat: int | None, move: Move) -> Step:
        """Make a move that is neither a placement nor a refill, and so needs no turn."""
        before = self.turn
        if isinstance(move, Resign | Timeout):
            self._check_seat(seat)
            assert seat is not None
            if self.result is not None:
                raise GameOver(self._over_rule())
            self._leave(seat)
        elif isinstance(move, End):
            if seat is not None:
                raise MalformedMove("An end is nobody's move; it has no seat.")
            if self.result is not None:
                raise GameOver(self._over_rule())
            self._end()
        elif isinstance(move, Mark):
            check_mark(move)
            if seat is not None:
                self._check_seat(seat)
            if self.result is not None:
                raise GameOver(self._over_rule())
        else:
            raise MalformedMove(phrase("A %(thing)s is not a move.", thing=type(move).__name__))
        return Step(self, seat, move, before, None, None, (), (), self.turn, self.result)

    def _refuse_refill(self, why: Phrase, rule: str) -> IllegalMove:
        return IllegalMove("refill_not_allowed", why, rule)
