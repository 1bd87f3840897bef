"""The colors, with enough contrast for WCAG 2.2 AA: 4.5 for text, 3 for graphics.

The board is a night sky in both schemes; the page around it is light or dark. `TEXTS` and `GRAPHICS` list every pair of
colors of which one is drawn on the other.
"""

from __future__ import annotations

from dataclasses import dataclass

SKY = "#151c3a"
"""The background of the board."""
RIM = "#3b477c"
"""Ornamental lines of the board."""
STAR = "#8d97c4"
SKY_INK = "#f4ecd0"
SKY_SOFT = "#b6bedd"
GOLD = "#f0cf6b"
"""Highlights on the board: the choices, and the player to move."""
GOLD_INK = "#231a03"
MOON = "#f4ecd0"
SHADE = "#2e3868"
"""The dark part of a moon."""
NIGHT = "#0f1530"
"""The background of an open goal."""
FAINT = "#56629a"
"""The lit part of ornamental moons."""

BODY = {"b": "#3a68c2", "r": "#b33e47", "t": "#0e7477", "y": "#e6bd48"}
"""The colors of a tile by its color letter."""
INK = {"b": "#ffffff", "r": "#ffffff", "t": "#ffffff", "y": "#231a03"}
"""The text on a tile."""
PIP = {"b": "#8cb0ff", "r": "#ff8b84", "t": "#4ed9cf", "y": "#f8d867"}
"""The marks of the tiles that a goal asks for."""
COVERED = {"b": "#2c4d93", "r": "#7f3140", "t": "#0e5660", "y": "#927a3c"}
"""The visible part of a goal below the disc that covers it."""
EDGE_ON_DARK = {"b": "#8cb0ff", "r": "#f2938f", "t": "#56c8c2", "y": "#e6bd48"}
EDGE_ON_LIGHT = {"b": "#27498f", "r": "#862a33", "t": "#0a5557", "y": "#876710"}


@dataclass(frozen=True, slots=True)
class Scheme:
    """The colors of the page around the board: background, text, lines, and the edges of the tiles on it."""

    name: str
    ground: str
    ink: str
    soft: str
    line: str
    gold: str
    edge: dict[str, str]
    marks: dict[str, str]


LIGHT = Scheme("light", "#f5f3fa", "#1d2340", "#525a7c", "#757da3", "#765400", EDGE_ON_LIGHT, EDGE_ON_LIGHT)
DARK = Scheme("dark", "#0b0f20", "#eceef8", "#aab2d2", "#6e7ab3", "#f0cf6b", EDGE_ON_DARK, PIP)

SCHEMES = {scheme.name: scheme for scheme in (LIGHT, DARK)}

TEXTS: tuple[tuple[str, str], ...] = (
    (SKY_INK, SKY),
    (SKY_SOFT, SKY),
    (GOLD, SKY),
    (GOLD_INK, GOLD),
    *((INK[letter], BODY[letter]) for letter in BODY),
    *((color, scheme.ground) for scheme in (LIGHT, DARK) for color in (scheme.ink, scheme.soft, scheme.gold)),
)
"""Pairs of a text color and its background."""

GRAPHICS: tuple[tuple[str, str], ...] = (
    (GOLD, SKY),
    (MOON, SKY),
    (MOON, SHADE),
    (MOON, NIGHT),
    *((MOON, COVERED[letter]) for letter in COVERED),
    *((PIP[letter], NIGHT) for letter in PIP),
    *((INK[letter], BODY[letter]) for letter in BODY),
    *((EDGE_ON_DARK[letter], SKY) for letter in BODY),
    *((scheme.edge[letter], scheme.ground) for scheme in (LIGHT, DARK) for letter in BODY),
    *((scheme.marks[letter], scheme.ground) for scheme in (LIGHT, DARK) for letter in BODY),
    *((color, scheme.ground) for scheme in (LIGHT, DARK) for color in (scheme.line, scheme.gold)),
)
"""Pairs of a meaningful shape's color and its background."""


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colors, from 1 to 21, as WCAG 2.2 defines it."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    red, green, blue = (_linear(int(color[i : i + 2], 16) / 255) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
