"""A mark for each color, so that nothing is shown by color alone: a shape, and the letter from the catalog."""

from __future__ import annotations

from engine.tiles import LETTERS
from service.pictures.svg import element, number

_STAR = "M0-1.2L.33-.42 1.17-.36.52.18.73 1 0 .54-.73 1-.52.18-1.17-.36-.33-.42Z"

_SHAPES = {
    "b": element("circle", r=0.95),
    "r": element("path", d="M0-1.15L1.05 0 0 1.15-1.05 0Z"),
    "t": element("path", d="M0-1.1L1.1.85-1.1.85Z"),
    "y": element("path", d=_STAR),
}
"""The shapes by color letter, around (0, 0) with a radius of 1: a full moon, a diamond, a peak, a star."""


def definitions() -> str:
    """Return the definitions of the shapes that `mark` uses, for the `defs` of a document."""
    return "".join(element("g", _SHAPES[letter], id=f"mark-{letter}") for letter in LETTERS)


def mark(letter: str, x: float, y: float, radius: float, fill: str | None = None, *, id: str | None = None) -> str:
    """Draw a color's shape; without `fill`, it has the fill of the group around it."""
    at = f"translate({number(x)} {number(y)}) scale({radius:.4g})"
    return element("use", href=f"#mark-{letter}", transform=at, fill=fill, id=id)
