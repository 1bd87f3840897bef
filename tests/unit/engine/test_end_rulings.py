"""RULINGS.md 4: the end of a match, leaving, ranking."""

from collections.abc import Sequence
from typing import Any

import pytest

from engine import Match, apply
from engine.errors import IllegalMove
from engine.moves import END, RESIGN, TIMEOUT, Place
from tests.unit.engine.builder import draw_order, ended

ORDER = draw_order(())


def with_discs_left(seats: int, discs_left: Sequence[int], positions: Sequence[int] = ()) -> Match:
    """Return a match with these discs left, and these positions on the moon track, set by hand."""
    state = Match(seats, 20, draw_order((1, 2, 3)), range(seats))
    state.discs_left = list(discs_left)
    if positions:
        state.moon.position = list(positions)
        state.moon.order.sort(key=lambda seat: positions[seat])
        state.turn = state.moon.order[0]
    return state


def test_4_1_the_last_disc_wins_at_once_and_ties_go_to_who_would_move_next() -> None:
    # Seat 3 to move covers its last goal: tile 36 asks for tttt; a 7-tile's goal is met by one placement.
    order = draw_order((17, 18, 35))  # 17 asks for rt, ry, ty: a red and a turquoise tile at its sides meet rt
    state = Match(4, 20, order, (0, 1, 2, 3))
    state.discs_left = [5, 4, 5, 1]
    state.moon.position = [3, 2, 1, 0]
    state.advance(3, Place(17, 0, 0))
    state.moon.position = [9, 8, 7, 0]
    state.moon.order = [3, 2, 1, 0]
    state.turn = 3
    state.advance(3, Place(18, 1, 0))
    step = state.advance(3, Place(35, 0, 1))
    assert step.covered == ((17, 0),)
    assert sorted(step.counting(17, 0)) == [18, 35]
    assert ended(step).to_json() == {"reason": "discs", "ranking": [3, 1, 2, 0], "discs_left": [5, 4, 5, 0]}
    assert state.turn is None
    assert not step.turn_passed


def test_4_2_no_tile_left_ends_the_match_and_the_fewest_discs_win() -> None:
    state = Match(3, 20, ORDER, (0, 1, 2))
    state.discs_left = [99, 99, 99]
    while state.result is None:
        order_before = list(state.moon.order)
        step = state.advance(state.turn, state.legal_moves()[0])
    assert ended(step).reason == "tiles"
    assert state.wheel.pile_size == 0
    assert state.wheel.ring == []
    left, ranking = state.discs_left, ended(step).ranking
    assert ranking is not None
    assert list(ranking) == sorted(state.moon.order, key=lambda seat: (left[seat], state.moon.order.index(seat)))
    assert set(order_before) == set(ranking)


@pytest.mark.parametrize("leaving", [RESIGN, TIMEOUT])
def test_4_3_who_leaves_ranks_below_all_who_stayed(leaving: Any) -> None:
    state = Match(4, 20, ORDER, (0, 1, 2, 3))
    step = state.advance(1, leaving)  # out of turn
    assert (step.turn, step.turn_passed, state.moon.left) == (3, False, [1])
    step = state.advance(3, leaving)  # in turn
    assert (step.turn, step.turn_passed) == (2, True)
    assert len(state.displays) == 4
    step = state.advance(0, leaving)
    assert ended(step).to_json() == {"reason": "left", "ranking": [2, 0, 3, 1], "discs_left": [20, 20, 20, 20]}


def test_4_3_the_display_stays() -> None:
    state = Match(3, 20, ORDER, (0, 1, 2))
    state.advance(2, Place(1, 0, 0))
    state.advance(2, RESIGN)
    assert list(state.displays[2].placed()) == [(1, 0, 0, ())]
    assert state.moon.stacks() == [(0, [0, 1])]


def test_4_3_nobody_leaves_twice() -> None:
    state = Match(3, 20, ORDER, (0, 1, 2))
    state.advance(0, RESIGN)
    for move in (RESIGN, TIMEOUT):
        with pytest.raises(IllegalMove) as error:
            apply(state, 0, move)
        assert (error.value.code, error.value.rule) == ("already_left", "4.3")
    with pytest.raises(IllegalMove) as error:
        apply(state, 0, Place(1, 0, 0))
    assert error.value.rule == "2.1"


def test_an_end_has_no_ranking() -> None:
    state = with_discs_left(2, (3, 7))
    step = state.advance(None, END)
    assert ended(step).to_json() == {"reason": "ended", "ranking": None, "discs_left": [3, 7]}
