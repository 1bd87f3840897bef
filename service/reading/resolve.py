"""What was written, looked at beside the table: the placement that it means, or why it can't be said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.moves import Place
from service.language.cell_letters import Cell
from service.reading.commands import Pick


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a pick can't be played as it stands.

    `about` is what is not clear: `number` (it is that of a choice and that of another choice's tile: `readings` has
    both placements, the choice first), `choice` (there is none of that number), or `cell` (no open cell has these letters).
    """

    readings: tuple[Place, ...]
    about: Literal["number", "choice", "cell"]


def resolve(pick: Pick, choices: Sequence[int], cells: Mapping[str, Cell]) -> Place | Doubt:
    """The placement, given the tiles that may be taken in their order and the open cells by their letters.

    A tile that was called a tile and a cell given by x and y are taken as they are: whether they may be played is for
    the rules to say, who say why not.
    """
    at = pick.at if pick.at is not None else cells.get(pick.cell or "")
    tiles = _tiles(pick, choices)
    if not tiles:
        return Doubt((), "choice")
    if at is None:
        return Doubt((), "cell")
    readings = tuple(Place(tile, *at) for tile in tiles)
    return readings[0] if len(readings) == 1 else Doubt(readings, "number")


def _tiles(pick: Pick, choices: Sequence[int]) -> list[int]:
    """The tiles that the number can mean; a choice's comes first, and one that is both counts once."""
    if pick.choice is None:
        return [] if pick.tile is None else [pick.tile]
    found = [choices[pick.choice - 1]] if 1 <= pick.choice <= len(choices) else []
    if pick.tile is not None and pick.tile in choices and pick.tile not in found:
        found.append(pick.tile)
    return found
