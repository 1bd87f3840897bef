"""Choose the draw and the moves for a vector, which only says who moves when, and who moves next.

The search follows the log that the vector expects, because steps and leavings change whose turn it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine import State
from engine.bots import BOTS
from engine.draw import Stream
from engine.errors import EngineError
from engine.moves import RESIGN, Move
from engine.view import TableView

_CELLS = 2
"""How many open cells are tried; which one is taken changes whose turn it is only if goals are met."""

_BOT = Stream(bytes(32), "script")


@dataclass(frozen=True, slots=True)
class VectorTurn:
    """A change of the game in a vector.

    Attributes:
        kind: `move`, `bot` (a move by a bot) or `leave`.
        seat: the seat; None for an end.
        then_turn: the seat to move after it; None if the vector does not say.
        is_over: whether it ends the game.
        then: the seats that would be next to move if the seat to move left, and then the next one, and so on.
    """

    kind: str
    seat: int
    then_turn: int | None
    is_over: bool
    then: tuple[int, ...]


def script(vector: dict[str, Any]) -> list[VectorTurn]:
    """Return the moves and leavings of a vector's game, in their order."""
    moves = {
        (event["at"], event.get("seat")): event for event in vector["events"] if event["type"] in ("move", "leave")
    }
    turns = []
    for entry in vector["expect"]["log"]:
        kind, seat = entry["kind"], entry["seat"]
        event = moves.get((entry["at"], seat), {}) if kind in ("move", "resign") else {}
        if kind == "move":
            kind = "bot" if entry.get("by", "").startswith("bot:") else "move"
        elif kind in ("resign", "timeout"):
            kind = "leave"
        else:
            continue
        known = "next" in event
        following = event.get("next")
        turns.append(VectorTurn(kind, seat, following, known and following is None, _seats(event.get("then"))))
    return turns


def starts(vector: dict[str, Any]) -> tuple[int, tuple[int, ...]]:
    """Return the seat that moves first, and the seats that would be next if the ones before them left."""
    event = next(event for event in vector["events"] if event["type"] == "start")
    return event["seat"], _seats(event.get("then"))


def _seats(given: int | list[int] | None) -> tuple[int, ...]:
    if given is None:
        return ()
    return tuple(given) if isinstance(given, list) else (given,)


def fits(state: State, then: Sequence[int]) -> bool:
    """Return whether these seats would be next to move if the seat to move left, and then the next one, and so on."""
    if not then or state.turn is None:
        return not then
    state = state.clone()
    for seat in then:
        if state.turn is None:
            return False
        state.advance(state.turn, RESIGN)
        if state.turn != seat and not (state.turn is None and state.result is not None):
            return False
    return True


def find(state: State, turns: Sequence[VectorTurn]) -> list[Move] | None:
    """Return moves that make these turns happen, from this state on; None if there are none."""
    if not turns:
        return []
    turn = turns[0]
    for move in _candidates(state, turn):
        following = state.clone()
        try:
            following.advance(turn.seat, move)
        except EngineError:
            continue
        if turn.is_over and following.turn is not None:
            continue
        if turn.then_turn is not None and following.turn != turn.then_turn:
            continue
        if not fits(following, turn.then):
            continue
        rest = find(following, turns[1:])
        if rest is not None:
            return [move, *rest]
    return None


def _candidates(state: State, turn: VectorTurn) -> list[Move]:
    if turn.kind == "leave":
        return [RESIGN]
    if state.turn != turn.seat:
        return []
    legal = state.legal_moves()
    if turn.kind == "bot":
        return [BOTS["greedy"](TableView(state), legal, _BOT)]
    cells = len(legal.cells)
    return [move for number, move in enumerate(legal) if cells == 0 or number % cells < _CELLS]
