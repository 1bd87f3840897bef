"""Draw a display in plain text, for the text part of a mail."""

from __future__ import annotations

from service.mail.parts import Cell, Grid

_WIDTH = 4


def draw(grid: Grid) -> str:
    """Return one line per row, with coordinates at the edges: `r17` is red tile 17, a capital letter an open cell.

    No line ends with white space. An empty display without open cells has no lines. The bar keeps a row with one open
    cell from being read as a move: quoted in an answer, `1 F` would be one.
    """
    if not grid.rows:
        return ""
    edge = max(len(str(y)) for y, _ in grid.rows) + 2
    head = " " * edge + " |" + "".join(str(x).rjust(_WIDTH) for x in grid.xs)
    rows = [f"{y:>{edge}} |" + "".join(_mark(cell).rjust(_WIDTH) for cell in cells) for y, cells in grid.rows]
    return "\n".join(line.rstrip() for line in [head, *rows])


def _mark(cell: Cell) -> str:
    if cell.tile:
        return f"{cell.tile.letter}{cell.tile.id}"
    return cell.letter
