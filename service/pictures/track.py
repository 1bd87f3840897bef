"""The moon track: a month of 24 spaces in a ring, with the players' discs stacked outward."""

from __future__ import annotations

from functools import cache

from engine.track import RING, MoonTrack
from service.pictures import lettering, moons
from service.pictures.palette import GOLD, RIM, SKY_SOFT
from service.pictures.svg import element, moved
from service.pictures.wheel import point

RADIUS = 338.0
"""The distance from the center that a stack of four discs reaches."""

_BASE, _STEP = 266.0, 19.5
_DISC = 12.5
_NUMBERED, _LABELS = 6, 247.0


@cache
def _ring() -> str:
    """Draw the ring with a small moon on each space, the first in a golden circle."""
    parts = [element("circle", r=_BASE, fill="none", stroke=RIM, stroke_width=1.2)]
    for space in range(RING):
        at = point(space, RING, _BASE)
        parts.append(moons.faint(8.5, space, RING, *at))
        if space == 0:
            parts.append(element("circle", cx=at[0], cy=at[1], r=11, fill="none", stroke=GOLD, stroke_width=1.6))
    return "".join(parts)


def track(moon: MoonTrack, turn: int | None, x: float, y: float) -> str:
    """Draw the track around (x, y), on the sky; the disc of `turn` has a golden halo.

    The bottom disc of a stack is the one nearest to the center.
    """
    parts = [_ring()]
    taken = {position % RING for position, _ in moon.stacks()}
    for space in range(0, RING, _NUMBERED):
        if space not in taken:
            label = point(space, RING, _LABELS)
            color = SKY_SOFT if space else GOLD
            parts.append(lettering.text(label[0], label[1] + 5, str(space), 14, color, anchor="middle"))
    for position, seats in moon.stacks():
        for height, seat in enumerate(seats):
            at = point(position % RING, RING, _BASE + _STEP * height)
            disc = moons.disc(seat, *at, _DISC, halo=GOLD if seat == turn else None)
            parts.append(element("g", disc, data_seat=seat))
    return moved(x, y, *parts)
