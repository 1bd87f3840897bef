"""The rulebooks on the end of the game, on ties and on the solo game, played in the engine and in the oracle."""

from engine import Solo
from tests.oracle import draw
from tests.oracle.display import met_goals
from tests.oracle.tiles import TILES
from tests.unit.engine.builder import Table, match_table, result_of, solo_table


def test_placing_the_last_disc_wins_at_once() -> None:
    """'The game ends when the current player has placed all of their goal discs.' Rulings 4.1 and 2.1.

    Seat 2 builds five goals with red tiles; the others place nothing. Both others are on space 13, seat 1 arrived
    last, so it would have moved next and is second.

        red 18    red 19    red 20
        blue 10   red 21    red 22
    """
    moves = [
        (2, 18, 0, 0),  # to space 1
        (1, 17, 0, 0),  # a blue 7-tile, to space 7
        (0, 51, 0, 0),  # a turquoise 7-tile, on top of it
        (2, 19, 1, 0),  # to space 3
        (2, 20, 2, 0),  # to space 5
        (2, 10, 0, 1),  # to space 9, with "2 red"
        (0, 66, 1, 0),  # a yellow 6-tile, to space 13
        (1, 15, 1, 0),  # a blue 6-tile, on top of it
        (2, 21, 1, 1),  # to space 12: "4 red" of the blue tile and red 21's "1 blue, 2 red"
        (2, 22, 2, 1),  # the fifth red one: both red 2-tiles
    ]
    table = match_table(3, (tile for _, tile, _, _ in moves), goal_discs=5)
    for seat, tile, x, y in moves:
        assert table.engine.turn == seat
        step = table.place(tile, x, y)
    assert step.covered == ((19, 0), (20, 0))
    assert step.ended is not None
    assert table.engine.turn is None
    assert list(table.engine.legal_moves()) == []
    assert result_of(table).to_json() == {"reason": "discs", "ranking": [2, 1, 0], "discs_left": [5, 5, 0]}


def test_ties_at_the_end_of_the_tiles_go_to_who_would_have_moved_next() -> None:
    """'The game also ends when a player cannot select any more tiles.' Fewest discs left wins, ties by turn. 4.2.

    Four players who avoid goals end with two ties: seats 1 and 2 with 18 discs left, 0 and 3 with 20.
    """
    table = match_table(4)
    while table.engine.turn is not None:
        table.place_quietly()
    assert [(position, seats) for position, seats in table.engine.moon.stacks()] == [
        (64, [1]),
        (66, [0]),
        (68, [3]),
        (70, [2]),
    ]
    assert result_of(table).to_json() == {
        "reason": "tiles",
        "ranking": [1, 2, 0, 3],
        "discs_left": [20, 18, 18, 20],
    }


def generous_solo() -> Table[Solo]:
    """Return a solo whose tiles let a greedy player place the eighth disc with the sixth tile."""
    tiles, _ = draw.draw(bytes(32), "solo 140", [""])
    table = solo_table(tiles)
    for _ in range(6):
        assert not table.engine.legal_moves().refill
        assert table.refused({"type": "refill"}) == "5.2"
        table.place_greedily()
    assert table.engine.discs_left == [13]
    return table


def cost_of_display(table: Table[Solo]) -> int:
    """Return the time cost of all tiles on the display, added up from the list of tiles."""
    return sum(TILES[tile].cost for tile, _, _, _ in table.engine.displays[0].placed())


def test_solo_refill_after_the_eighth_disc() -> None:
    """'Once you place your eighth disc, you may refill.' The rest stays on the track; the costs are noted. 5.2, 5.3."""
    table = generous_solo()
    kept = [tile for tile in table.engine.wheel.spaces() if tile]
    assert len(kept) == 5
    step = table.refill()
    assert len(step.refilled) == 6
    assert set(kept) <= set(table.engine.wheel.spaces())
    assert (table.engine.phase, table.engine.first_total) == (2, cost_of_display(table))
    assert table.refused({"type": "refill"}) == "5.5"


def test_solo_waiting_after_the_eighth_disc() -> None:
    """'You can choose to wait to refill if you want to select more tiles': a higher score, more tiles. 5.2, 5.4.

    Goals met meanwhile get no disc before phase 2, which begins by itself when the track is empty.
    """
    table = generous_solo()
    for _ in range(4):
        assert table.place_greedily().covered == ()
        assert table.engine.discs_left == [13]
    waiting = len(met_goals(table.oracle["displays"][0]))
    assert waiting > 0
    step = table.place_quietly()
    assert step.by_itself
    assert len(step.refilled) == 11
    assert len(step.covered) == waiting == 13 - table.engine.discs_left[0]
    assert table.engine.first_total == cost_of_display(table)


def test_solo_without_eight_discs_in_the_first_eleven_tiles() -> None:
    """'If you have placed all 11 of the tiles, you must refill'; 10 points for each of the 8 not placed. 5.2, 5.3.

    With the tiles by their ids a greedy player places three.
    """
    table = solo_table()
    for _ in range(11):
        step = table.place_greedily()
    assert step.by_itself
    assert table.engine.discs_left == [18]
    assert table.engine.first_total == cost_of_display(table) + 5 * 10


def test_solo_score_when_all_discs_are_placed() -> None:
    """'Time spent in phase 1 will count double'; it ends with the 21st disc. Rulings 5.5, 5.7."""
    table = generous_solo()
    phase_1 = cost_of_display(table)
    table.refill()
    while table.engine.turn is not None:
        table.place_greedily()
    both = cost_of_display(table)
    assert result_of(table).to_json() == {
        "reason": "discs",
        "first_total": phase_1,
        "second_total": both,
        "score": phase_1 + both,
        "discs_left": [0],
    }


def test_solo_score_when_the_tiles_run_out() -> None:
    """'If you have any of your 21 discs remaining, add 10 points for each.' Rulings 5.5, 5.7."""
    table = solo_table()
    while table.engine.turn is not None:
        table.place_quietly()
    left = table.engine.discs_left[0]
    assert left > 13
    assert len(list(table.engine.displays[0].placed())) == 22
    result = result_of(table).to_json()
    assert result["reason"] == "tiles"
    assert result["second_total"] == cost_of_display(table) + 10 * left
    assert result["score"] == result["first_total"] + result["second_total"]
