"""Resolve a written move against the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.moves import Place
from service.language.cell_letters import Cell
from service.reading.commands import Pick


@dataclass(frozen=True, slots=True)
class Unresolved:
    """The reason why a move cannot be resolved: there is no such choice, or no open cell has these letters."""

    about: Literal["choice", "cell"]


def resolve(pick: Pick, choices: Sequence[int], cells: Mapping[str, Cell]) -> Place | Unresolved:
    """Return the placement that a written move means.

    A tile given by its own number, and a cell given by its coordinates, are not checked here; the rules decide whether
    they may be played, and say why not.

    Args:
        pick: the move as it was written.
        choices: the tiles that may be taken, in order.
        cells: the open cells by their letters.
    """
    at = pick.at if pick.at is not None else cells.get(pick.cell or "")
    tile = pick.tile
    if pick.choice is not None:
        if not 1 <= pick.choice <= len(choices):
            return Unresolved("choice")
        tile = choices[pick.choice - 1]
    if tile is None:
        return Unresolved("choice")
    return Unresolved("cell") if at is None else Place(tile, *at)
