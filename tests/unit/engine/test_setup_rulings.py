"""RULINGS.md 1: the catalog, the selection track, the discs, the starting pile."""

from collections.abc import Sequence
from typing import Any

import pytest

from engine import Match, Solo
from engine.errors import SetupError
from engine.game import goal_discs
from engine.tiles import ALL, Tile, check
from tests.unit.engine.builder import draw_order

ORDER = draw_order(())


def test_catalog_has_the_known_figures() -> None:
    assert len(ALL) == 68
    assert all(sum(tile.color == color for tile in ALL) == 17 for color in ("blue", "red", "turquoise", "yellow"))
    assert sum(len(tile.goals) for tile in ALL) == 128


@pytest.mark.parametrize(
    ("changed", "figure"),
    [
        (Tile(1, "blue", 1, ("b",)), "a tile of time cost 1 has no goal"),
        (Tile(17, "blue", 7, ("rt", "ry")), "a tile of time cost 7 has three goals"),
        (Tile(5, "blue", 3, ("btyyy",)), "asks for"),
        (Tile(5, "blue", 3, ("bg",)), "asks for"),
        (Tile(5, "red", 3, ("bty",)), "time costs"),
        (Tile(5, "blue", 4, ("bty",)), "time costs"),
        (Tile(6, "blue", 3, ("bty",)), "ids"),
        (Tile(5, "blue", 3, ("b", "t", "y", "r")), "at most three goals"),
    ],
)
def test_a_damaged_catalog_is_refused(changed: Tile, figure: str) -> None:
    position = 4 if changed.id in (5, 6) else changed.id - 1
    tiles = [*ALL]
    tiles[position] = changed
    with pytest.raises(ValueError, match=figure):
        check(tuple(tiles))


def test_1_1_marker_on_space_0_and_the_first_11_tiles_on_1_to_11() -> None:
    for state in (Match(2, 20, ORDER, (0, 1)), Solo(ORDER)):
        assert state.wheel.marker == 0
        assert state.wheel.spaces() == [0, *ORDER[:11]]
        assert state.wheel.pile_size == 57
        assert state.wheel.shown == 11


@pytest.mark.parametrize(
    "order",
    [
        ORDER[:10],
        (*ORDER[:67], ORDER[0]),
        (*ORDER[:67], 69),
        (*ORDER[:67], 0),
        (*ORDER[:67], True),
        (*ORDER[:67], 68.0),
    ],
)
def test_1_1_a_draw_order_names_each_tile_at_most_once(order: Sequence[int]) -> None:
    with pytest.raises(SetupError) as refused:
        Match(2, 20, order, (0, 1))
    assert (refused.value.code, refused.value.rule) == ("bad_tiles", "1.1")


@pytest.mark.parametrize(
    ("seats", "discs", "expected"),
    [
        (2, "full", 20),
        (3, "full", 20),
        (4, "full", 20),
        (3, "first_game", 17),
        (4, "first_game", 15),
        (2, 5, 5),
        (4, 20, 20),
    ],
)
def test_1_2_goal_discs(seats: Any, discs: Any, expected: int) -> None:
    assert goal_discs(seats, discs) == expected
    assert Match(seats, expected, ORDER, range(seats)).discs_left == [expected] * seats


@pytest.mark.parametrize(
    ("seats", "discs", "code"),
    [
        (2, "first_game", "no_first_game"),
        (2, 4, "bad_discs"),
        (2, 21, "bad_discs"),
        (3, "half", "bad_discs"),
        (3, True, "bad_discs"),
        (3, 17.0, "bad_discs"),
        (3, None, "bad_discs"),
    ],
)
def test_1_2_other_disc_counts_are_an_error(seats: Any, discs: Any, code: str) -> None:
    with pytest.raises(SetupError) as refused:
        goal_discs(seats, discs)
    assert (refused.value.code, refused.value.rule) == (code, "1.2")
    assert str(refused.value) == refused.value.detail


@pytest.mark.parametrize("discs", [4, 21, True, 17.0, None])
def test_1_2_a_match_has_five_to_twenty_goal_discs(discs: Any) -> None:
    with pytest.raises(SetupError) as refused:
        Match(3, discs, ORDER, (0, 1, 2))
    assert (refused.value.code, refused.value.rule) == ("bad_discs", "1.2")


@pytest.mark.parametrize("seats", [0, 1, 5, True, 2.0])
def test_1_2_a_match_has_two_to_four_seats(seats: Any) -> None:
    with pytest.raises(SetupError) as refused:
        Match(seats, 20, ORDER, (0, 1))
    assert refused.value.code == "bad_seats"


@pytest.mark.parametrize("stack", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_1_3_the_top_of_the_starting_pile_moves_first(stack: list[int]) -> None:
    state = Match(3, 20, ORDER, stack)
    assert state.turn == stack[-1]
    assert state.moon.stacks() == [(0, list(stack))]


@pytest.mark.parametrize("stack", [(0, 0), (0,), (0, 1, 2), (1, 2), (0, True), (0, 1.0)])
def test_1_3_the_starting_pile_holds_each_disc_once(stack: list[int]) -> None:
    with pytest.raises(SetupError) as refused:
        Match(2, 20, ORDER, stack)
    assert (refused.value.code, refused.value.rule) == ("bad_stack", "1.3")
