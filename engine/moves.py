"""The moves, as frozen values, and their form in a record (docs/FORMATS.md, `nova-luna-record/1`).

`from_json` and `to_json` are inverse. Build a move from outside input with `from_json` or `engine.text.parse`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from engine.errors import MalformedMove
from engine.phrases import named, phrase
from engine.tiles import COUNT

MOST = 2**53 - 1
"""The largest number in a record: RFC 8785 writes numbers as IEEE doubles, which are exact up to here."""

DEPTH = 8
"""The deepest nesting of a mark's data."""

KIND = re.compile(r"[\x21-\x7e]{1,64}")


class _Placement(NamedTuple):
    tile: int
    x: int
    y: int


class Place(_Placement):
    """Take `tile` from the selection track and place it at (x, y); x grows to the right, y downwards (2.4, 2.6).

    All three are whole numbers: anything else (even a bool or a float) raises MalformedMove, so that no later code
    needs to check the types of a placement.
    """

    __slots__ = ()

    def __new__(cls, tile: int, x: int, y: int) -> Self:
        if not (type(tile) is type(x) is type(y) is int):
            raise MalformedMove("Tile, x and y of a placement are whole numbers.")
        return super().__new__(cls, tile, x, y)


@dataclass(frozen=True, slots=True)
class Refill:
    """Refill the selection track (2.2; solo 5.2)."""


@dataclass(frozen=True, slots=True)
class Resign:
    """Leave the game voluntarily (4.3; solo 5.6)."""


@dataclass(frozen=True, slots=True)
class Timeout:
    """Remove a player who has not moved in time (4.3; solo 5.6)."""


@dataclass(frozen=True, slots=True)
class End:
    """End the game without a ranking, by the host or because it was abandoned."""


@dataclass(frozen=True, slots=True)
class Mark:
    """Add an entry that changes no rules state: a clock's step, a message of the host.

    Attributes:
        kind: 1 to 64 visible ASCII characters.
        data: JSON data with whole numbers only.
    """

    kind: str
    data: Any = None


Move = Place | Refill | Resign | Timeout | End | Mark

REFILL, RESIGN, TIMEOUT, END = Refill(), Resign(), Timeout(), End()

BARE: dict[str, Move] = {"refill": REFILL, "resign": RESIGN, "timeout": TIMEOUT, "end": END}
"""The moves that have nothing but a type, by it."""


def type_of(move: Move) -> str:
    """Return the move's type as a record names it: place, refill, resign, timeout, end or mark."""
    return type(move).__name__.lower()


def to_json(move: Move) -> dict[str, Any]:
    """Return the move's JSON object in a record."""
    match move:
        case Place(tile, x, y):
            return {"type": "place", "tile": tile, "x": x, "y": y}
        case Mark(kind, None):
            return {"type": "mark", "kind": kind}
        case Mark(kind, data):
            return {"type": "mark", "kind": kind, "data": data}
        case _:
            return {"type": type_of(move)}


def from_json(value: Any) -> Move:
    """Return the move for a record's JSON object; raise MalformedMove that names what is wrong."""
    if not isinstance(value, dict):
        raise MalformedMove("A move is an object with a type.")
    kind = value.get("type")
    form = _FORMS.get(kind) if isinstance(kind, str) else None
    if form is None:
        raise MalformedMove(
            phrase("A move's type is place, refill, resign, timeout, end or mark, not %(type)s.", type=named(kind))
        )
    return form(value)


def _fields(value: dict[str, Any], needed: set[str], optional: frozenset[str] = frozenset()) -> None:
    given = set(value) - {"type"}
    if missing := needed - given:
        raise MalformedMove(
            phrase("A %(type)s move lacks %(fields)s.", type=value["type"], fields=", ".join(sorted(missing)))
        )
    if unknown := given - needed - optional:
        raise MalformedMove(
            phrase(
                "A %(type)s move has no field %(field)s.", type=value["type"], field=f"{min(unknown, key=str)!r:.40}"
            )
        )


def _place(value: dict[str, Any]) -> Move:
    _fields(value, {"tile", "x", "y"})
    for name in ("tile", "x", "y"):
        number = value[name]
        if type(number) is not int or abs(number) > MOST:
            raise MalformedMove(
                phrase(
                    "The field %(field)s of a place move is a whole number, not %(given)s.",
                    field=name,
                    given=named(number),
                )
            )
    if not 1 <= value["tile"] <= COUNT:
        raise MalformedMove(
            phrase("There is no tile %(tile)s; their ids run from 1 to %(most)s.", tile=value["tile"], most=COUNT)
        )
    return Place(value["tile"], value["x"], value["y"])


def _mark(value: dict[str, Any]) -> Move:
    _fields(value, {"kind"}, frozenset({"data"}))
    if "data" in value and value["data"] is None:
        raise MalformedMove("A mark without data leaves the field out.")
    mark = Mark(value["kind"], value.get("data"))
    check_mark(mark)
    return mark


def check_mark(mark: Mark) -> None:
    """Raise MalformedMove unless every RFC 8785 writer spells the mark alike.

    Its kind must have 1 to 64 visible ASCII characters; its data may have ASCII keys and whole numbers up to 2^53 - 1.
    """
    if not isinstance(mark.kind, str) or not KIND.fullmatch(mark.kind):
        raise MalformedMove("A mark's kind is 1 to 64 visible ASCII characters.")
    if mark.data is not None:
        _check_data(mark.data, 1)


def _check_data(value: Any, depth: int) -> None:
    if depth > DEPTH:
        raise MalformedMove(phrase("A mark's data is nested more than %(most)s deep.", most=DEPTH))
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str) or not key.isascii():
                raise MalformedMove("The keys of a mark's data are ASCII.")
            _check_data(item, depth + 1)
    elif isinstance(value, list):
        for item in value:
            _check_data(item, depth + 1)
    elif isinstance(value, str):
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise MalformedMove("A mark's texts are Unicode without lone surrogates.")
    elif value is not None and not isinstance(value, bool) and (type(value) is not int or abs(value) > MOST):
        raise MalformedMove("The numbers of a mark's data are whole and at most 2^53 - 1.")


def _bare(move: Move) -> Callable[[dict[str, Any]], Move]:
    def form(value: dict[str, Any]) -> Move:
        _fields(value, set())
        return move

    return form


_FORMS: dict[str, Callable[[dict[str, Any]], Move]] = {
    "place": _place,
    "mark": _mark,
    **{name: _bare(move) for name, move in BARE.items()},
}
