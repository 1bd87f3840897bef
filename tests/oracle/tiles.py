"""The 68 tiles, read from `tests/data/tiles.csv`."""

import csv
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).resolve().parents[1] / "data"


class Tile(NamedTuple):
    """A tile: its color as a letter (b r t y), its time cost and its goals, each a string of such letters."""

    id: int
    color: str
    cost: int
    goals: list[str]


def read_tiles() -> dict[int, Tile]:
    """Return all tiles by their ids, 1 to 68."""
    tiles = {}
    with (DATA / "tiles.csv").open(newline="", encoding="ascii") as file:
        for row in csv.DictReader(file):
            goals = [row[name] for name in ("goal1", "goal2", "goal3") if row[name]]
            tiles[int(row["id"])] = Tile(int(row["id"]), row["color"][0], int(row["cost"]), goals)
    return tiles


TILES = read_tiles()
