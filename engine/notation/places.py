"""The moves of a text and the places where tiles go, in all the ways in which they are read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.moves import BARE, MOST, Move, Place
from engine.tiles import COUNT

_NUMBER = r"[-\u2212]?[0-9]{1,16}"
_COMMA = r"(?:[ \t]*+,[ \t]*+|[ \t]++)"
_PAIR = rf"({_NUMBER}){_COMMA}({_NUMBER})"
_CELL = re.compile(rf"([0-9]{{1,16}})(?:[ \t]*+@[ \t]*+|[ \t]++)(?:\([ \t]*+{_PAIR}[ \t]*+\)|{_PAIR})")
_BESIDE = re.compile(
    r"([0-9]{1,16})[ \t]++(above|below|left[ \t]++of|right[ \t]++of)[ \t]++([0-9]{1,16})", re.IGNORECASE | re.ASCII
)
_WORD = re.compile(r"refill|resign|timeout|end", re.IGNORECASE | re.ASCII)

_SIDE = r"(?:above|below|left[ \t]++of|right[ \t]++of)\b"
PLACEMENT = rf"[0-9]{{1,16}}(?:[ \t]*+@|[ \t]++(?:\(|{_NUMBER}{_COMMA}{_NUMBER}|{_SIDE}))"
"""A pattern for the beginning of a placement, by which a number before it is told from its tile."""

_STEPS = {"above": (0, -1), "below": (0, 1), "left": (-1, 0), "right": (1, 0)}


@dataclass(frozen=True, slots=True)
class Beside:
    """A placement whose cell is named by its neighbor, which is on the display of the player.

    Attributes:
        tile: the tile to place.
        dx: how far the cell is to the right of the neighbor.
        dy: how far it is below it.
        neighbor: the tile that lies there already.
    """

    tile: int
    dx: int
    dy: int
    neighbor: int


class NoSuchMove(Exception):
    """A text is a move in form, but there is no such tile or cell; the message says which."""


def match_move(text: str, start: int) -> tuple[Move | Beside, int] | None:
    """Return the move that begins at an offset of a text, and where it ends; None if none does.

    Raises:
        NoSuchMove: there is no such tile, or a number is too large.
    """
    if found := _WORD.match(text, start):
        return BARE[found[0].lower()], found.end()
    if found := _CELL.match(text, start):
        x, y = (found[2], found[3]) if found[2] is not None else (found[4], found[5])
        return Place(tile_id(found[1]), _coordinate(x), _coordinate(y)), found.end()
    if found := _BESIDE.match(text, start):
        side = found[2].lower().split()[0]
        return Beside(tile_id(found[1]), *_STEPS[side], tile_id(found[3])), found.end()
    return None


def tile_id(digits: str) -> int:
    """Return the id of a tile; raise NoSuchMove if there is no such tile."""
    tile = int(digits)
    if not 1 <= tile <= COUNT:
        raise NoSuchMove(f"There is no tile {tile}; their ids run from 1 to {COUNT}.")
    return tile


def _coordinate(text: str) -> int:
    number = int(text.replace("\u2212", "-"))
    if abs(number) > MOST:
        raise NoSuchMove("A number has at most 16 digits and is below 2^53.")
    return number
