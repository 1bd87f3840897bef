"""The overlay on a display that shows why a goal is met or not: the tiles that count, joined as their chains are."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.display import Display
from engine.goals import SIDES, ExplainedGoal
from engine.tiles import TILES
from service.pictures.palette import INK, Scheme
from service.pictures.svg import element
from service.pictures.tile import SIDE, goal_box

Cell = tuple[int, int]
Point = tuple[float, float]
Corner = Callable[[int, int], Point]
"""A function that returns the upper left corner of a cell in the picture."""

_VEIL = 0.76
"""How much of a tile that has nothing to do with the goal is covered."""


def overlay(display: Display, goal: ExplainedGoal, corner: Corner, side: float, scheme: Scheme) -> str:
    """Draw the overlay of a goal over a display that is drawn already.

    Other tiles are veiled. The tiles that count have frames, joined by links wherever a chain goes on, and to the
    goal's tile, whose frame is thicker; the goal itself is outlined.
    """
    cells = {tile: (x, y) for tile, x, y, _ in display.placed()}
    counting = set(goal.counting)
    drawn = [_veil(corner(*cell), side, scheme) for tile, cell in cells.items() if tile not in counting | {goal.tile}]
    drawn += [_frame(corner(*cells[tile]), side, 0.05, scheme.ink) for tile in goal.counting]
    drawn += [_link(corner(*one), corner(*other), side, scheme) for one, other in _links(goal, cells)]
    drawn.append(_frame(corner(*cells[goal.tile]), side, 0.085, scheme.gold))
    drawn.append(_goal(goal, corner(*cells[goal.tile]), side))
    return element("g", *drawn, data_why=goal.name)


def _links(goal: ExplainedGoal, cells: dict[int, Cell]) -> Iterator[tuple[Cell, Cell]]:
    """Yield the pairs of neighboring cells where a chain goes on, or touches the goal's tile."""
    x, y = cells[goal.tile]
    for color in goal.colors:
        for chain in color.chains:
            there = {cells[tile] for tile in chain.tiles}
            yield from (((x, y), (x + SIDES[side][0], y + SIDES[side][1])) for side in chain.sides)
            for cell in sorted(there):
                yield from ((cell, near) for near in _after(cell) if near in there)


def _after(cell: Cell) -> tuple[Cell, Cell]:
    return (cell[0] + 1, cell[1]), (cell[0], cell[1] + 1)


def _veil(at: Point, side: float, scheme: Scheme) -> str:
    return element("rect", x=at[0], y=at[1], width=side, height=side, fill=scheme.ground, fill_opacity=_VEIL)


def _frame(at: Point, side: float, share: float, color: str) -> str:
    width = max(2.0, side * share)
    return element(
        "rect", x=at[0] + width / 2, y=at[1] + width / 2, width=side - width, height=side - width, rx=side * 0.16,
        fill="none", stroke=color, stroke_width=width,
    )  # fmt: skip


def _link(one: Point, other: Point, side: float, scheme: Scheme) -> str:
    """Draw a link over the edge between two neighboring cells."""
    x, y = ((one[0] + other[0]) + side) / 2, ((one[1] + other[1]) + side) / 2
    across = one[1] == other[1]
    long, short = side * 0.34, side * 0.15
    width, height = (long, short) if across else (short, long)
    return element(
        "rect", x=x - width / 2, y=y - height / 2, width=width, height=height, rx=short / 2,
        fill=scheme.gold, stroke=scheme.ground, stroke_width=max(1.0, side * 0.02),
    )  # fmt: skip


def _goal(goal: ExplainedGoal, at: Point, side: float) -> str:
    """Outline the goal on its tile, which is drawn with a gap around it."""
    gap = max(1.0, float(round(side * 0.04)))
    scale = (side - 2 * gap) / SIDE
    box = goal_box(goal.tile, goal.goal)
    return element(
        "rect", x=at[0] + gap + box.x * scale - 2, y=at[1] + gap + box.y * scale - 2, width=box.width * scale + 4,
        height=box.height * scale + 4, rx=box.height * scale / 2 + 2, fill="none",
        stroke=INK[TILES[goal.tile].letter], stroke_width=2.5,
    )  # fmt: skip
