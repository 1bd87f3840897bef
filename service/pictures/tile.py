"""A tile: its time cost, number, color, and goals as rows of marks, with a player's disc on each covered goal."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import NamedTuple

from engine.tiles import TILES
from service.pictures import lettering, moons
from service.pictures.marks import mark
from service.pictures.palette import BODY, COVERED, INK, NIGHT, PIP
from service.pictures.svg import element, moved

SIDE = 64.0
"""The side of the square that a tile is drawn in before it is scaled."""

_TOP, _BOTTOM = 24.0, 62.0
_HIGHEST, _WIDEST = 17.0, 14.2
"""The largest height of a goal's row, and the largest width of a mark in it."""


def tile(
    number: int, x: float, y: float, side: float, edge: dict[str, str], *, covered: Collection[int] = (), seat: int = 0
) -> str:
    """Draw a tile with its upper left corner at (x, y), named by `data-tile` and `data-goal` for scripts.

    Args:
        edge: the colors of the edge by the tile's letter.
        covered: the indexes of the goals that have a disc of `seat` on them.
    """
    drawn = _drawn(number, edge[TILES[number].letter], tuple(covered), seat if covered else None)
    return moved(x, y, drawn, scale=side / SIDE, data_tile=number)


@lru_cache(maxsize=512)
def _drawn(number: int, edge: str, covered: tuple[int, ...], seat: int | None) -> str:
    """Draw a tile at its own size; the last ones are cached, since the same tiles are on many tables."""
    found = TILES[number]
    letter, goals = found.letter, found.goals
    ink = INK[letter]
    body = element("rect", x=1, y=1, width=62, height=62, rx=10, fill=BODY[letter], stroke=edge, stroke_width=2)
    head = (
        lettering.text(6, 22, str(found.cost), 22, ink, weight=lettering.BOLD)
        + mark(letter, 25.5, 14, 5.2, ink)
        + lettering.text(36, 19.5, letter, 14, ink, weight=lettering.BOLD, anchor="middle")
        + lettering.text(61, 19, str(number), 12, ink, anchor="end")
    )
    rows = (
        element(
            "g",
            _goal(goal, goal_box(number, index), seat if index in covered else None, letter),
            data_goal=f"{number}.{index + 1}",
        )
        for index, goal in enumerate(goals)
    )
    return "".join((body, head, *rows))


class Box(NamedTuple):
    """A rectangle in the square of `SIDE`."""

    x: float
    y: float
    width: float
    height: float


def goal_box(number: int, index: int) -> Box:
    """Return where a tile's goal is drawn on it."""
    goals = TILES[number].goals
    row = min(_HIGHEST, (_BOTTOM - _TOP) / len(goals))
    middle = (_TOP + _BOTTOM - row * len(goals)) / 2 + row * (index + 0.5)
    width = min(_WIDEST, row) * len(goals[index]) + 2
    return Box(SIDE / 2 - width / 2, middle - (row - 1) / 2, width, row - 1)


def _goal(goal: str, box: Box, seat: int | None, letter: str) -> str:
    """Draw a goal as a row of marks on a piece of night sky; if it is covered, with a disc over it."""
    middle = box.y + box.height / 2
    ground = element(
        "rect", x=box.x, y=box.y, width=box.width, height=box.height, rx=box.height / 2,
        fill=NIGHT if seat is None else COVERED[letter],
    )  # fmt: skip
    if seat is not None:
        return ground + moons.disc(seat, SIDE / 2, middle, (box.height + 1) * 0.49)
    step = min(_WIDEST, box.height + 1)
    first = SIDE / 2 - step * (len(goal) - 1) / 2
    radius = step * 0.4
    return ground + "".join(mark(asked, first + step * i, middle, radius, PIP[asked]) for i, asked in enumerate(goal))
