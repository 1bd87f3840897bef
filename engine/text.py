"""The text notation of moves, for logs, mail and the command line.

    17@0,0          take tile 17 and place it at x 0, y 0
    refill          refill the selection track
    resign          leave
    timeout         removed for not moving in time
    end             ended by the host, or abandoned
    mark nudge      a mark of kind nudge
    mark nudge {"a":1}    the same with data, as its RFC 8785 text

`parse` and `render` are inverse: one move has one spelling.
"""

from __future__ import annotations

import json
import re
from typing import Any

from engine import moves
from engine.errors import MalformedMove
from engine.moves import Mark, Move, Place
from engine.phrases import phrase

_NUMBER = r"(0|-?[1-9][0-9]{0,15})"
_PLACE = re.compile(rf"([1-9][0-9]?)@{_NUMBER},{_NUMBER}")


def render(move: Move) -> str:
    """Return the move's text.

    >>> render(Place(17, 0, -2))
    '17@0,-2'
    """
    if isinstance(move, Place):
        return f"{move.tile}@{move.x},{move.y}"
    if isinstance(move, Mark):
        return f"mark {move.kind}" if move.data is None else f"mark {move.kind} {_dump(move.data)}"
    return moves.type_of(move)


def parse(text: str) -> Move:
    """Return the move that the text spells; raise MalformedMove if it spells none.

    >>> parse("17@0,-2")
    Place(tile=17, x=0, y=-2)
    """
    return _PARSED[text]


class _Parsed(dict[str, Move]):
    """A cache of parsed moves by their texts.

    A replay asks for the same few thousand moves over and over, and they are frozen. Marks are not cached, because
    their data is mutable.
    """

    def __missing__(self, text: str) -> Move:
        if text.startswith("mark "):
            return _mark(text)
        move = _bare_or_place(text)
        if len(self) >= _MOST:
            self.clear()
        self[text] = move
        return move


_PARSED = _Parsed()
_MOST = 1 << 16


def _bare_or_place(text: str) -> Move:
    if found := _PLACE.fullmatch(text):
        tile, x, y = map(int, found.groups())
        return moves.from_json({"type": "place", "tile": tile, "x": x, "y": y})
    if text in moves.BARE:
        return moves.BARE[text]
    raise MalformedMove(
        phrase("No move is written %(given)s; write 17@0,0 or refill or resign.", given=f"{text!r:.60}")
    )


def _mark(text: str) -> Move:
    _, kind, *rest = text.split(" ", 2)
    value: dict[str, Any] = {"type": "mark", "kind": kind}
    if rest:
        try:
            value["data"] = json.loads(rest[0])
        except (ValueError, RecursionError):
            raise MalformedMove("The data of a mark is JSON.") from None
    move = moves.from_json(value)
    if render(move) != text:
        raise MalformedMove("The data of a mark is written as RFC 8785 has it.")
    return move


def _dump(data: Any) -> str:
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
