"""The plots with a line for each seat: goal discs left, and goals for time."""

from __future__ import annotations

from collections.abc import Sequence

from engine.story import Story
from service.pictures import lettering, moons
from service.pictures.palette import Scheme
from service.pictures.plots.axes import SMALL, Area, across, levels, numbers_below, path, step
from service.pictures.plots.style import DASHES, color
from service.pictures.svg import element

_FEW = 5
_MOON = 14.0


def discs(story: Story, area: Area, scheme: Scheme) -> str:
    """Draw the goal discs left by seat, from all at the top to none at the bottom, with the turning points."""
    every = step(story.goal_discs, _FEW)
    ticks = [(value, str(value)) for value in range(0, story.goal_discs + 1, every)]
    x, y = across(len(story.moves)), area.scale(0, story.goal_discs)
    values = [(story.goal_discs,) * story.seats, *(move.discs_left for move in story.moves)]
    lines = [[(x(place), y(row[seat])) for place, row in enumerate(values)] for seat in range(story.seats)]
    return levels(ticks, y, scheme) + _turning_points(story, area, scheme) + _lines(lines, scheme)


def worth(story: Story, area: Area, scheme: Scheme, label: str) -> str:
    """Draw the goals covered by seat above the time that the tiles cost: in a match, the spaces on the moon track."""
    far = max((player.distance for player in story.players), default=0) or 1
    every = step(story.goal_discs, _FEW)
    ticks = [(value, str(value)) for value in range(0, story.goal_discs + 1, every)]
    x, y = across(far), area.scale(0, story.goal_discs)
    lines = []
    for seat in range(story.seats):
        values = [(move.distance[seat], story.goal_discs - move.discs_left[seat]) for move in story.moves]
        lines.append([(x(spent), y(covered)) for spent, covered in ((0, 0), *dict.fromkeys(values))])
    numbers = numbers_below([(x(spent), spent) for spent in range(0, far + 1, step(far))], area, scheme, label)
    return levels(ticks, y, scheme) + _lines(lines, scheme) + numbers


def _lines(lines: Sequence[Sequence[tuple[float, float]]], scheme: Scheme) -> str:
    """Draw a stepped line for each seat, with its moon at the end; moons that end at one place stand side by side."""
    drawn = [
        element(
            "path",
            d=path(points),
            fill="none",
            stroke=color(scheme, seat),
            stroke_width=2.6,
            stroke_dasharray=DASHES[seat],
            stroke_linejoin="round",
        )
        for seat, points in enumerate(lines)
    ]
    taken: list[tuple[float, float]] = []
    for seat, points in enumerate(lines):
        at, height = points[-1]
        while any(abs(at - other) < _MOON and abs(height - level) < _MOON for other, level in taken):
            at -= _MOON + 1
        taken.append((at, height))
        drawn.append(moons.disc(seat, at, height, 9, rim=scheme.ink))
    return "".join(drawn)


def _turning_points(story: Story, area: Area, scheme: Scheme) -> str:
    """Draw a vertical line at each turning point, with its number above."""
    x = across(len(story.moves))
    places = {move.seq: place for place, move in enumerate(story.moves, start=1)}
    drawn = []
    for count, point in enumerate(story.turning_points, start=1):
        at = x(places[point.seq])
        drawn.append(
            element(
                "line", x1=at, y1=area.top, x2=at, y2=area.bottom, stroke=scheme.gold, stroke_width=1.6,
                stroke_dasharray="1.5 3.5", stroke_linecap="round",
            )
        )  # fmt: skip
        drawn.append(element("circle", cx=at, cy=area.top - 9, r=10, fill=scheme.gold))
        drawn.append(
            lettering.text(at, area.top - 4, str(count), SMALL, scheme.ground, weight=lettering.BOLD, anchor="middle")
        )
    return "".join(drawn)
