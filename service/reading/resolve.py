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
    """Why a pick can't be played as it stands: there is no such `choice`, or no open `cell` has these letters."""

    about: Literal["choice", "cell"]


def resolve(pick: Pick, choices: Sequence[int], cells: Mapping[str, Cell]) -> Place | Doubt:
    """The placement, given the tiles that may be taken in their order and the open cells by their letters.

    A tile that was called a tile and a cell given by x and y are taken as they are: whether they may be played is for
    the rules to say, who say why not.
    """
    at = pick.at if pick.at is not None else cells.get(pick.cell or "")
    tile = pick.tile
    if pick.choice is not None:
        if not 1 <= pick.choice <= len(choices):
            return Doubt("choice")
        tile = choices[pick.choice - 1]
    if tile is None:
        return Doubt("choice")
    return Doubt("cell") if at is None else Place(tile, *at)
