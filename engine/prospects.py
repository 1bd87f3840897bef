"""Count the goals that a tile would cover at each cell where it may go."""

from __future__ import annotations

from engine.display import Display, xy


def coverable(display: Display, tile: int, discs: int) -> dict[tuple[int, int], int]:
    """Return the open cells (x, y) where a tile would cover goals, with how many, in reading order.

    Each cell is tried on a copy of the display, which takes a few microseconds.
    """
    tried = ((xy(cell), len(display.clone().place(tile, cell, discs))) for cell in sorted(display.frontier))
    return {cell: covered for cell, covered in tried if covered}
