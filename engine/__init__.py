"""The rules of Nova Luna, its provable draw and its records, with the standard library only.

The engine has no clock, no I/O, no logging and no global randomness; the one file it reads is its own tile list, when
it is imported.

    state = Match(seats, goal_discs, tiles, stack)      a match at its start; Solo(tiles) for one player
    state = rules.of("1").match(…)                      the same by the version of the rules that a game names
    step = apply(state, seat, move)                     a new state and the facts; the old state is unchanged
    state.advance(seat, move)                           the same in place, on a state that the caller owns
    state.legal_moves()                                 what the player to move may do
"""

from __future__ import annotations

from engine.game import Match
from engine.moves import Move
from engine.result import Result
from engine.solo import Solo
from engine.table import Step

State = Match | Solo

__all__ = ["Match", "Move", "Result", "Solo", "State", "Step", "apply"]


def apply(state: State, seat: int | None, move: Move) -> Step:
    """Make a move on a copy of the state and return its facts; `step.state` is the new state.

    Args:
        state: the state before the move, which stays unchanged.
        seat: who moves; None for an end and for the host's marks.
        move: the move.

    Raises:
        MalformedMove: the values are no move.
        IllegalMove: the rules do not allow the move; the error has a stable code and the number of the ruling.
    """
    return state.clone().advance(seat, move)
