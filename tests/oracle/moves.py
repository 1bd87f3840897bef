"""The record's move objects: what counts as a move, whatever the state."""

from typing import Any

from tests.oracle.tiles import TILES

LARGEST_NUMBER = 2**53 - 1  # in RFC 8785


class Malformed(Exception):
    """The object is no move at all, whatever the state."""


FIELDS = {
    "place": ({"tile", "x", "y"}, set()),
    "refill": (set(), set()),
    "resign": (set(), set()),
    "timeout": (set(), set()),
    "end": (set(), set()),
    "mark": ({"kind"}, {"data"}),
}


def check_form(move: object) -> None:
    """Raise Malformed unless this is one of the record's move objects."""
    if not isinstance(move, dict) or not isinstance(move.get("type"), str) or move["type"] not in FIELDS:
        raise Malformed("no such move")
    needed, possible = FIELDS[move["type"]]
    fields = set(move) - {"type"}
    if not needed <= fields <= needed | possible:
        raise Malformed("a field is missing or unknown")
    for name in fields & {"tile", "x", "y"}:
        if type(move[name]) is not int or abs(move[name]) > LARGEST_NUMBER:
            raise Malformed(f"{name} is not a whole number that a record can hold")
    if "tile" in fields and move["tile"] not in TILES:
        raise Malformed("no such tile")
    if move["type"] == "mark" and not isinstance(move["kind"], str):
        raise Malformed("kind is not a text")


def check_seat(state: dict[str, Any], seat: object, move: dict[str, Any]) -> None:
    """Raise Malformed unless this seat can make such a move; an end belongs to nobody, and a mark may."""
    if seat is None:
        fits = move["type"] in ("end", "mark")
    else:
        fits = type(seat) is int and 0 <= seat < state["seats"] and move["type"] != "end"
    if not fits:
        raise Malformed("no such seat for this move")
