"""The tile catalog: the 68 tiles as data, read from `tiles.csv` and checked at import.

The rulebooks print no tile list; the file is the one agreed on in RULINGS.md. A wrong copy must not start, because
every game that was ever played is replayed with these tiles.
"""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from importlib.resources import files

LETTERS = "brty"
"""The letters of the four colors, in the order of `COLORS`, as goals spell them."""

COLORS = ("blue", "red", "turquoise", "yellow")

COUNT = 68
"""The number of tiles; their ids run from 1 to this."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile: its id (1 to 68), color, time cost (1 to 7) and up to three goals.

    A goal is a string of color letters, one for each tile that it asks for: `"bby"` asks for two blue and one yellow.
    """

    id: int
    color: str
    cost: int
    goals: tuple[str, ...]

    @property
    def letter(self) -> str:
        """The color's letter: b, r, t or y."""
        return self.color[0]


def _read() -> tuple[Tile, ...]:
    with files("engine").joinpath("tiles.csv").open(encoding="ascii") as lines:
        return tuple(
            Tile(
                int(row["id"]),
                row["color"],
                int(row["cost"]),
                tuple(goal for goal in (row["goal1"], row["goal2"], row["goal3"]) if goal),
            )
            for row in csv.DictReader(lines)
        )


def check(tiles: tuple[Tile, ...]) -> None:
    """Compare a catalog with the known figures of RULINGS.md; raise ValueError that names a figure that differs."""

    def hold(fact: bool, figure: str) -> None:
        if not fact:
            raise ValueError(f"The tile catalog is damaged: {figure}.")

    hold([tile.id for tile in tiles] == list(range(1, COUNT + 1)), "the ids must run from 1 to 68")
    costs = {1: 1, 2: 2, 3: 4, 4: 4, 5: 3, 6: 2, 7: 1}
    for color in COLORS:
        found = Counter(tile.cost for tile in tiles if tile.color == color)
        hold(found == costs, f"each color has the time costs 1x1 2x2 4x3 4x4 3x5 2x6 1x7, {color} has not")
    for tile in tiles:
        hold(len(tile.goals) <= 3, f"a tile has at most three goals, tile {tile.id} has more")
        hold(tile.cost != 1 or not tile.goals, f"a tile of time cost 1 has no goal, tile {tile.id} has one")
        hold(tile.cost != 7 or len(tile.goals) == 3, f"a tile of time cost 7 has three goals, tile {tile.id} has not")
        for goal in tile.goals:
            hold(1 <= len(goal) <= 4 and set(goal) <= set(LETTERS), f"tile {tile.id} has a goal that asks for {goal!r}")


ALL: tuple[Tile, ...] = _read()
"""All 68 tiles in the order of their ids."""

check(ALL)

TILES: tuple[Tile, ...] = (Tile(0, "none", 0, ()), *ALL)
"""The tiles by id: `TILES[17]` is tile 17. Index 0 is no tile (ids start at 1)."""

COSTS: tuple[int, ...] = tuple(tile.cost for tile in TILES)
"""The time costs by tile id."""
