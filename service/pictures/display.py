"""A player's display: the placed tiles, discs on covered goals, and the open cells with their letters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import floor

from engine.display import Display
from engine.goals import ExplainedGoal
from service.language.cell_letters import lettered
from service.pictures import lettering
from service.pictures.palette import Scheme
from service.pictures.svg import element
from service.pictures.tile import tile
from service.pictures.why import overlay

AXIS = 22.0
"""The room for the coordinates above a display and to the left of it."""

_LABEL = 15.0


@dataclass(frozen=True, slots=True)
class Extent:
    """The cells that a drawing of a display shows: the leftmost, the topmost, and how many in each direction."""

    left: int
    top: int
    columns: int
    rows: int

    def side(self, width: float, height: float, largest: float) -> float:
        """Return the largest size of a cell at which all of them and their coordinates fit into a box.

        It is a whole number of pixels, so that equal shapes are drawn equal, which makes a PNG smaller by a fifth.
        """
        return max(1.0, float(floor(min(largest, (width - AXIS) / self.columns, height / self.rows))))


def extent(display: Display, *, letters: bool) -> Extent:
    """Return the extent of the cells with tiles and, with `letters`, the open ones; a single cell if there are none."""
    cells = [(x, y) for _, x, y, _ in display.placed()] + (display.open_cells() if letters else []) or [(0, 0)]
    xs, ys = [x for x, _ in cells], [y for _, y in cells]
    return Extent(min(xs), min(ys), max(xs) - min(xs) + 1, max(ys) - min(ys) + 1)


def display(
    display: Display,
    seat: int,
    x: float,
    y: float,
    side: float,
    scheme: Scheme,
    *,
    letters: bool,
    last: int | None,
    why: ExplainedGoal | None = None,
) -> str:
    """Draw a display with the upper left corner of its cells at (x, y) and cells of this size.

    Its coordinates stand above and to the left; those of the first tile's cell are gold.

    Args:
        letters: label the open cells with the letters that the player to move answers with.
        last: the tile that was placed last, which gets a frame.
        why: a goal on the display, over which is drawn why it is met or not.
    """
    shown = extent(display, letters=letters)

    def corner(column: int, row: int) -> tuple[float, float]:
        return x + (column - shown.left) * side, y + (row - shown.top) * side

    gap = max(1.0, float(round(side * 0.04)))
    drawn = [*_axes(shown, x, y, side, scheme)]
    for number, column, row, covered in display.placed():
        at_x, at_y = corner(column, row)
        if number == last:
            drawn.append(_frame(at_x, at_y, side, scheme))
        drawn.append(tile(number, at_x + gap, at_y + gap, side - 2 * gap, scheme.edge, covered=covered, seat=seat))
    if letters:
        for letter, (column, row) in lettered(display.open_cells()):
            drawn.append(_open(letter, *corner(column, row), side, scheme.line, scheme.ink))
    if why is not None:
        drawn.append(overlay(display, why, corner, side, scheme))
    return "".join(drawn)


def _axes(shown: Extent, x: float, y: float, side: float, scheme: Scheme) -> Iterator[str]:
    """Draw the coordinates of the columns and the rows."""
    size = min(_LABEL, side * 0.6)
    for column in range(shown.columns):
        yield _label(shown.left + column, x + (column + 0.5) * side, y - 6, size, scheme)
    for row in range(shown.rows):
        yield _label(shown.top + row, x - AXIS / 2, y + (row + 0.5) * side + size * 0.36, size, scheme)


def _label(at: int, x: float, y: float, size: float, scheme: Scheme) -> str:
    color, weight = (scheme.soft, lettering.REGULAR) if at else (scheme.gold, lettering.BOLD)
    return lettering.text(x, y, str(at), size, color, weight=weight, anchor="middle")


@lru_cache(maxsize=4096)
def _open(letter: str, x: float, y: float, side: float, line: str, ink: str) -> str:
    """Draw an open cell; the last ones are cached, since most of a display's are where they were before."""
    inset = side * 0.07
    edge = element(
        "rect", x=x + inset, y=y + inset, width=side - 2 * inset, height=side - 2 * inset, rx=side * 0.15,
        fill="none", stroke=line, stroke_width=max(1.0, side * 0.022), stroke_dasharray=f"{side * 0.09:.2f}",
    )  # fmt: skip
    name = lettering.text(
        x + side / 2, y + side * 0.64, letter, side * 0.4, ink, weight=lettering.BOLD, anchor="middle"
    )
    return element("g", edge, name, data_cell=letter)


def _frame(x: float, y: float, side: float, scheme: Scheme) -> str:
    width = max(1.5, side * 0.045)
    return element(
        "rect", x=x + width / 2 - 0.5, y=y + width / 2 - 0.5, width=side - width + 1, height=side - width + 1,
        rx=side * 0.17, fill="none", stroke=scheme.gold, stroke_width=width,
    )  # fmt: skip
