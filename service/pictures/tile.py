"""A tile: its time cost, number, color, and goals as rows of marks, with a player's disc on each covered goal."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, lru_cache
from typing import NamedTuple

from engine.tiles import LETTERS, TILES
from service.pictures import lettering, moons
from service.pictures.marks import mark
from service.pictures.palette import BODY, COVERED, INK, NIGHT, PIP
from service.pictures.svg import element, moved

SIDE = 64.0
"""The side of the square that a tile is drawn in before it is scaled."""

_TOP, _BOTTOM = 24.0, 62.0
_HIGHEST, _WIDEST = 17.0, 14.2
"""The largest height of a goal's row, and the largest width of a mark in it."""

_MOST, _LONGEST = 3, 4
"""The most goals on a tile, which have smaller rows, and the most tiles that a goal asks for."""


def tile(
    number: int,
    x: float,
    y: float,
    side: float,
    edge: dict[str, str],
    *,
    covered: Collection[int] = (),
    seat: int = 0,
    is_choice: bool = False,
) -> str:
    """Draw a tile with its upper left corner at (x, y), named by `data-tile` and `data-goal` for scripts.

    Args:
        edge: the colors of the edge by the tile's letter.
        covered: the indexes of the goals that have a disc of `seat` on them.
        is_choice: whether the tile can be taken; it has the class `choice` then.
    """
    drawn = _drawn(number, edge[TILES[number].letter], tuple(covered), seat if covered else None)
    return f"{_placed(number, x, y, side / SIDE, is_choice)}{drawn}</g>"


@lru_cache(maxsize=4096)
def _placed(number: int, x: float, y: float, scale: float, is_choice: bool) -> str:
    """Begin the group of a tile at a place; the last ones are cached, since tiles mostly stay where they are."""
    named = {"class": "choice"} if is_choice else {}
    return moved(x, y, scale=scale, data_tile=number, **named).removesuffix("/>") + ">"


@lru_cache(maxsize=512)
def _drawn(number: int, edge: str, covered: tuple[int, ...], seat: int | None) -> str:
    """Draw a tile at its own size; the last ones are cached, since the same tiles are on many tables."""
    found = TILES[number]
    letter = found.letter
    body = element("use", href=f"#tile-{letter}", stroke=edge)
    head = lettering.text(6, 22, str(found.cost), 22, INK[letter], weight=lettering.BOLD) + lettering.text(
        61, 19, str(number), 12, INK[letter], anchor="end"
    )
    rows = (
        element("g", _goal(number, index, seat if index in covered else None), data_goal=f"{number}.{index + 1}")
        for index in range(len(found.goals))
    )
    return "".join((body, head, *rows))


@cache
def definitions() -> str:
    """Return the definitions of what tiles have in common, for the `defs` of a document with tiles and marks."""
    bodies = (
        element(
            "g",
            element("rect", x=1, y=1, width=62, height=62, rx=10, fill=BODY[letter], stroke_width=2),
            element(
                "g",
                mark(letter, 25.5, 14, 5.2),
                lettering.text(36, 19.5, letter, 14, INK[letter], weight=lettering.BOLD, anchor="middle"),
                fill=INK[letter],
                stroke="none",
            ),
            id=f"tile-{letter}",
        )
        for letter in LETTERS
    )
    goals = (
        element("rect", x=SIDE / 2 - width / 2, width=width, height=row - 1, rx=(row - 1) / 2, fill=NIGHT, id=id)
        for goals in (1, _MOST)
        for row in (_row(goals),)
        for count in range(1, _LONGEST + 1)
        for width, id in ((_width(goals, count), f"goal-{count}{_size(goals)}"),)
    )
    pips = (
        element("g", mark(letter, 0, 0, _step(goals) * 0.4, PIP[letter]), id=f"pip-{letter}{_size(goals)}")
        for goals in (1, _MOST)
        for letter in LETTERS
    )
    return "".join((*bodies, *goals, *pips))


class Box(NamedTuple):
    """A rectangle in the square of `SIDE`."""

    x: float
    y: float
    width: float
    height: float


def goal_box(number: int, index: int) -> Box:
    """Return where a tile's goal is drawn on it."""
    goals = TILES[number].goals
    row, width = _row(len(goals)), _width(len(goals), len(goals[index]))
    middle = (_TOP + _BOTTOM - row * len(goals)) / 2 + row * (index + 0.5)
    return Box(SIDE / 2 - width / 2, middle - (row - 1) / 2, width, row - 1)


def _row(goals: int) -> float:
    """Return the height of the row of a goal on a tile with this number of them."""
    return min(_HIGHEST, (_BOTTOM - _TOP) / goals)


def _step(goals: int) -> float:
    """Return the distance between the marks of a goal."""
    return min(_WIDEST, _row(goals))


def _width(goals: int, marks: int) -> float:
    return _step(goals) * marks + 2


def _size(goals: int) -> str:
    """Return the end of the definitions' ids for a tile with this number of goals; three have smaller rows."""
    return "" if goals < _MOST else "-small"


def _goal(number: int, index: int, seat: int | None) -> str:
    """Draw a goal as a row of marks on a piece of night sky; if it is covered, with a disc over it."""
    goals, box = TILES[number].goals, goal_box(number, index)
    goal, size, middle = goals[index], _size(len(goals)), box.y + box.height / 2
    if seat is not None:
        return element(
            "rect", x=box.x, y=box.y, width=box.width, height=box.height, rx=box.height / 2,
            fill=COVERED[TILES[number].letter],
        ) + moons.disc(seat, SIDE / 2, middle, (box.height + 1) * 0.49)  # fmt: skip
    step = _step(len(goals))
    first = SIDE / 2 - step * (len(goal) - 1) / 2
    return element("use", href=f"#goal-{len(goal)}{size}", y=box.y) + "".join(
        element("use", href=f"#pip-{asked}{size}", x=first + step * place, y=middle) for place, asked in enumerate(goal)
    )
