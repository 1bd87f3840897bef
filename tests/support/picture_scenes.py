"""Positions from games of bots, to be drawn."""

import json
from dataclasses import replace
from functools import cache
from typing import Any
from xml.etree import ElementTree

from engine import moves, record, simulate
from engine.tiles import TILES
from service.language.people import People
from service.pictures.palette import LIGHT, Scheme
from service.pictures.scene import Scene

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("Ada", "Ben", "Zoë", "Đorđe")


@cache
def _record(seats: int, seed: str, bot: str, leave: str) -> Any:
    return json.loads(next(simulate.records(1, seats, seed, bot, leave=leave)))


def scene(
    seats: int,
    share: float,
    *,
    seed: str = "pictures",
    bot: str = "greedy",
    leave: str = "0",
    names: tuple[str | None, ...] = NAMES,
    seat: int | None = None,
    scheme: Scheme = LIGHT,
) -> Scene:
    """Return a game after this share of its moves, from 0 to 1."""
    played = _record(seats, seed, bot, leave)
    state = record.start(played, tuple(played["draw"]["tiles"]))
    last = None
    count = round(len(played["log"]) * share)
    for entry in played["log"][:count]:
        step = state.advance(entry["seat"], moves.from_json(entry["move"]))
        last = (step.tile, step.seat) if step.tile is not None and step.seat is not None else None
    return Scene(state, People(names[:seats]), count, last, seat, scheme)


def for_png(shown: Scene) -> Scene:
    """Return the same scene, to be drawn with the bundled font alone."""
    return replace(shown, only_shipped_type=True)


def texts(drawing: str) -> list[str]:
    """Return the texts in a drawing, in document order."""
    return [text.text or "" for text in ElementTree.fromstring(drawing).iter(f"{SVG}text")]


def told(drawing: str) -> tuple[str, str]:
    """Return the title and the description of a drawing."""
    root = ElementTree.fromstring(drawing)
    return root.findtext(f"{SVG}title", ""), root.findtext(f"{SVG}desc", "")


ONE_OF_EACH = {letter: next(tile.id for tile in TILES[1:] if tile.letter == letter and tile.goals) for letter in "brty"}
"""A tile with goals of each color, by color letter."""
