"""What a tile would cover at each cell, compared with what placing it there covers."""

import json

import pytest

from engine import State, moves, record, simulate
from engine.moves import Place
from engine.prospects import coverable


def moved_for_real(state: State, tile: int) -> dict[tuple[int, int], int]:
    covered = {}
    for x, y in state.legal_moves().cells:
        step = state.clone().advance(state.turn, Place(tile, x, y))
        covered[x, y] = len(step.covered)
    return {cell: goals for cell, goals in covered.items() if goals}


@pytest.mark.parametrize(("seats", "bot"), [(1, "random"), (1, "greedy"), (2, "random"), (2, "greedy"), (4, "greedy")])
def test_prospects_equal_what_moves_cover_all_game(seats: int, bot: str) -> None:
    most = 0
    for line in simulate.records(2, seats, "prospects", bot):
        played = json.loads(line)
        state = record.start(played, tuple(played["draw"]["tiles"]))
        for entry in played["log"]:
            assert state.turn is not None
            before = state.clone()
            # The last tile of a solo's first phase brings the goals that waited too (5.4), wherever it goes.
            waits = seats == 1 and len(state.wheel.ring) == 1
            for tile in [] if waits else state.wheel.choices():
                found = coverable(state.displays[state.turn], tile, state.discs_at_hand())
                assert found == moved_for_real(state, tile)
                most = max([most, *found.values()])
            assert state == before
            state.advance(entry["seat"], moves.from_json(entry["move"]))
    assert most > 1


def test_prospects_with_no_discs_at_hand_are_none() -> None:
    played = json.loads(next(simulate.records(1, 2, "prospects", "greedy")))
    state = record.start(played, tuple(played["draw"]["tiles"]))
    for entry in played["log"][:20]:
        state.advance(entry["seat"], moves.from_json(entry["move"]))
    assert coverable(state.displays[0], state.wheel.choices()[0], 0) == {}
