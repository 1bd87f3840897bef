"""The rulebooks' examples of steps 1 to 4: filling the track, selecting a tile, advancing the disc, placing.

Each in the engine and in the oracle. The booklets print their examples as pictures, of which we have the words only.
Where the words leave the tile open, a tile is taken that fits them and does nothing else there; the docstring names
it.
"""

import pytest

from tests.unit.engine.builder import display_of, match_table, solo_table

YELLOW_4 = 62  # "3 red", "3 turquoise", "2 blue": the yellow 4-tile of the later examples


def test_filling_the_selection_track() -> None:
    """Orange, with two tiles left, places nine new ones clockwise from the first blank space after the marker.

    The picture's spaces are open: here tiles are left on spaces 4 and 9, and the marker is on space 11, so the first
    blank space is space 0. Ruling 2.2.
    """
    table = match_table(4)  # tile n on space n
    for tile in (1, 2, 3, 5, 6, 7, 8, 10, 11):
        table.place_quietly(tile)
    assert (table.engine.wheel.marker, table.engine.wheel.spaces()) == (11, [0, 0, 0, 0, 4, 0, 0, 0, 0, 9, 0, 0])
    orange = table.engine.turn
    step = table.refill()
    assert [space for space, _ in step.refilled] == [0, 1, 2, 3, 5, 6, 7, 8, 10]
    assert [tile for _, tile in step.refilled] == [12, 13, 14, 15, 16, 17, 18, 19, 20]
    assert table.engine.wheel.spaces() == [12, 13, 14, 15, 4, 16, 17, 18, 19, 9, 20, 0]
    assert table.engine.turn == orange
    assert list(table.engine.wheel.choices()) == [12, 13, 14]


def test_filling_is_optional_with_one_or_two_tiles_and_not_before() -> None:
    """Text of step 1: one or two tiles left, the player may fill, or select without filling."""
    table = match_table(4)
    for _ in range(8):
        table.place_quietly()
    assert table.refused({"type": "refill"}) == "2.2"  # three tiles left
    for left in (2, 1):
        table.place_quietly()
        assert table.engine.legal_moves().refill
        assert len(table.engine.wheel.choices()) == left
    assert table.engine.wheel.pile_size == 57


def test_an_empty_track_must_be_filled() -> None:
    """Text of step 1: with no tile left at the beginning of a turn, all empty spaces are filled. Ruling 2.2."""
    table = match_table(4)
    for _ in range(10):
        assert table.place_quietly().refilled == ()
    step = table.place_quietly()
    assert len(step.refilled) == 11
    assert step.by_itself
    assert table.engine.wheel.pile_size == 46


def test_when_tiles_run_out_the_track_is_filled_as_far_as_possible() -> None:
    """Text of step 1. 68 tiles are 11, five refills of 11 that happen by themselves, and 2 at the end."""
    table = match_table(2)
    for _ in range(66):
        step = table.place_quietly()
    assert len(step.refilled) == 2
    assert len(table.engine.wheel.choices()) == 2
    assert table.engine.wheel.pile_size == 0
    assert table.refused({"type": "refill"}) == "2.2"  # nothing to refill from


@pytest.mark.parametrize("space", [1, 2, 3])
def test_selecting_a_tile_and_moving_the_marker(space: int) -> None:
    """Blue selects the yellow 4-tile; the marker moves to the space it came from. Rulings 2.3, 2.4.

    Which of the next three it was, the words leave open: each of them is tried.
    """
    others = iter((1, 18))
    table = match_table(2, [YELLOW_4 if n == space else next(others) for n in (1, 2, 3)])
    step = table.place(YELLOW_4, 0, 0)
    assert step.space == space
    assert table.engine.wheel.marker == space
    assert table.engine.wheel.spaces()[space] == 0


def test_selecting_skips_spaces_without_a_tile() -> None:
    """Text of step 2: the next three tiles clockwise; spaces without a tile are ignored."""
    table = match_table(4)  # tile n on space n
    for tile in (2, 3, 5, 6, 8):
        table.place_quietly(tile)
    assert list(table.engine.wheel.choices()) == [9, 10, 11]
    table.place_quietly(11)
    assert list(table.engine.wheel.choices()) == [1, 4, 7]
    assert table.refused({"type": "place", "tile": 9, "x": 0, "y": 1}) == "2.3"


def test_advancing_the_player_disc() -> None:
    """After selecting the yellow 4-tile Blue moves four spaces. Ruling 2.4."""
    table = match_table(2, [YELLOW_4])
    blue = table.engine.turn
    assert blue is not None
    step = table.place(YELLOW_4, 0, 0)
    assert step.moved == (0, 4)
    assert table.engine.moon.position[blue] == 4
    assert table.engine.turn != blue


def test_landing_on_a_taken_space_puts_the_disc_on_top() -> None:
    """Text of step 3, here with yellow and red 4-tiles.

    Who arrives last on the backmost space moves first. 2.1, 2.5.
    """
    table = match_table(2, [YELLOW_4, 25])
    table.place(YELLOW_4, 0, 0)
    table.place(25, 0, 0)
    assert list(map(tuple, table.oracle["stacks"])) == [(4, [1, 0])]
    assert table.engine.turn == 0


def test_a_player_can_move_many_times_in_a_row() -> None:
    """French booklet, 'le chiffre': low values can let you play several times on end. Ruling 2.1."""
    table = match_table(2, [68, 52, 18, 35, 1, 53])
    table.place(68, 0, 0)
    for x, tile in enumerate((52, 18, 35, 1, 53)):
        assert table.engine.turn == 0
        step = table.place(tile, x, 0)
    assert table.engine.moon.position == [6, 7]
    assert not step.turn_passed


def test_tiles_are_placed_orthogonally_adjacent() -> None:
    """Text of step 4: beside a tile of the display; not diagonally, not apart, not on top. Ruling 2.6."""
    table = solo_table([YELLOW_4, 8])
    assert table.refused({"type": "place", "tile": YELLOW_4, "x": 1, "y": 0}) == "2.6"
    table.place(YELLOW_4, 0, 0)
    for x, y in ((0, 0), (1, 1), (-1, 1), (2, 0)):
        assert table.refused({"type": "place", "tile": 8, "x": x, "y": y}) == "2.6"
    assert list(table.engine.displays[0].open_cells()) == [(0, -1), (-1, 0), (1, 0), (0, 1)]


def test_a_tile_may_be_placed_that_matches_no_goal() -> None:
    """'You are allowed to place tiles that are a color that does not match any goal of the adjacent tile.'"""
    table = display_of((19, 0, 0), (53, 1, 0))  # red: "4 red"; yellow: "4 yellow"
    assert table.engine.discs_left == [21]
