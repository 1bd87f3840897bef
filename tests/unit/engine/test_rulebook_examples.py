"""Every example of completing goals and every strategy of the rulebooks, in the engine and in the oracle.

The booklets print their examples as pictures, of which we have the words only. Where the words leave the tile
open, a tile is taken that fits them and does nothing else there; the docstring names it.
The French and the Spanish booklet number their examples, 1 to 8; the English one has most of the same in its text
and among its strategies. Each docstring pictures its display: color and id, one row a line.
"""

from engine import Solo
from tests.unit.engine.builder import Table, display_of, draw_order, solo_table

YELLOW_4 = 62  # "3 red", "3 turquoise", "2 blue": the only yellow 4-tile with "3 Red" and "2 Blue"
BLUE_4 = 10  # "4 red", "2 red": the only blue 4-tile with both


def test_completing_a_goal_with_two_adjacent_tiles() -> None:
    """Example 1: two blue tiles, each adjacent to the yellow 4-tile, complete its "2 blue". Ruling 3.1.

    yellow 62   blue 8 (a 4-tile)
    blue 5 (a 3-tile)
    """
    table = display_of((YELLOW_4, 0, 0), (8, 1, 0))
    assert table.covered(YELLOW_4) == []
    table = display_of((YELLOW_4, 0, 0), (8, 1, 0), (5, 0, 1))
    assert table.covered(YELLOW_4) == [2]
    assert table.counting(YELLOW_4, 2) == [5, 8]
    assert table.engine.discs_left == [20]


def test_completing_a_goal_with_a_chain() -> None:
    """Example 2: only one of the two blue tiles is adjacent to the yellow one, the second is chained to it. 3.2.

    yellow 62   blue 8   blue 5
    """
    table = display_of((YELLOW_4, 0, 0), (8, 1, 0), (5, 2, 0))
    assert table.covered(YELLOW_4) == [2]
    assert table.counting(YELLOW_4, 2) == [5, 8]


def test_diagonal_tiles_do_not_count() -> None:
    """Example 2, second half: three red tiles, but only diagonal to the yellow one: "3 red" is not completed.

    yellow 62   blue 8   blue 5
                red 18   red 19
                red 22
    """
    table = display_of((YELLOW_4, 0, 0), (8, 1, 0), (5, 2, 0), (18, 1, 1), (19, 2, 1), (22, 1, 2))
    assert table.counting(YELLOW_4, 0) == []
    assert table.covered(YELLOW_4) == [2]


def test_two_reds_beside_and_one_diagonal_are_not_three() -> None:
    """The same with two red tiles that count and a third at a corner, joined to neither. Rulings 3.1, 3.2.

                    red 22
        yellow 62   blue 8   blue 5
        red 18
        red 19

    Red 22 touches blue 8, and the yellow tile with its corner.
    """
    table = display_of((YELLOW_4, 0, 0), (8, 1, 0), (5, 2, 0), (18, 0, 1), (19, 0, 2), (22, 1, -1))
    assert table.counting(YELLOW_4, 0) == [18, 19]
    assert table.covered(YELLOW_4) == [2]


def test_two_goals_of_one_tile_at_once() -> None:
    """Example 3: the yellow tile, placed last, completes "3 red" and "2 blue" at once. Ruling 3.4.

    red 18      red 19      red 23
                yellow 62   blue 8
                            blue 5
    """
    table = solo_table([18, 19, 23, 8, 5, YELLOW_4])
    for tile, x, y in ((18, 0, 0), (19, 1, 0), (23, 2, 0), (8, 2, 1), (5, 2, 2)):
        table.place(tile, x, y)
    step = table.place(YELLOW_4, 1, 1)
    assert step.covered == ((YELLOW_4, 0), (YELLOW_4, 2))
    assert sorted(step.counting(YELLOW_4, 0)) == [18, 19, 23]
    assert sorted(step.counting(YELLOW_4, 2)) == [5, 8]
    assert table.engine.discs_left == [19]


def test_a_red_chain_for_the_blue_4_tile() -> None:
    """The red 3-tile touches the blue 4-tile; the red 5, 2 and 1 hang on it: "2 red" and "4 red" are completed.

        blue 10
        red 23 (3)   red 29 (5)   red 19 (2)   red 18 (1)

    The chain counts as 1, 2, 3 and 4 red tiles. The red tiles' own goals are others: "1 turquoise, …", "2 blue",
    "4 red" (it sees three).
    """
    table = solo_table([23, 29, 19, 18, BLUE_4])
    for x, tile in enumerate((23, 29, 19, 18)):
        table.place(tile, x, 0)
    step = table.place(BLUE_4, 0, -1)
    assert step.covered == ((BLUE_4, 0), (BLUE_4, 1))
    assert table.counting(BLUE_4, 0) == table.counting(BLUE_4, 1) == [18, 19, 23, 29]


def test_goals_on_any_number_of_tiles_in_one_turn() -> None:
    """'Multiple goals can be completed on any number of tiles on the same turn.' Order of covering: ruling 3.5.

        red 32   turquoise 46
        blue 1   blue 13

    The turquoise tile, placed last, is the "1 turquoise" of red 32 and of blue 13, and finds its own "1 blue".
    """
    table = solo_table([32, 1, 13, 46])
    for tile, x, y in ((32, 0, 0), (1, 0, 1), (13, 1, 1)):
        table.place(tile, x, y)
    step = table.place(46, 1, 0)
    assert step.covered == ((32, 2), (13, 1), (46, 1))


