"""The parts that all plots share: a heading, a frame with grid lines, and the numbers of the moves below it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from engine.story import Story
from service.pictures import lettering
from service.pictures.palette import Scheme
from service.pictures.svg import element, number

WIDTH = 700.0
LEFT, RIGHT = 92.0, 676.0
EDGE = 20.0
"""Where headings and what an axis counts begin."""
HEADING, SMALL = 19.0, 15.0
_MOST_TICKS = 8

Scale = Callable[[float], float]
"""A function from values to coordinates."""


@dataclass(frozen=True, slots=True)
class Area:
    """The place of a plot: its upper and lower edge."""

    top: float
    bottom: float

    def scale(self, least: float, most: float) -> Scale:
        """Return the vertical scale on which `least` is at the bottom and `most` at the top."""
        span = (most - least) or 1
        return lambda value: self.bottom - (value - least) / span * (self.bottom - self.top)


def across(most: int) -> Scale:
    """Return the horizontal scale from 0 to `most`: of the moves, or of time spent."""
    return lambda place: LEFT + place / max(1, most) * (RIGHT - LEFT)


def step(most: int, ticks: int = _MOST_TICKS) -> int:
    """Return the distance between the ticks of an axis: 1, 2 or 5 times a power of ten."""
    size = 1
    while True:
        for factor in (1, 2, 5):
            if most <= factor * size * ticks:
                return factor * size
        size *= 10


def heading(text: str, area: Area, scheme: Scheme) -> str:
    """Draw the heading of a plot, above its area."""
    return lettering.text(EDGE, area.top - 22, text, HEADING, scheme.ink, weight=lettering.BOLD)


def levels(ticks: Iterable[tuple[float, str]], scale: Scale, scheme: Scheme) -> str:
    """Draw horizontal grid lines with their labels."""
    drawn = []
    for value, label in ticks:
        y = scale(value)
        drawn.append(
            element("line", x1=LEFT, y1=y, x2=RIGHT, y2=y, stroke=scheme.line, stroke_width=1, stroke_opacity=0.35)
        )
        drawn.append(lettering.text(LEFT - 10, y + 5, label, SMALL, scheme.soft, anchor="end"))
    return "".join(drawn)


def moves_below(story: Story, area: Area, scheme: Scheme, label: str) -> str:
    """Draw the numbers of the moves below a plot; they are those of the log."""
    x, count = across(len(story.moves)), len(story.moves)
    numbers = [(x(place), story.moves[place - 1].seq if place else 0) for place in range(0, count + 1, step(count))]
    return numbers_below(numbers, area, scheme, label)


def numbers_below(numbers: Iterable[tuple[float, int]], area: Area, scheme: Scheme, label: str) -> str:
    """Draw the numbers of a horizontal axis, each at its place, and what they count."""
    y = area.bottom
    drawn = [lettering.text(EDGE, y + 21, label, SMALL, scheme.soft)]
    for x, shown in numbers:
        drawn.append(element("line", x1=x, y1=y, x2=x, y2=y + 5, stroke=scheme.line, stroke_width=1))
        drawn.append(lettering.text(x, y + 21, str(shown), SMALL, scheme.soft, anchor="middle"))
    return "".join(drawn)


def path(points: Sequence[tuple[float, float]]) -> str:
    """Return the data of a path through points that is level from each until the next."""
    parts = [f"M{number(points[0][0])} {number(points[0][1])}"]
    for x, y in points[1:]:
        parts.append(f"H{number(x)}V{number(y)}")
    return "".join(parts)
