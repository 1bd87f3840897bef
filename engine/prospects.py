"""What a tile would do at each cell where it may go: how many goals it would cover there."""

from __future__ import annotations

from engine.display import Display, xy


def coverable(display: Display, tile: int, discs: int) -> dict[tuple[int, int], int]:
    """Return the open cells (x, y) at which a tile would cover goals with so many discs, each with how many; in reading
    order. Each is tried on a copy, which costs some microseconds."""
    tried = ((xy(cell), len(display.clone().place(tile, cell, discs))) for cell in sorted(display.frontier))
    return {cell: covered for cell, covered in tried if covered}
