"""The table in the picture of the page `/` and of the README: a game between two bots, always at the same move."""

from __future__ import annotations

import json
from functools import cache

from engine import State, moves, record, simulate
from service.language.languages import Language
from service.language.people import People
from service.pictures.palette import Scheme
from service.pictures.scene import Scene
from service.pictures.style_sheet import FOLLOWING
from service.pictures.table import draw

_MOVES = 22
"""The number of moves after which the outcome begins to show."""

_NAMES = ("Luna", "Stella")


def scene(language: Language, scheme: Scheme, *, only_shipped_type: bool) -> Scene:
    """Return the table as the input of a drawing, described in a language."""
    state, last = _position()
    return Scene(state, People(_NAMES, None, language), _MOVES, last, None, scheme, only_shipped_type)


@cache
def picture(language: Language) -> str:
    """Return the table as an SVG element whose colors follow light and dark mode; it is drawn once per language."""
    return draw(scene(language, FOLLOWING, only_shipped_type=False))


@cache
def _position() -> tuple[State, tuple[int, int]]:
    """Return the position, which nobody may change, and the tile placed last with its seat."""
    played = json.loads(next(simulate.records(1, 2, "the picture of the README", "greedy")))
    state = record.start(played, tuple(played["draw"]["tiles"]))
    for entry in played["log"][:_MOVES]:
        step = state.advance(entry["seat"], moves.from_json(entry["move"]))
    assert step.tile is not None and step.seat is not None
    return state, (step.tile, step.seat)
