"""The legal moves of the player to move, as a sequence that isn't written out until asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from engine.display import xy
from engine.moves import REFILL, Move, Place


class LegalMoves(Sequence[Move]):
    """All legal moves of the player to move: placements, then the refill where it is allowed.

    Placements come by choice, nearest the marker first, then by cell in reading order. Empty when the game is over.
    Leaving is always possible and is not in it.
    """

    __slots__ = ("_cells", "refill", "tiles")

    def __init__(self, tiles: list[int], frontier: set[int], refill: bool) -> None:
        self.tiles = tiles
        self.refill = refill
        self._cells = sorted(frontier) if tiles else []

    @property
    def cells(self) -> list[tuple[int, int]]:
        """The cells (x, y) where a tile may go, in reading order."""
        return [xy(cell) for cell in self._cells]

    def __len__(self) -> int:
        return len(self.tiles) * len(self._cells) + self.refill

    @overload
    def __getitem__(self, index: int) -> Move: ...
    @overload
    def __getitem__(self, index: slice) -> list[Move]: ...
    def __getitem__(self, index: int | slice) -> Move | list[Move]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        cells = self._cells
        placements = len(self.tiles) * len(cells)
        if index < 0:
            index += placements + self.refill
        if 0 <= index < placements:
            cell = cells[index % len(cells)]
            y = (cell + 128) >> 8
            return Place(self.tiles[index // len(cells)], cell - (y << 8), y)
        if index == placements and self.refill:
            return REFILL
        raise IndexError(index)
