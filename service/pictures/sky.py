"""The background of the board: a round piece of night sky."""

from __future__ import annotations

from service.pictures.palette import RIM, SKY, STAR
from service.pictures.svg import element, moved
from service.pictures.wheel import point

_SEVENTH = 2654435761


def sky(radius: float, x: float, y: float, *, calm: tuple[float, float]) -> str:
    """Draw the sky around (x, y), with small stars between the two radii of `calm`, always the same ones."""
    stars = []
    for star in range(72):
        mixed = star * _SEVENTH % 2**32
        away = calm[0] + (mixed >> 16) % 1000 / 1000 * (calm[1] - calm[0])
        at = point(mixed % 3600, 3600, away)
        stars.append(element("circle", cx=at[0], cy=at[1], r=0.7 + star % 3 * 0.3))
    return moved(
        x,
        y,
        element("circle", r=radius, fill=SKY, stroke=RIM, stroke_width=2),
        element("g", *stars, fill=STAR),
    )
