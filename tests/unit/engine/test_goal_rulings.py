"""RULINGS.md 3: goals, chains, independence, the last discs."""

from engine import Match
from engine.display import Display, cell_of
from engine.moves import Place
from engine.tiles import TILES
from tests.unit.engine.builder import draw_order, ended


def display(*placements: tuple[int, int, int], discs: int = 99) -> tuple[Display, list[tuple[tuple[int, int], ...]]]:
    """Build a display tile by tile from (tile, x, y); return it with what each placement covered."""
    made, covered = Display(), []
    for tile, x, y in placements:
        covered.append(made.place(tile, cell_of(x, y), discs))
    return made, covered


def covered_on(made: Display, tile: int) -> tuple[int, ...]:
    """Return the indexes of a tile's covered goals."""
    return next(covered for placed, _, _, covered in made.placed() if placed == tile)


def test_3_1_every_color_asked_for_needs_that_many() -> None:
    # Tile 4 (blue 3) asks for bby. Two blue tiles, one a neighbor's neighbor, and a yellow one.
    made, covered = display((4, 0, 0), (1, 1, 0), (52, 0, 1))
    assert covered[2] == ()
    assert made.lacks(4, 0) == {"b": 1}
    assert made.place(2, cell_of(2, 0), 99) == ((4, 0),)
    assert made.lacks(4, 0) == {}


def test_3_1_diagonals_do_not_touch() -> None:
    made, covered = display((8, 0, 0), (18, 0, 1), (35, -1, 1))
    assert covered[2] == ()  # tile 8's second goal asks for rt; the turquoise tile lies at a corner
    assert made.counting(8, 1) == [18]


def test_3_2_a_chain_that_touches_at_two_sides_counts_each_tile_once() -> None:
    # Tile 42 (turquoise 4) asks for bbbb and bb: three blue tiles around a corner do not make four.
    made, _ = display((42, 0, 0), (1, 1, 0), (2, 1, 1), (3, 0, 1))
    assert covered_on(made, 42) == (1,)
    assert made.counting(42, 0) == [1, 2, 3]
    assert made.lacks(42, 0) == {"b": 1}
    assert made.place(4, cell_of(2, 0), 99)[0] == (42, 0)


def test_3_2_joining_chains_counts_together_what_was_apart() -> None:
    # Two blue chains touch tile 42 at two sides, then one tile joins them.
    made, covered = display((42, 0, 0), (1, -1, 0), (18, -1, 1), (2, 0, 1), discs=99)
    assert covered[3] == ((42, 1),)
    assert made.counting(42, 0) == [1, 2]
    # A chain at a distance counts only once it is joined: tiles 2, 3 and 4 lie round a red corner.
    made, _ = display((42, 0, 0), (1, 1, 0), (18, 1, 1), (2, 2, 1), (3, 3, 1), (4, 3, 0))
    assert made.counting(42, 0) == [1]
    assert made.place(5, cell_of(2, 0), 99) == ((42, 0), (42, 1), (2, 0), (3, 0))
    assert made.counting(42, 0) == [1, 2, 3, 4, 5]


def test_3_2_a_chain_winds_round_and_closes_on_itself() -> None:
    # Eight blue tiles round a red one; the last joins the chain's two ends.
    ring = [(1, 0, -1), (2, 1, -1), (3, 1, 0), (4, 1, 1), (5, 0, 1), (6, -1, 1), (7, -1, 0), (8, -1, -1)]
    made, _ = display((30, 0, 0), *ring)  # tile 30 (red 5) asks for bbb and b
    assert covered_on(made, 30) == (0, 1)
    assert made.counting(30, 0) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_3_3_the_goals_own_tile_never_counts() -> None:
    # Tile 2 (blue 2) asks for bbbb: itself and three more are not enough.
    made, _ = display((2, 0, 0), (1, 1, 0), (4, 2, 0), (5, 3, 0))
    assert covered_on(made, 2) == ()
    assert made.lacks(2, 0) == {"b": 1}
    assert made.place(6, cell_of(-1, 0), 99) == ((2, 0),)
    assert made.counting(2, 0) == [1, 4, 5, 6]


def test_3_3_nothing_is_doubled() -> None:
    made, covered = display((3, 0, 0), (2, 1, 0), (1, 0, 1))
    assert covered == [(), (), ()]
    assert made.counting(3, 0) == [2, 1]


def test_3_4_a_tile_serves_any_number_of_goals() -> None:
    # One red tile completes goals on two tiles and on both goals of one of them.
    made, _ = display((10, 0, 0), (18, 1, 0), (19, 2, 0), (20, 3, 0))
    assert made.place(21, cell_of(4, 0), 99)[:1] == ((10, 0),)
    assert covered_on(made, 10) == (0, 1)


def test_3_5_a_met_goal_is_covered_at_once_and_stays_so() -> None:
    made, covered = display((46, 0, 0), (1, 1, 0))  # turquoise 5: rr, b
    assert covered[1] == ((46, 1),)
    made.place(52, cell_of(0, 1), 99)
    assert covered_on(made, 46) == (1,)


def test_3_5_the_last_discs_cover_by_placement_then_by_goal_1_to_3() -> None:
    # Tile 34 (red 7: bt, by, ty) has three goals; the yellow tile 52 meets by and ty at once.
    made, covered = display((34, 0, 0), (1, 1, 0), (35, 0, 1))
    assert covered[2] == ((34, 0),)
    for discs, expected in ((0, ()), (1, ((34, 1),)), (2, ((34, 1), (34, 2)))):
        trial = made.clone()
        assert trial.place(52, cell_of(-1, 0), discs) == expected
    # Tile 13 was placed before tile 29; both ask for a yellow tile.
    made, _ = display((30, 0, 0), (29, 1, 0), (13, 1, 1))
    assert TILES[29].goals == ("bb", "y")
    assert made.clone().place(52, cell_of(2, 0), 1) == ((29, 1),)


def test_3_5_where_the_discs_run_out_the_rest_stays_uncovered() -> None:
    state = Match(2, 20, draw_order((34, 1, 35, 52)), (0, 1))
    state.discs_left = [20, 2]
    for tile, x, y in ((34, 0, 0), (1, 1, 0), (35, 0, 1), (52, -1, 0)):
        state.moon.position, state.moon.order, state.turn = [99, 0], [1, 0], 1
        step = state.advance(1, Place(tile, x, y))
    assert step.covered == ((34, 1),)
    assert ended(step).reason == "discs"
    assert next(state.displays[1].placed()) == (34, 0, 0, (0, 1))


def test_a_display_is_a_value() -> None:
    made, _ = display((34, 0, 0), (1, 1, 0))
    again, _ = display((34, 0, 0), (1, 1, 0))
    other, _ = display((34, 0, 0), (1, 0, 1))
    assert made == again == made.clone()
    assert made != other
    made.clone().place(35, cell_of(0, 1), 99)
    assert made == again
    assert made.cost == 8
    assert len(made) == 2
