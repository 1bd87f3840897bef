"""The legal moves of the player to move, as a lazy sequence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

from engine.display import xy
from engine.moves import REFILL, Move, Place
from engine.wheel import CHOICES


class LegalMoves(Sequence[Move]):
    """All legal moves of the player to move: placements, then the refill if it is allowed.

    Placements are ordered by choice, nearest the marker first, then by cell in the order in which the cells opened
    (sorting them would cost as much as a move); `cells` has them in reading order. The sequence is empty when the game
    is over. Leaving is always possible and is not listed.
    """

    __slots__ = ("_cells", "refill", "tiles")

    def __init__(self, tiles: list[int], frontier: Iterable[int], refill: bool) -> None:
        self.tiles = tiles
        self.refill = refill
        self._cells = [*frontier]

    @property
    def cells(self) -> list[tuple[int, int]]:
        """The cells (x, y) where a tile may go, in reading order: by y, then by x."""
        return [xy(cell) for cell in sorted(self._cells)]

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
        if index < 0:
            index += len(self)
        choice = index // len(cells) if cells and index >= 0 else CHOICES
        if choice < len(self.tiles):
            cell = cells[index % len(cells)]
            y = (cell + 128) >> 8
            return _new(Place, (self.tiles[choice], cell - (y << 8), y))
        if self.refill and index == len(self.tiles) * len(cells):
            return REFILL
        raise IndexError(index)


_new = tuple.__new__  # makes a placement without checking its number of fields: bots spend their time here
