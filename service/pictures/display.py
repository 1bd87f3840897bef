"""A player's display: the tiles where they lie, discs on covered goals, the open cells with their letters."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

from engine.display import Display
from service.language.cell_letters import lettered
from service.pictures import lettering
from service.pictures.palette import Scheme
from service.pictures.svg import element
from service.pictures.tile import tile

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Extent:
    """What cells a drawing of a display shows: the leftmost, the topmost, and how many each way."""

    left: int
    top: int
    columns: int
    rows: int

    def side(self, width: float, height: float, largest: float) -> float:
        """How large a cell can be for all of it to go into a box: whole pixels, so that what is the same is drawn the
        same, which makes a PNG smaller by a fifth."""
        return max(1.0, float(floor(min(largest, width / self.columns, height / self.rows))))


def extent(display: Display, *, letters: bool) -> Extent:
    """The cells with tiles and, with `letters`, the open ones; a single cell where there is neither."""
    cells = [(x, y) for _, x, y, _ in display.placed()] + (display.open_cells() if letters else []) or [(0, 0)]
    xs, ys = [x for x, _ in cells], [y for _, y in cells]
    return Extent(min(xs), min(ys), max(xs) - min(xs) + 1, max(ys) - min(ys) + 1)


def display(
    display: Display, seat: int, x: float, y: float, side: float, scheme: Scheme, *, letters: bool, last: int | None
) -> str:
    """A display with its upper left corner at (x, y), and cells of this size.

    `letters` names the open cells as the player who is to move answers with; `last` is the tile that was placed last,
    which is framed.
    """
    shown = extent(display, letters=letters)
    gap = max(1.0, float(round(side * 0.04)))
    drawn = []
    for number, column, row, covered in display.placed():
        at_x, at_y = x + (column - shown.left) * side, y + (row - shown.top) * side
        if number == last:
            drawn.append(_frame(at_x, at_y, side, scheme))
        drawn.append(tile(number, at_x + gap, at_y + gap, side - 2 * gap, scheme.edge, covered=covered, seat=seat))
    if letters:
        for letter, (column, row) in lettered(display.open_cells()):
            drawn.append(_open(letter, x + (column - shown.left) * side, y + (row - shown.top) * side, side, scheme))
    return "".join(drawn)


def _open(letter: str, x: float, y: float, side: float, scheme: Scheme) -> str:
    inset = side * 0.07
    return element(
        "rect", x=x + inset, y=y + inset, width=side - 2 * inset, height=side - 2 * inset, rx=side * 0.15,
        fill="none", stroke=scheme.line, stroke_width=max(1.0, side * 0.022), stroke_dasharray=f"{side * 0.09:.2f}",
    ) + lettering.text(
        x + side / 2, y + side * 0.64, letter, side * 0.4, scheme.ink, weight=lettering.BOLD, anchor="middle"
    )  # fmt: skip


def _frame(x: float, y: float, side: float, scheme: Scheme) -> str:
    width = max(1.5, side * 0.045)
    return element(
        "rect", x=x + width / 2 - 0.5, y=y + width / 2 - 0.5, width=side - width + 1, height=side - width + 1,
        rx=side * 0.17, fill="none", stroke=scheme.gold, stroke_width=width,
    )  # fmt: skip
