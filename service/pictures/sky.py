"""The background of the board: a round piece of night sky."""

from __future__ import annotations

from functools import lru_cache

from service.pictures.palette import RIM, SKY, STAR
from service.pictures.svg import element, moved, number
from service.pictures.wheel import point

_SEVENTH = 2654435761


@lru_cache(maxsize=64)
def sky(radius: float, x: float, y: float, *, calm: tuple[float, float]) -> str:
    """Draw the sky around (x, y), with small stars between the two radii of `calm`, always the same ones.

    A star is a stroke without a length, of which round ends are left.
    """
    stars: list[list[str]] = [[], [], []]
    for star in range(72):
        mixed = star * _SEVENTH % 2**32
        away = calm[0] + (mixed >> 16) % 1000 / 1000 * (calm[1] - calm[0])
        at = point(mixed % 3600, 3600, away)
        stars[star % 3].append(f"M{number(at[0])} {number(at[1])}h0")
    return moved(
        x,
        y,
        element("circle", r=radius, fill=SKY, stroke=RIM, stroke_width=2),
        element(
            "g",
            *(element("path", d="".join(alike), stroke_width=1.4 + size * 0.6) for size, alike in enumerate(stars)),
            stroke=STAR,
            stroke_linecap="round",
        ),
    )