def test_the_arrangement_within_a_goal_is_irrelevant() -> None:
    """'Matching the right colors in the right amount is all that counts': red 22 wants blue, red, turquoise.

    Whatever side each of them lies at, and whichever comes first, the goal is completed with the third.
    """
    cells = ((0, -1), (-1, 0), (1, 0))
    for tiles in ((1, 18, 35), (35, 1, 18), (18, 35, 1)):
        placements = [(tile, x, y) for tile, (x, y) in zip(tiles, cells, strict=True)]
        assert display_of((22, 0, 0), *placements[:2]).covered(22) == []
        assert display_of((22, 0, 0), *placements).covered(22) == [0]


def test_strategy_1_high_value_tiles_for_easier_goals() -> None:
    """Example 4: the yellow 7-tile (68: blue red, blue turquoise, red turquoise) needs only three tiles.

              blue 1
    red 18    yellow 68   turquoise 35
    """
    table = display_of((68, 0, 0), (1, 0, -1), (18, -1, 0))
    assert table.covered(68) == [0]
    table = display_of((68, 0, 0), (1, 0, -1), (18, -1, 0), (35, 1, 0))
    assert table.covered(68) == [0, 1, 2]


def instant_pair(*more: tuple[int, int, int]) -> Table[Solo]:
    """Return a table with turquoise 49 beside red 32.

    Their goals are "2 blue", "2 yellow", "1 red", and "2 blue", "2 yellow", "1 turquoise". They are the only two tiles
    that fit strategy 2 and, with their "2 yellow", strategy 3.
    """
    return display_of((49, 0, 0), (32, 1, 0), *more)


def test_strategy_2_tiles_fulfilling_goals_instantly() -> None:
    """Example 5: a turquoise and a red tile placed beside each other need no other tile."""
    table = instant_pair()
    assert (table.covered(49), table.covered(32)) == ([2], [2])
    assert table.engine.discs_left == [19]


def test_strategy_3_fulfilling_goals_on_multiple_tiles() -> None:
    """Example 6: two more, yellow tiles complete "2 yellow" on both.

    turquoise 49   red 32
    yellow 53      yellow 54
    """
    table = instant_pair((53, 0, 1))
    assert (table.covered(49), table.covered(32)) == ([2], [2])
    table = instant_pair((53, 0, 1), (54, 1, 1))
    assert (table.covered(49), table.covered(32)) == ([1, 2], [1, 2])
    assert table.counting(49, 1) == table.counting(32, 1) == [53, 54]


def test_strategy_4_the_tile_itself_never_counts() -> None:
    """Example 7: the red 2-tile (19: "4 red") needs at least four more red tiles. Ruling 3.3.

    red 19   red 18   red 23   red 29   red 25
    """
    row = ((19, 0, 0), (18, 1, 0), (23, 2, 0), (29, 3, 0), (25, 4, 0))
    assert display_of(*row[:4]).covered(19) == []
    table = display_of(*row)
    assert table.covered(19) == [0]
    assert table.counting(19, 0) == [18, 23, 25, 29]


def test_strategy_4_two_red_2_tiles_support_each_other() -> None:
    """Example 7, the ideal: with both red 2-tiles in one chain of five, two goals are completed at once.

    red 19   red 18   red 23   red 29   red 20
    """
    table = solo_table([19, 18, 23, 29, 20])
    for x, tile in enumerate((19, 18, 23, 29)):
        table.place(tile, x, 0)
    step = table.place(20, 4, 0)
    assert step.covered == ((19, 0), (20, 0))


def test_strategy_5_goals_are_independent() -> None:
    """Example 8: the same red tiles complete "2 red" and "4 red" of the blue 4-tile. Ruling 3.4.

             red 18
    red 19   blue 10   red 23
             red 29
    """
    around = ((18, 0, -1), (19, -1, 0), (23, 1, 0), (29, 0, 1))
    covered = [display_of((BLUE_4, 0, 0), *around[:count]).covered(BLUE_4) for count in range(5)]
    assert covered == [[], [], [1], [1], [0, 1]]


def test_what_the_french_and_spanish_booklets_call_counting_double() -> None:
    """'A color counts double if its tile has an adjacent tile of that color': they mean the chain. Ruling 3.3.

    One blue tile with another behind it counts as two, not as three; so "3 blue" of red 30 needs a third.

        red 30   blue 1   blue 5   blue 8
    """
    row = ((30, 0, 0), (1, 1, 0), (5, 2, 0), (8, 3, 0))
    assert display_of(*row[:2]).covered(30) == [1]  # "1 blue"
    assert display_of(*row[:3]).covered(30) == [1]
    assert display_of(*row).covered(30) == [0, 1]


def test_the_builders_draw_order_is_one() -> None:
    """The examples rely on this: each tile once, the needed ones first."""
    assert draw_order([5, 3])[:4] == (5, 3, 1, 2)
    assert sorted(draw_order([5, 3])) == list(range(1, 69))
