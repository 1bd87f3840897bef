"""The rules of Nova Luna, its provable draw and its records. Standard library only: no clock, no I/O, no logging, no
global randomness; the one file it reads is its own tile list, at import.

    state = Match(seats, goal_discs, tiles, stack)      a match at its start; Solo(tiles) for one player
    step = apply(state, seat, move)                     a new state and the facts; the old state is as it was
    state.advance(seat, move)                           the same in place, on a state that one owns
    state.legal_moves()                                 what the player to move may do
"""

from __future__ import annotations

from engine.game import Match
from engine.moves import Move
from engine.result import Result
from engine.solo import Solo
from engine.table import Step

RULES = "1"
"""The version of the rules (RULINGS.md) that this engine plays. A game names the one that it was started with."""

State = Match | Solo

__all__ = ["RULES", "Match", "Move", "Result", "Solo", "State", "Step", "apply"]


def apply(state: State, seat: int | None, move: Move) -> Step:
    """Make a move and give its facts; `step.state` is the new state, `state` stays as it was.

    `seat` is None for an end and for the host's marks. Raises MalformedMove or IllegalMove (engine.errors), the latter
    with a stable code and the number of the ruling.
    """
    return state.clone().advance(seat, move)
