"""Build displays and tables for the rulebook examples; the engine and the oracle play each game side by side.

The tiles that an example needs come first in the draw order, in the order in which they are taken. So the needed tile
is always the next one clockwise from the marker, also after a refill, which continues clockwise from the marker.
"""

from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from engine.errors import IllegalMove
from engine.game import Match
from engine.moves import from_json
from engine.result import Result
from engine.solo import Solo
from engine.table import Step
from tests.oracle import display as oracle_displays
from tests.oracle import rules
from tests.support.plain import plain

State = TypeVar("State", bound=Match | Solo)


def draw_order(first: Iterable[int]) -> tuple[int, ...]:
    """Return all 68 tiles: the needed ones first, then the others by id."""
    first = tuple(first)
    return first + tuple(tile for tile in range(1, 69) if tile not in first)


class Table(Generic[State]):
    """A game that the engine and the oracle play side by side; they must agree after every move."""

    def __init__(self, engine: State, oracle: dict[str, Any]) -> None:
        self.engine = engine
        self.oracle = oracle
        self.agree()

    def agree(self) -> None:
        """Compare both states."""
        assert plain(self.engine) == rules.plain(self.oracle)

    def play(self, move: dict[str, Any]) -> Step:
        """Make this move, one of the record's move objects, for the player to move."""
        seat = self.engine.turn
        step = self.engine.advance(seat, from_json(move))
        self.oracle = rules.play(self.oracle, seat, move)
        self.agree()
        return step

    def place(self, tile: int, x: int, y: int) -> Step:
        """Take this tile and place it, for the player to move."""
        return self.play({"type": "place", "tile": tile, "x": x, "y": y})

    def refill(self) -> Step:
        """Refill the track, for the player to move."""
        return self.play({"type": "refill"})

    def refused(self, move: dict[str, Any]) -> str:
        """Return the ruling by which both refuse this move of the player to move; neither state changes."""
        before = self.engine.clone()
        seat = self.engine.turn
        try:
            self.engine.advance(seat, from_json(move))
        except IllegalMove as error:
            ruling = error.rule
        else:
            raise AssertionError(f"the engine allows {move}")
        try:
            rules.play(self.oracle, seat, move)
        except rules.Illegal as error:
            assert error.ruling == ruling
        else:
            raise AssertionError(f"the oracle allows {move}")
        assert self.engine == before
        self.agree()
        return ruling

    def place_quietly(self, tile: int | None = None) -> Step:
        """Take a tile (this one if given) for the player to move, so that as few goals as possible are met."""
        return self.play(min(self._placements(tile), key=self._goals_met_by))

    def place_greedily(self) -> Step:
        """Take a tile for the player to move, so that as many goals as possible are met."""
        return self.play(max(self._placements(None), key=self._goals_met_by))

    def _placements(self, tile: int | None) -> list[dict[str, Any]]:
        return [move for move in rules.legal(self.oracle) if move["type"] == "place" and tile in (None, move["tile"])]

    def _goals_met_by(self, move: dict[str, Any]) -> int:
        placed = {"tile": move["tile"], "x": move["x"], "y": move["y"], "covered": []}
        return len(oracle_displays.met_goals([*self.oracle["displays"][self.oracle["turn"]], placed]))

    def covered(self, tile: int) -> list[int]:
        """Return the indexes of a tile's covered goals on the first display."""
        for placed in plain(self.engine)["displays"][0]:
            if placed["tile"] == tile:
                covered: list[int] = placed["covered"]
                return covered
        raise AssertionError(f"tile {tile} is not on the display")

    def counting(self, tile: int, goal: int) -> list[int]:
        """Return the ids of the tiles that count for a goal on the first display, on which both agree."""
        counting = sorted(self.engine.displays[0].counting(tile, goal))
        assert counting == oracle_displays.counting(self.oracle["displays"][0], tile, goal)
        return counting


def ended(step: Step) -> Result:
    """Return the result that a step led to; fail if the game goes on."""
    assert step.ended is not None
    return step.ended


def result_of(table: Table[State]) -> Result:
    """Return the result of a table's game; fail if the game goes on."""
    assert table.engine.result is not None
    return table.engine.result


def solo_table(first: Iterable[int] = ()) -> Table[Solo]:
    """Return a solo whose draw order begins with these tiles."""
    tiles = draw_order(first)
    return Table(Solo(tiles), rules.new_solo(list(tiles)))


def match_table(seats: int, first: Iterable[int] = (), goal_discs: int = 20) -> Table[Match]:
    """Return a match whose draw order begins with these tiles; the starting pile is 0, 1, … from the bottom."""
    tiles, stack = draw_order(first), list(range(seats))
    return Table(Match(seats, goal_discs, tiles, stack), rules.new_match(seats, goal_discs, list(tiles), stack))


def display_of(*placements: tuple[int, int, int]) -> Table[Solo]:
    """Return a solo with a display of these placements: (tile, x, y).

    In a solo one player takes one tile after another. It covers at most 8 goals with its first 11 tiles.
    """
    table = solo_table(tile for tile, _, _ in placements)
    for tile, x, y in placements:
        table.place(tile, x, y)
    return table
