"""RULINGS.md 2: whose turn, refills, the choice, the move, the moon track, placement."""

from typing import Any

import pytest

from engine import Match, Solo, apply
from engine.errors import GameOver, IllegalMove, MalformedMove, MoveError, TilesNotShown
from engine.moves import END, REFILL, RESIGN, TIMEOUT, Mark, Move, Place
from engine.tiles import TILES
from engine.wheel import Wheel
from tests.unit.engine.builder import State, draw_order, match_table

ORDER = draw_order(())


def refused(state: Match | Solo, seat: Any, move: Move, kind: type[Any] = IllegalMove) -> Any:
    """Return the error by which a move is refused; it must change nothing, in place or on a copy."""
    before = state.clone()
    with pytest.raises(kind) as error:
        state.advance(seat, move)
    with pytest.raises(kind):
        apply(state, seat, move)
    assert state == before
    return error.value


def out_of_tiles(state: State) -> State:
    """Play the first legal move until the track is empty or nearly so."""
    while len(state.wheel.ring) > 1:
        state.advance(state.turn, state.legal_moves()[0])
    return state


def test_2_1_the_disc_furthest_back_moves_and_may_move_many_times() -> None:
    # Tiles 52, 1 and 18 cost one each; tile 17 costs seven.
    table = match_table(2, (17, 52, 1, 18))
    assert table.engine.turn == 1
    table.place(17, 0, 0)
    for x, tile in enumerate((52, 1, 18)):
        assert table.engine.turn == 0
        step = table.place(tile, x, 0)
        assert not step.turn_passed
    assert table.engine.moon.position == [3, 7]


def test_2_1_another_seat_is_refused_by_number() -> None:
    state = Match(3, 20, ORDER, (0, 1, 2))
    error = refused(state, 0, Place(1, 0, 0))
    assert (error.code, error.rule) == ("not_your_turn", "2.1")
    assert refused(state, 0, REFILL).code == "not_your_turn"


@pytest.mark.parametrize("seat", [-1, 3, True, 2.0, "2", None])
def test_2_1_a_seat_that_is_none_is_malformed(seat: Any) -> None:
    state = Match(3, 20, ORDER, (0, 1, 2))
    for move in (Place(1, 0, 0), REFILL, RESIGN, TIMEOUT):
        refused(state, seat, move, MalformedMove)


@pytest.mark.parametrize("left", [1, 2])
def test_2_2_with_one_or_two_tiles_left_the_player_may_refill(left: int) -> None:
    state = Match(2, 20, ORDER, (0, 1))
    while len(state.wheel.ring) > left:
        assert not state.legal_moves().refill or len(state.wheel.ring) == 2
        state.advance(state.turn, state.legal_moves()[0])
    assert REFILL in state.legal_moves()
    turn, marker, pile = state.turn, state.wheel.marker, state.wheel.pile_size
    step = state.advance(state.turn, REFILL)
    assert (state.turn, step.turn_passed, step.by_itself) == (turn, False, False)
    assert len(state.wheel.ring) == 11
    assert len(step.refilled) == 11 - left == pile - state.wheel.pile_size
    assert state.wheel.spaces()[marker] == 0


def test_2_2_with_three_tiles_left_there_is_no_refill() -> None:
    state = Match(2, 20, ORDER, (0, 1))
    while len(state.wheel.ring) > 3:
        state.advance(state.turn, state.legal_moves()[0])
    assert not state.legal_moves().refill
    error = refused(state, state.turn, REFILL)
    assert (error.code, error.rule) == ("refill_not_allowed", "2.2")
    assert error.detail == "A refill needs 1 or 2 tiles left on the selection track; there are 3."


def test_2_2_refill_fills_every_space_but_the_markers() -> None:
    state = Match(2, 20, ORDER, (0, 1))
    while len(state.wheel.ring) > 2:
        state.advance(state.turn, state.legal_moves()[-1])  # the third choice: gaps stay behind
    marker = state.wheel.marker
    lying = {space: tile for space, tile in enumerate(state.wheel.spaces()) if tile}
    step = state.advance(state.turn, REFILL)
    clockwise = [(marker + i) % 12 for i in range(1, 12)]
    assert [space for space, _ in step.refilled] == [space for space in clockwise if space not in lying]
    assert [tile for _, tile in step.refilled] == list(ORDER[11:20])
    assert {space: state.wheel.spaces()[space] for space in lying} == lying


def test_2_2_an_empty_track_is_refilled_by_the_move_before() -> None:
    state = out_of_tiles(Match(2, 20, ORDER, (0, 1)))
    step = state.advance(state.turn, state.legal_moves()[0])
    assert step.by_itself
    assert [tile for _, tile in step.refilled] == list(ORDER[11:22])
    assert len(state.wheel.ring) == 11


