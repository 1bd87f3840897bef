"""A match whose turns pass as a vector says, for vectors that no draw of a real game fits.

Vectors say who moves next regardless of the discs on the moon track: their first player may move three times in a row.
Everything else is as in a real match, and the moves are legal placements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

from engine import State, record
from engine.game import Match
from engine.moves import Move, Place, Refill, Resign, Timeout
from engine.table import Step
from engine.tiles import COUNT
from service.clock_vectors.script import VectorTurn, script, starts


class ScriptedMatch(Match):
    """A match in which the turn passes as scripted; `played` counts the moves so far, `then` is who follows leavers."""

    __slots__ = ("played", "then", "turns")

    turns: Sequence[VectorTurn]
    played: int
    then: tuple[int, ...]

    def advance(self, seat: int | None, move: Move) -> Step:
        """Make a move in place, as a match does, and pass the turn as scripted."""
        turn = self.turn
        step = super().advance(seat, move)
        if isinstance(move, Place | Refill):
            scripted = self.turns[self.played] if self.played < len(self.turns) else None
            self.played += 1
            if scripted is None:
                turn = step.turn
            elif scripted.is_over:
                self._end()
            else:
                turn, self.then = scripted.then_turn, scripted.then
        elif isinstance(move, Resign | Timeout) and seat == turn and self.then:
            turn, self.then = self.then[0], self.then[1:]
        elif isinstance(move, Resign | Timeout) and seat == turn:
            turn = step.turn
        self.turn = None if self.result is not None else turn
        return step._replace(turn=self.turn, ended=self.result)

    def _clone_rest(self, other: Self) -> None:
        super()._clone_rest(other)
        other.turns, other.played, other.then = self.turns, self.played, self.then


@contextmanager
def draw_of(vector: dict[str, Any]) -> Iterator[None]:
    """Let matches start with the vector's own draw during the block: its tiles and its stack."""
    draw = vector["settings"]["draw"]
    with _starting(lambda game: Match(game["seats"], game["goal_discs"], draw["tiles"], draw["stack"])):
        yield


@contextmanager
def turns_of(vector: dict[str, Any]) -> Iterator[None]:
    """Let matches start with the vector's order of turns during the block."""
    first, then = starts(vector)
    turns = [turn for turn in script(vector) if turn.kind != "leave"]

    def start(game: record.Object) -> Match:
        state = ScriptedMatch(game["seats"], game["goal_discs"], range(1, COUNT + 1), range(game["seats"]))
        state.turns, state.played, state.then, state.turn = turns, 0, then, first
        return state

    with _starting(start):
        yield


@contextmanager
def _starting(make: Callable[[record.Object], Match]) -> Iterator[None]:
    """Let games start in the state that `make` returns for the `game` of their header, during the block."""
    original = record.start

    def start(header: record.Object, tiles: Sequence[int]) -> State:
        return make(header["game"])

    record.start = start
    try:
        yield
    finally:
        record.start = original
