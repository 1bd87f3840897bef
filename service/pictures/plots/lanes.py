"""The plots with a lane for each seat: turns with the goals that they covered, and moves by day."""

from __future__ import annotations

from engine.story import Story
from service.pictures import moons
from service.pictures.palette import Scheme
from service.pictures.plots.axes import LEFT, RIGHT, Area, across
from service.pictures.plots.style import color
from service.pictures.svg import element, moved

LANE = 34.0
"""The height of a lane."""

_LARGEST = 13.0
_DENIED = "M-3.6-3.6L3.6 3.6M3.6-3.6L-3.6 3.6"


def turns(story: Story, area: Area, scheme: Scheme) -> str:
    """Draw a dot for each placement, larger for more goals and hollow for none.

    Turns in a row are joined by a bar. A cross above a dot means that somebody else could have used the tile best.
    """
    x = across(len(story.moves))
    places = {move.seq: place for place, move in enumerate(story.moves, start=1)}
    room = min(_LARGEST, 0.5 * (RIGHT - LEFT) / max(1, len(story.moves)) + 5)
    drawn = _lanes(story, area, scheme)
    for run in story.runs:
        y = _middle(area, run.seat)
        drawn.append(
            element(
                "line", x1=x(places[run.first]), y1=y, x2=x(places[run.last]), y2=y, stroke=color(scheme, run.seat),
                stroke_width=3,
            )
        )  # fmt: skip
    denied = {denial.seq for denial in story.denials}
    for place, move in enumerate(story.moves, start=1):
        if move.tile is None or move.seat is None:
            continue
        drawn.append(dot(scheme, move.seat, x(place), _middle(area, move.seat), move.covered, room))
        if move.seq in denied:
            drawn.append(cross(scheme, x(place), _middle(area, move.seat) - LANE / 2 + 3))
    return "".join(drawn)


def days(story: Story, area: Area, scheme: Scheme) -> str:
    """Draw a bar for each day on which a seat moved, higher for more moves."""
    first, last = story.days[0].day, story.days[-1].day
    span = (last - first).days + 1
    wide = (RIGHT - LEFT) / span
    most = max(max(day.moves) for day in story.days)
    drawn = _lanes(story, area, scheme, below=True)
    for day in story.days:
        left = LEFT + (day.day - first).days * wide
        for seat, count in enumerate(day.moves):
            if count:
                high = 4 + (LANE - 10) * count / most
                bottom = area.top + (seat + 1) * LANE
                drawn.append(
                    element(
                        "rect", x=left + min(1.5, wide * 0.1), y=bottom - high, width=max(1.6, min(wide * 0.8, 22)),
                        height=high, fill=color(scheme, seat),
                    )
                )  # fmt: skip
    return "".join(drawn)


def dot(scheme: Scheme, seat: int, x: float, y: float, covered: int, room: float = _LARGEST) -> str:
    """Draw the dot of a placement, with the number of goals that it covered."""
    if not covered:
        return element("circle", cx=x, cy=y, r=3.2, fill=scheme.ground, stroke=color(scheme, seat), stroke_width=1.6)
    return element("circle", cx=x, cy=y, r=min(room, 3.2 + 2.4 * covered), fill=color(scheme, seat))


def cross(scheme: Scheme, x: float, y: float) -> str:
    """Draw the cross above the dot of a denial."""
    return moved(x, y, element("path", d=_DENIED, stroke=scheme.ink, stroke_width=1.8, fill="none"))


def _middle(area: Area, seat: int) -> float:
    return area.top + (seat + 0.5) * LANE


def _lanes(story: Story, area: Area, scheme: Scheme, *, below: bool = False) -> list[str]:
    drawn = []
    for seat in range(story.seats):
        y = area.top + (seat + 1) * LANE if below else _middle(area, seat)
        drawn.append(
            element("line", x1=LEFT, y1=y, x2=RIGHT, y2=y, stroke=scheme.line, stroke_width=1, stroke_opacity=0.35)
        )
        drawn.append(moons.disc(seat, LEFT - 24, _middle(area, seat), 9, rim=scheme.ink))
    return drawn