def test_2_2_no_refill_by_itself_when_the_move_ended_the_game() -> None:
    # The last tile of each eleven is placed with one disc left, wherever it covers a goal.
    state = Match(2, 20, ORDER, (0, 1))
    state.discs_left = [99, 99]
    ends = 0
    while state.wheel.pile_size:
        out_of_tiles(state)
        last = state.clone()
        last.discs_left = [1, 1]
        steps = [apply(last, last.turn, move) for move in last.legal_moves() if isinstance(move, Place)]
        for step in steps:
            assert bool(step.ended) == bool(step.covered) == (not step.refilled)
            ends += bool(step.ended)
        state.advance(state.turn, state.legal_moves()[0])
    assert ends


def test_2_2_with_an_empty_pile_there_is_nothing_to_refill() -> None:
    state = Match(2, 20, ORDER, (0, 1))
    state.discs_left = [99, 99]  # so that only the tiles end it
    while state.wheel.pile_size or len(state.wheel.ring) > 2:
        state.advance(state.turn, state.legal_moves()[0])
    assert not state.legal_moves().refill
    error = refused(state, state.turn, REFILL)
    assert (error.rule, error.detail) == ("2.2", "The draw pile is empty.")


def test_2_2_the_pile_may_run_out_within_a_refill() -> None:
    state = Match(2, 20, ORDER, (0, 1))
    state.discs_left = [99, 99]
    filled = []
    while state.wheel.pile_size:
        filled.append(len(state.advance(state.turn, state.legal_moves()[0]).refilled))
    assert sum(filled) == 57
    assert filled[-1] == 57 % 11  # only by itself here: 11 at a time, then the two that are left


def test_2_2_a_refill_beyond_the_shown_tiles_changes_nothing() -> None:
    for state in (Match(2, 20, ORDER[:11], (0, 1)), Solo(ORDER[:11])):
        while len(state.wheel.ring) > 1:
            state.advance(state.turn, state.legal_moves()[0])
        before = state.clone()
        with pytest.raises(TilesNotShown):
            state.advance(state.turn, state.legal_moves()[0])
        assert state == before
    state = Match(2, 20, ORDER[:11], (0, 1))
    while len(state.wheel.ring) > 2:
        state.advance(state.turn, state.legal_moves()[0])
    before = state.clone()
    with pytest.raises(TilesNotShown):
        state.advance(state.turn, REFILL)
    assert state == before


def test_2_3_the_choice_is_the_next_three_clockwise() -> None:
    state = Match(2, 20, ORDER, (0, 1))
    assert state.wheel.choices() == [1, 2, 3]
    state.advance(1, Place(3, 0, 0))
    assert state.wheel.marker == 3
    assert state.wheel.choices() == [4, 5, 6]
    error = refused(state, state.turn, Place(7, 0, 0))
    assert (error.code, error.rule) == ("tile_not_offered", "2.3")
    assert refused(state, state.turn, Place(2, 0, 0)).rule == "2.3"  # behind the marker


def test_2_3_a_refusal_names_as_many_tiles_as_there_are() -> None:
    state = Match(2, 20, ORDER[:11], (0, 1))
    while len(state.wheel.ring) > 2:
        state.advance(state.turn, state.legal_moves()[0])
    left = state.wheel.choices()
    taken = next(tile for tile in ORDER[:11] if tile not in left)
    assert str(refused(state, state.turn, Place(taken, 0, 0))).endswith(f" from the marker: {left[0]}, {left[1]}.")


def test_2_3_empty_spaces_are_passed_over_and_the_track_goes_round() -> None:
    state = Match(2, 20, ORDER, (0, 1))
    for tile in (3, 6, 9):
        state.advance(state.turn, Place(tile, *state.legal_moves().cells[0]))
    assert state.wheel.choices() == [10, 11, 1]
    state.advance(state.turn, Place(1, *state.legal_moves().cells[0]))
    assert state.wheel.marker == 1
    assert state.wheel.choices() == [2, 4, 5]


def test_2_3_fewer_choices_where_fewer_lie() -> None:
    state = out_of_tiles(Match(2, 20, ORDER, (0, 1)))
    assert len(state.wheel.choices()) == 1


def test_2_4_a_placement_is_one_move() -> None:
    state = Match(2, 20, draw_order((17,)), (0, 1))
    step = state.advance(1, Place(17, 0, 0))
    assert (step.tile, step.x, step.y, step.space) == (17, 0, 0, 1)
    assert step.moved == (0, 7)
    assert state.wheel.marker == 1
    assert list(state.displays[1].placed()) == [(17, 0, 0, ())]
    assert (step.turn, step.turn_passed, step.ended) == (0, True, None)


def test_2_5_landing_on_a_taken_space_puts_the_disc_on_top() -> None:
    # Seat 1 goes to 2; seat 0 lands on it by a 2-tile and so moves next.
    table = match_table(3, (2, 3, 19, 52), goal_discs=20)
    table.place(2, 0, 0)
    step = table.place(3, 0, 0)
    assert table.engine.moon.stacks() == [(0, [0]), (2, [2, 1])]
    assert step.turn == 0
    step = table.place(19, 0, 0)
    assert table.engine.moon.stacks() == [(2, [2, 1, 0])]
    assert (step.turn, step.turn_passed) == (0, False)


