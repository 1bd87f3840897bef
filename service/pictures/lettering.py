"""The type: Commissioner in two weights, shipped in `fonts/` under the OFL, which is beside it.

A PNG is drawn with the shipped type alone. It has Latin, Greek and Cyrillic; what it can't write `can_write` tells. A
browser that has other type draws an SVG with that, so widths are measured with some room to spare.
"""

from __future__ import annotations

import unicodedata
from functools import cache

from fontTools.ttLib import TTFont

from service.language.visible import clusters, is_unseen
from service.pictures.fonts import paths
from service.pictures.svg import element, said

FAMILY = "Commissioner, 'Source Sans 3', 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif"

REGULAR, BOLD = 400, 600

NAME, LINE = 22.0, 17.0
"""Sizes in a picture 700 wide, of names and of what stands beside them: half of that is what a phone shows."""

_ROOM = 1.04
_ELLIPSIS = "…"
_WIDTHLESS = ("Cf", "Mn", "Me")


def text(
    x: float, y: float, content: str, size: float, fill: str, *, weight: int = REGULAR, anchor: str | None = None
) -> str:
    """A line of text; `y` is its base line, `anchor` as SVG has it (None: it starts at `x`)."""
    return element("text", said(content), x=x, y=y, font_size=size, font_weight=weight, fill=fill, text_anchor=anchor)


def width(content: str, size: float, weight: int = REGULAR) -> float:
    """How wide a line is, a little more than less; what the type doesn't have counts as a square."""
    units, advances = _advances(weight)
    return _ROOM * size * sum(_advance(c, advances, units) for c in content) / units


def fit(content: str, room: float, size: float, weight: int = REGULAR) -> str:
    """The text, or as much of it as goes into `room` with an ellipsis after it."""
    if width(content, size, weight) <= room:
        return content
    left = list(clusters(content))
    while left and width("".join(left).rstrip() + _ELLIPSIS, size, weight) > room:
        left.pop()
    return "".join(left).rstrip() + _ELLIPSIS


def can_write(content: str) -> bool:
    """Whether the shipped type has all of the text's characters that are seen."""
    _, advances = _advances(BOLD)
    return all(ord(c) in advances or _is_widthless(c) for c in content)


@cache
def _advances(weight: int) -> tuple[int, dict[int, int]]:
    """The units of an em, and by character how far it reaches."""
    font = TTFont(paths()[weight], lazy=True)
    metrics = font["hmtx"].metrics
    return font["head"].unitsPerEm, {code: metrics[glyph][0] for code, glyph in font.getBestCmap().items()}


def _advance(character: str, advances: dict[int, int], units: int) -> int:
    return 0 if _is_widthless(character) else advances.get(ord(character), units)


def _is_widthless(character: str) -> bool:
    return unicodedata.category(character) in _WIDTHLESS or is_unseen(character)
