"""RULINGS.md 5: phases, totals, waiting goals, the score."""

from collections.abc import Callable, Sequence

import pytest

from engine import Solo, Step, apply
from engine.draw import Draw
from engine.errors import GameOver, IllegalMove
from engine.moves import END, REFILL, RESIGN, TIMEOUT, Move, Place
from engine.tiles import TILES
from tests.unit.engine.builder import draw_order, ended, solo_table

ORDER = draw_order(())


def phase_2() -> tuple[Solo, Step]:
    """Return a solo whose first eleven tiles were placed arbitrarily, so that phase 2 began by itself."""
    state = Solo(ORDER)
    for _ in range(11):
        step = state.advance(0, state.legal_moves()[0])
    return state, step


def greedy(tiles: Sequence[int], stop: Callable[[Solo], bool]) -> Solo:
    """Return a solo played for goals until `stop` is true."""
    state = Solo(tiles)
    while not stop(state):
        moves = [move for move in state.legal_moves() if isinstance(move, Place)]
        state.advance(0, max(moves, key=lambda move: len(apply(state, 0, move).covered)))
    return state


def many_waiting() -> tuple[Solo, list[tuple[int, int]]]:
    """Return a solo in phase 1 with its eight discs placed and further goals met."""
    for number in range(200):
        tiles = Draw(bytes(31) + bytes([number]), "waiting", ("",)).tiles
        state = greedy(tiles, lambda state: len(state.wheel.ring) == 1)
        display = state.displays[0]
        met = [
            (tile, goal)
            for tile, _, _, covered in display.placed()
            for goal in range(3)
            if goal not in covered and goal < len(TILES[tile].goals) and not display.lacks(tile, goal)
        ]
        if state.phase == 1 and state.may_refill() and met:
            return state, met
    raise AssertionError("no draw makes goals wait")


def test_5_1_21_discs_one_seat_no_moon_track() -> None:
    state = Solo(ORDER)
    assert (state.seats, state.discs_left, state.phase, state.first_total) == (1, [21], 1, None)
    assert not hasattr(state, "moon")


def test_5_2_no_refill_before_the_eighth_disc() -> None:
    state = Solo(ORDER)
    for _ in range(10):
        assert not state.legal_moves().refill
        with pytest.raises(IllegalMove) as error:
            apply(state, 0, REFILL)
        assert (error.value.code, error.value.rule) == ("refill_not_allowed", "5.2")
        state.advance(0, state.legal_moves()[0])


def test_5_2_from_the_eighth_disc_on_the_player_may_refill_or_take_more() -> None:
    state, _ = many_waiting()
    assert state.discs_left == [13]
    legal = state.legal_moves()
    assert legal.refill
    assert len(legal) > 1
    before = len(state.wheel.ring)
    step = apply(state, 0, REFILL)
    assert len(step.refilled) == 11 - before
    assert isinstance(step.state, Solo)
    assert step.state.phase == 2


def test_5_2_after_the_last_tile_the_refill_happens_by_itself() -> None:
    state, step = phase_2()
    assert step.by_itself
    assert [tile for _, tile in step.refilled] == list(ORDER[11:22])
    assert state.phase == 2


def test_5_3_the_first_total() -> None:
    state, _ = phase_2()
    cost = state.displays[0].cost
    missing = 8 - (21 - state.discs_left[0])
    assert state.first_total == cost + 10 * missing
    state, _ = many_waiting()
    cost = state.displays[0].cost
    state.advance(0, REFILL)
    assert state.first_total == cost  # eight discs placed: no penalty, though more goals were met


def test_5_4_goals_beyond_the_eighth_disc_wait_and_are_covered_first() -> None:
    state, waiting = many_waiting()
    step = apply(state, 0, REFILL)
    assert list(step.covered) == waiting  # in the order in which their tiles were placed
    assert step.state.discs_left == [13 - len(waiting)]
    # Also at an automatic refill, after the goals that the last tile covered.
    step = apply(state, 0, state.legal_moves()[0])
    assert step.by_itself
    assert set(step.covered) >= set(waiting)


def test_5_5_phase_2_has_no_refill_and_ends_with_the_last_tile() -> None:
    state, _ = phase_2()
    while len(state.wheel.ring) > 1:
        with pytest.raises(IllegalMove) as error:
            apply(state, 0, REFILL)
        assert (error.value.code, error.value.rule) == ("refill_not_allowed", "5.5")
        state.advance(0, state.legal_moves()[-1])
    step = state.advance(0, state.legal_moves()[-1])
    assert ended(step).reason == "tiles"
    assert step.refilled == ()
    assert state.wheel.pile_size == 46


def test_5_5_and_5_7_the_twenty_first_disc_ends_it_with_a_score() -> None:
    for number in range(100):
        tiles = Draw(bytes(31) + bytes([number]), "solo", ("",)).tiles
        state = greedy(tiles, lambda state: state.result is not None)
        assert state.result is not None
        if state.result.reason == "discs":
            break
    result = state.result
    assert result is not None
    assert result.first_total is not None
    assert result.second_total is not None
    assert result.reason == "discs"
    assert result.discs_left == (0,)
    assert result.second_total == state.displays[0].cost
    assert result.score == state.score == result.first_total + result.second_total
    assert state.second_total == result.second_total


def test_5_6_the_21st_disc_with_the_last_tile_is_an_end_by_discs() -> None:
    state, _ = phase_2()
    found = 0
    while state.result is None:
        if len(state.wheel.ring) == 1:
            for move in state.legal_moves():
                last = state.clone()
                last.discs_left = [1]
                step = last.advance(0, move)
                assert ended(step).reason == ("discs" if step.covered else "tiles")
                found += bool(step.covered)
        state.advance(0, state.legal_moves()[0])
    assert found


@pytest.mark.parametrize("leaving", [RESIGN, TIMEOUT])
def test_5_6_leaving_ends_a_solo_without_a_score(leaving: Move) -> None:
    state = Solo(ORDER)
    state.advance(0, state.legal_moves()[0])
    step = state.advance(0, leaving)
    assert ended(step).to_json() == {
        "reason": "left",
        "first_total": None,
        "second_total": None,
        "score": None,
        "discs_left": [21],
    }
    with pytest.raises(GameOver):
        state.advance(0, leaving)


def test_5_6_the_first_total_stays_if_phase_2_had_begun() -> None:
    for move, seat, reason in ((RESIGN, 0, "left"), (END, None, "ended")):
        state, _ = phase_2()
        total = state.first_total
        result = ended(state.advance(seat, move))
        assert (result.reason, result.first_total, result.second_total, result.score) == (reason, total, None, None)


def test_5_7_discs_not_placed_cost_ten_each() -> None:
    state, _ = phase_2()
    while state.result is None:
        state.advance(0, state.legal_moves()[-1])
    result = state.result
    assert result is not None
    assert result.first_total is not None
    assert result.reason == "tiles"
    assert result.second_total == state.displays[0].cost + 10 * result.discs_left[0]
    assert result.score == result.first_total + result.second_total


def test_solo_table_of_the_builder_agrees_with_the_oracle_to_the_end() -> None:
    table = solo_table()
    while table.engine.result is None:
        table.place_greedily()