def test_2_6_the_first_tile_goes_to_the_middle() -> None:
    state = Match(2, 20, ORDER, (0, 1))
    assert state.legal_moves().cells == [(0, 0)]
    for x, y in ((1, 0), (0, -1), (256, -1), (-256, 1)):
        error = refused(state, 1, Place(1, x, y))
        assert (error.code, error.rule) == ("cell_not_open", "2.6")


@pytest.mark.parametrize(
    ("x", "y"), [(0, 0), (1, 1), (2, 0), (-1, -1), (257, -1), (-255, 1), (10**15, 0), (0, -(10**15)), (1 << 60, 1)]
)
def test_2_6_a_later_tile_shares_a_side_with_a_placed_one(x: int, y: int) -> None:
    state = Match(2, 20, draw_order((17, 1)), (0, 1))
    state.advance(1, Place(17, 0, 0))
    state.advance(0, Place(1, 0, 0))
    assert state.legal_moves().cells == [(0, -1), (-1, 0), (1, 0), (0, 1)]
    error = refused(state, 0, Place(state.wheel.choices()[0], x, y))
    assert (error.code, error.rule) == ("cell_not_open", "2.6")


@pytest.mark.parametrize(
    "values", [(1, 0.0, 0), (1.0, 0, 0), (True, 0, 0), (1, 0, False), ("1", 0, 0), (1, None, 0)], ids=str
)
def test_2_6_a_placement_of_other_than_whole_numbers_is_malformed(values: tuple[Any, Any, Any]) -> None:
    with pytest.raises(MalformedMove):
        Place(*values)


def test_legal_moves_are_those_that_advance_takes() -> None:
    state = Match(2, 20, ORDER, (0, 1))
    for _ in range(12):
        legal = state.legal_moves()
        assert len(set(legal)) == len(legal) == len(legal.tiles) * len(legal.cells) + legal.refill
        assert [legal[i] for i in range(-len(legal), 0)] == list(legal) == legal[:]
        for move in legal:
            apply(state, state.turn, move)
        state.advance(state.turn, legal[len(legal) // 2])
    for index in (len(legal), -len(legal) - 1):
        with pytest.raises(IndexError):
            legal[index]


def test_no_move_follows_the_end() -> None:
    for state in (Match(2, 20, ORDER, (0, 1)), Solo(ORDER)):
        state.advance(None, END)
        assert state.turn is None
        assert list(state.legal_moves()) == []
        for move in (Place(1, 0, 0), REFILL, RESIGN, TIMEOUT, Mark("nudge")):
            assert refused(state, 0, move, GameOver).code == "game_over"
        assert refused(state, None, END, GameOver).rule == ("4.2" if state.kind == "match" else "5.5")


def test_what_is_no_move_is_malformed() -> None:
    state = Match(2, 20, ORDER, (0, 1))
    nonsense: tuple[Any, ...] = ("refill", None, (1, 0, 0), TILES[1])
    for move in nonsense:
        refused(state, 1, move, MoveError)
    refused(state, 0, END, MalformedMove)
    refused(state, 7, Mark("nudge"), MalformedMove)


def test_marks_change_no_rules_state() -> None:
    state = Match(2, 20, ORDER, (0, 1))
    before = state.clone()
    for seat in (None, 0, 1):
        step = state.advance(seat, Mark("nudge", {"hours": 12}))
        assert state == before
        assert (step.turn, step.turn_passed, step.covered, step.refilled) == (1, False, (), ())


def test_a_clone_of_a_wheel_fills_its_own_spaces() -> None:
    wheel = Wheel(ORDER)
    other = wheel.clone()
    assert wheel.spaces() == other.spaces() == [0, *ORDER[:11]]
    wheel.take(ORDER[0])
    wheel.refill()
    other.take(ORDER[2])
    other.refill()
    assert wheel.spaces() == [ORDER[11], 0, *ORDER[1:11]]
    assert other.spaces() == [ORDER[11], ORDER[0], ORDER[1], 0, *ORDER[3:11]]
    for each in (wheel, other):
        for tile in each.choices()[:1]:
            each.take(tile)
        each.refill()
    assert wheel.spaces() == [ORDER[11], ORDER[12], 0, *ORDER[2:11]]
    assert other.spaces() == [ORDER[11], ORDER[0], ORDER[1], ORDER[12], 0, *ORDER[4:11]]


def test_states_are_values() -> None:
    first, second = (Match(2, 20, ORDER, (0, 1)) for _ in range(2))
    assert first == second
    step = apply(first, 1, Place(1, 0, 0))
    assert first == second
    assert step.state != first
    second.advance(1, Place(1, 0, 0))
    assert step.state == second
    assert first != Solo(ORDER)
    clone = second.clone()
    clone.advance(clone.turn, clone.legal_moves()[0])
    assert second == step.state


@pytest.mark.parametrize(("seat", "told"), [(3, "3"), (-1, "-1"), (None, "null"), (True, "true"), ("0", "'0'")])
def test_2_1_a_seat_that_is_not_there_is_named(seat: Any, told: str) -> None:
    error = refused(Match(3, 20, ORDER, (0, 1, 2)), seat, RESIGN, MalformedMove)
    assert error.detail == f"There is no seat {told} here; the seats are 0 to 2."
