"""Why the goals of a display are met or not: the chains that touch their tiles, what counts, what is missing (3.1–3.5).

The answer follows from the tiles and their places alone, not from what a display has counted while it grew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.display import Display
from engine.solo import Solo
from engine.table import Table
from engine.tiles import LETTERS, TILES

Cell = tuple[int, int]

SIDES: Mapping[str, Cell] = {"above": (0, -1), "left": (-1, 0), "right": (1, 0), "below": (0, 1)}
"""The sides of a tile, and where its neighbor at each side lies."""


@dataclass(frozen=True, slots=True)
class TouchingChain:
    """A chain that touches a tile at one side or at several (3.2).

    Attributes:
        tiles: the ids of its tiles in the order of placement, without the tile itself, which never counts (3.3).
        sides: the sides of the tile where it touches, names of `SIDES`.
    """

    tiles: tuple[int, ...]
    sides: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskedColor:
    """A color that a goal asks for, given by its letter: how many tiles it needs, and the chains that have some."""

    letter: str
    needed: int
    chains: tuple[TouchingChain, ...]

    @property
    def counted(self) -> int:
        """The number of tiles that count."""
        return sum(len(chain.tiles) for chain in self.chains)

    @property
    def missing(self) -> int:
        """The number of tiles that it lacks; 0 if there are enough."""
        return max(0, self.needed - self.counted)


@dataclass(frozen=True, slots=True)
class ExplainedGoal:
    """A goal of a placed tile, and why it is met or not.

    Attributes:
        tile: the tile's id.
        goal: which of its goals, from 0.
        covered: whether a goal disc lies on it.
        colors: the colors that it asks for, in the order of `LETTERS`.
        rules: the numbers of the rulings that decide it.
    """

    tile: int
    goal: int
    covered: bool
    colors: tuple[AskedColor, ...]
    rules: tuple[str, ...]

    @property
    def asks(self) -> str:
        """The letters of the tiles that it asks for, as on the tile."""
        return TILES[self.tile].goals[self.goal]

    @property
    def name(self) -> str:
        """The goal as the text notation names it, counted from 1: `34.2`."""
        return f"{self.tile}.{self.goal + 1}"

    @property
    def is_met(self) -> bool:
        """True if there are enough tiles of each color; a covered goal stays so."""
        return not self.missing

    @property
    def counting(self) -> tuple[int, ...]:
        """The ids of the tiles that count for it, by color and chain."""
        return tuple(tile for color in self.colors for chain in color.chains for tile in chain.tiles)

    @property
    def missing(self) -> dict[str, int]:
        """The tiles that it lacks, as color letters with numbers; empty if it is met."""
        return {color.letter: color.missing for color in self.colors if color.missing}


def explained(state: Table, seat: int) -> tuple[ExplainedGoal, ...]:
    """Return all goals on a seat's display, by tile in the order of placement, with why each is met or not."""
    in_phase_1 = isinstance(state, Solo) and state.phase == 1
    return tuple(_explained(state.displays[seat], "5.4" if in_phase_1 else "3.5"))


def _explained(display: Display, waiting: str) -> Iterator[ExplainedGoal]:
    """Yield the goals of a display; `waiting` is the ruling for a goal that is met and waits for a disc."""
    placed = list(display.placed())
    tiles = {(x, y): tile for tile, x, y, _ in placed}
    chains = _chains(tiles)
    members: dict[frozenset[Cell], list[int]] = {}
    for cell, tile in tiles.items():
        members.setdefault(chains[cell], []).append(tile)
    for tile, x, y, covered in placed:
        beside = _touching(tile, (x, y), chains, members)
        for index, goal in enumerate(TILES[tile].goals):
            colors = tuple(
                AskedColor(letter, goal.count(letter), beside.get(letter, ())) for letter in LETTERS if letter in goal
            )
            is_covered, is_met = index in covered, not any(color.missing for color in colors)
            last = "3.5" if is_covered else waiting if is_met else ""
            yield ExplainedGoal(tile, index, is_covered, colors, _rules(tile, colors, last))


def _chains(tiles: Mapping[Cell, int]) -> dict[Cell, frozenset[Cell]]:
    """Return the chain of each cell: the cells of its color that are joined to it at sides (3.2)."""
    chains: dict[Cell, frozenset[Cell]] = {}
    for start in tiles:
        if start in chains:
            continue
        found, todo = {start}, [start]
        while todo:
            for near in _beside(todo.pop()).values():
                if near in tiles and near not in found and TILES[tiles[near]].letter == TILES[tiles[start]].letter:
                    found.add(near)
                    todo.append(near)
        chain = frozenset(found)
        chains |= dict.fromkeys(found, chain)
    return chains


def _touching(
    tile: int, cell: Cell, chains: Mapping[Cell, frozenset[Cell]], members: Mapping[frozenset[Cell], list[int]]
) -> dict[str, tuple[TouchingChain, ...]]:
    """Return the chains that touch a tile, by their color's letter, each once (3.2); `members` has their tiles."""
    sides: dict[frozenset[Cell], list[str]] = {}
    for side, near in _beside(cell).items():
        if near in chains:
            sides.setdefault(chains[near], []).append(side)
    found: dict[str, tuple[TouchingChain, ...]] = {}
    for chain, touched in sides.items():
        ids = tuple(each for each in members[chain] if each != tile)
        letter = TILES[ids[0]].letter
        found[letter] = (*found.get(letter, ()), TouchingChain(ids, tuple(touched)))
    return found


def _beside(cell: Cell) -> dict[str, Cell]:
    return {side: (cell[0] + x, cell[1] + y) for side, (x, y) in SIDES.items()}


def _rules(tile: int, colors: tuple[AskedColor, ...], met: str) -> tuple[str, ...]:
    """Return the numbers of the rulings that decide a goal; `met` is the one for a goal that is met, or empty."""
    chains = [chain for color in colors for chain in color.chains]
    joined = any(len(chain.tiles) > 1 or len(chain.sides) > 1 for chain in chains)
    own = any(color.letter == TILES[tile].letter for color in colors)
    said = ("3.1", "3.2" if joined else "", "3.3" if own else "", met)
    return tuple(rule for rule in said if rule)
