"""Moons: their phases, and the players' discs, each of which is a phase of its own."""

from __future__ import annotations

from functools import lru_cache

from service.pictures.palette import FAINT, MOON, NIGHT, SHADE
from service.pictures.svg import element, moved, number

PHASES = (0.27, 0.5, 0.76, 1.0)
"""The lit part of a player's disc by seat: crescent, half moon, gibbous moon, full moon."""


def lit(radius: float, share: float, *, waning: bool = False, fill: str = MOON) -> str:
    """Draw the lit part of a moon around (0, 0): on the right for a waxing moon, on the left for a waning one."""
    if share <= 0:
        return ""
    if share >= 1:
        return element("circle", r=radius, fill=fill)
    r, edge = number(radius), number(abs(1 - 2 * share) * radius)
    limb, terminator = (0, int(share < 0.5)) if waning else (1, int(share > 0.5))
    return element("path", d=f"M0-{r}A{r} {r} 0 0 {limb} 0 {r}A{edge} {r} 0 0 {terminator} 0-{r}Z", fill=fill)


@lru_cache(maxsize=1024)
def disc(seat: int, x: float, y: float, radius: float, *, rim: str = MOON, halo: str | None = None) -> str:
    """Draw a player's disc: the seat's phase on a dark moon with a light rim; with `halo`, a ring in that color."""
    inner = radius * 0.8
    return moved(
        x,
        y,
        element("circle", r=radius * 1.32, fill="none", stroke=halo, stroke_width=radius * 0.17) if halo else "",
        element("circle", r=radius * 0.93, fill=NIGHT, stroke=rim, stroke_width=radius * 0.13),
        lit(inner, PHASES[seat]),
    )


def faint(radius: float, day: int, days: int, x: float, y: float) -> str:
    """Draw a small ornamental moon: the phase on a day of the month, with the new moon on day 0."""
    share = 1 - abs(1 - 2 * day / days)
    return moved(x, y, element("circle", r=radius, fill=SHADE), lit(radius, share, waning=2 * day > days, fill=FAINT))
