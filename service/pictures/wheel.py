"""The moon wheel: the selection track of twelve spaces, the marker, the numbered choices, and the draw pile's moon.

The moon in the center wanes as the draw pile does.
"""

from __future__ import annotations

from functools import cache
from math import cos, pi, sin

from engine.table import Table
from engine.tiles import COUNT
from engine.wheel import SPACES
from service.language import board_words
from service.language.languages import Language
from service.pictures import lettering, moons
from service.pictures.palette import EDGE_ON_DARK, GOLD, GOLD_INK, MOON, RIM, SHADE, SKY_INK, SKY_SOFT
from service.pictures.svg import element, moved
from service.pictures.tile import tile

RADIUS = 248.0
"""The largest distance of a tile's corner from the center."""

_RING, _SIDE = 201.0, 66.0
_NUMBERS = 143.0
_FULL = COUNT - (SPACES - 1)


def point(index: float, count: int, radius: float) -> tuple[float, float]:
    """Return the position of a space on a ring around (0, 0); space 0 is at the top, and they go clockwise."""
    angle = 2 * pi * index / count
    return radius * sin(angle), -radius * cos(angle)


def wheel(state: Table, x: float, y: float, language: Language) -> str:
    """Draw the wheel around (x, y), on the sky."""
    running = state.result is None
    choices = state.wheel.choices() if running else []
    spaces = state.wheel.spaces()
    parts = [_middle(state.wheel.pile_size, language)]
    for space, number in enumerate(spaces):
        parts.append(_place(space, number in choices))
        if number:
            at = point(space, SPACES, _RING)
            corner = round(at[0] - _SIDE / 2), round(at[1] - _SIDE / 2)
            parts.append(tile(number, *corner, _SIDE, EDGE_ON_DARK, is_choice=number in choices))
    parts += [_choice(spaces.index(number), rank) for rank, number in enumerate(choices, 1)]
    parts.append(_marker(state.wheel.marker))
    return moved(x, y, *parts)


@cache
def _place(space: int, chosen: bool) -> str:
    """Draw a space with its number, which the number of a choice covers; the first space is golden."""
    at, label = point(space, SPACES, _RING), point(space, SPACES, _NUMBERS)
    side = _SIDE - 6
    first = space == 0
    return element(
        "rect", x=at[0] - side / 2, y=at[1] - side / 2, width=side, height=side, rx=11, fill="none",
        stroke=GOLD if first else RIM, stroke_width=1.6 if first else 1.2,
    ) + ("" if chosen else lettering.text(
        label[0], label[1] + 5, str(space), 15, GOLD if first else SKY_SOFT, anchor="middle",
        weight=lettering.BOLD if first else lettering.REGULAR,
    ))  # fmt: skip


@cache
def _choice(space: int, rank: int) -> str:
    """Draw the frame of a tile that can be taken, and its number."""
    at, badge = point(space, SPACES, _RING), point(space, SPACES, _NUMBERS)
    side = _SIDE + 7
    return (
        element(
            "rect", x=at[0] - side / 2, y=at[1] - side / 2, width=side, height=side, rx=13, fill="none", stroke=GOLD,
            stroke_width=2.6,
        )
        + element("circle", cx=badge[0], cy=badge[1], r=13.5, fill=GOLD)
        + lettering.text(badge[0], badge[1] + 6, str(rank), 17, GOLD_INK, weight=lettering.BOLD, anchor="middle")
    )  # fmt: skip


@cache
def _marker(space: int) -> str:
    """Draw the marker, a golden crescent on its space, and an arrow that points clockwise."""
    at = point(space, SPACES, _RING)
    turn = 360 * space / SPACES
    crescent = element("path", d="M6-20A21 21 0 1 0 6 20 16.5 16.5 0 1 1 6-20Z", fill=GOLD)
    arrow = element("path", d="M14-9L26 0 14 9Z", fill=GOLD)
    return moved(at[0], at[1], element("g", crescent, arrow, transform=f"rotate({turn:g})"))


@cache
def _middle(pile: int, language: Language) -> str:
    """Draw the moon of the draw pile and the number of its tiles."""
    return (
        element("circle", r=120, fill="none", stroke=RIM, stroke_width=1.2)
        + moved(0, -24, element("circle", r=56, fill=SHADE), moons.lit(56, pile / _FULL, waning=True, fill=MOON))
        + lettering.text(0, 66, str(pile), 30, SKY_INK, weight=lettering.BOLD, anchor="middle")
        + lettering.text(0, 88, board_words.pile(pile, language), 17, SKY_SOFT, anchor="middle")
    )
