"""The color, dash and shape by which a seat is known in plots."""

from __future__ import annotations

from engine.tiles import LETTERS
from service.pictures.palette import Scheme
from service.pictures.svg import element, moved

DASHES = (None, "9 5", "2 4.5", "13 4 2.5 4")
"""The dashes of a seat's line."""

_SHAPES = (
    element("circle", r=0.95),
    element("path", d="M-.9-.9H.9V.9H-.9Z"),
    element("path", d="M0-1.1L1.1.85-1.1.85Z"),
    element("path", d="M0-1.2L1.05 0 0 1.2-1.05 0Z"),
)
"""The shapes of a seat's marks, around (0, 0) with a radius of 1: a disc, a square, a triangle, a diamond."""


def color(scheme: Scheme, seat: int) -> str:
    """Return the color of a seat's line and marks."""
    return scheme.marks[LETTERS[seat]]


def shape(scheme: Scheme, seat: int, x: float, y: float, radius: float) -> str:
    """Draw a seat's mark."""
    return element("g", moved(x, y, _SHAPES[seat], scale=radius), fill=color(scheme, seat))
