"""Text in pictures: the font Commissioner in two weights, bundled in `fonts/` with its license, the OFL.

A PNG is drawn with this font alone. It has Latin, Greek and Cyrillic; `can_write` tells what it lacks. A browser draws
an SVG with the fonts that it has, so widths are measured generously.
"""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache

from fontTools.ttLib import TTFont

from service.language.visible import clusters, is_unseen
from service.pictures.fonts import paths
from service.pictures.svg import element, said

FAMILY = "Commissioner, 'Source Sans 3', 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif"

REGULAR, BOLD = 400, 600

NAME, LINE = 22.0, 17.0
"""Font sizes of names and of the lines beside them, in a picture 700 wide; a phone shows it at half of that."""

_ROOM = 1.04
_LONGEST = 1_000
"""More characters than any line of a picture has room for; what is longer and fits has little that can be seen."""
_ELLIPSIS = "…"
_WIDTHLESS = ("Cf", "Mn", "Me")


@lru_cache(maxsize=8192)
def text(
    x: float, y: float, content: str, size: float, fill: str, *, weight: int = REGULAR, anchor: str | None = None
) -> str:
    """Draw a line of text on the baseline `y`; `anchor` is SVG's text-anchor (None: it starts at `x`).

    The last ones are cached: most lines of a picture are where they were in the one before.
    """
    bold = None if weight == REGULAR else weight  # nothing around it is bold
    return element("text", said(content), x=x, y=y, font_size=size, font_weight=bold, fill=fill, text_anchor=anchor)


@lru_cache(maxsize=1024)
def width(content: str, size: float, weight: int = REGULAR) -> float:
    """Return a line's width, rounded up generously; a character that the font lacks counts as a square."""
    units, advances = _advances(weight)
    return _ROOM * size * sum(_advance(c, advances, units) for c in content) / units


def fit(content: str, room: float, size: float, weight: int = REGULAR) -> str:
    """Return the text, shortened with an ellipsis if it is wider than `room`.

    It looks at no more than `_LONGEST` characters, so its cost does not depend on the length that somebody gave it.
    """
    units, advances = _advances(weight)
    most = room * units / (_ROOM * size)
    most_cut = most - _advance(_ELLIPSIS, advances, units)
    taken = cut_at = end = 0
    for cluster in clusters(content[:_LONGEST]):
        taken += sum(_advance(c, advances, units) for c in cluster)
        if taken > most:
            break
        end += len(cluster)
        if taken <= most_cut:
            cut_at = end
    return content if end == len(content) else content[:cut_at].rstrip() + _ELLIPSIS


def can_write(content: str) -> bool:
    """Return whether the bundled font has all visible characters of the text."""
    _, advances = _advances(BOLD)
    return all(ord(c) in advances or _is_widthless(c) for c in content)


@cache
def _advances(weight: int) -> tuple[int, dict[int, int]]:
    """Return the units per em, and the advance width of each character."""
    font = TTFont(paths()[weight], lazy=True)
    metrics = font["hmtx"].metrics
    return font["head"].unitsPerEm, {code: metrics[glyph][0] for code, glyph in font.getBestCmap().items()}


def _advance(character: str, advances: dict[int, int], units: int) -> int:
    return 0 if _is_widthless(character) else advances.get(ord(character), units)


def _is_widthless(character: str) -> bool:
    return unicodedata.category(character) in _WIDTHLESS or is_unseen(character)
