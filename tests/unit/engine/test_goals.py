"""Why goals are met: chains, what counts and what is missing, compared with the oracle and with what was counted."""

from __future__ import annotations

import json
from collections.abc import Iterator

from engine import record, simulate
from engine.display import Display, cell_of
from engine.game import Match
from engine.goals import SIDES, ExplainedGoal, explained
from engine.moves import from_json
from engine.solo import Solo
from engine.table import Table
from engine.tiles import TILES
from tests.oracle import display as oracle
from tests.support.plain import plain


def match(*placed: tuple[int, int, int], discs: int = 99) -> Match:
    """Return a match in which seat 0 has placed these tiles; only its display matters."""
    state = Match(2, 20, tuple(range(1, 69)), (0, 1))
    state.displays[0] = display = Display()
    for tile, x, y in placed:
        discs -= len(display.place(tile, cell_of(x, y), discs))
    return state


def goal(state: Table, tile: int, index: int) -> ExplainedGoal:
    return next(each for each in explained(state, 0) if (each.tile, each.goal) == (tile, index))


def positions() -> Iterator[Table]:
    """Yield the position after each fifth entry of simulated games, and after the last one."""
    for seats in (1, 2, 3, 4):
        for line in simulate.records(4, seats, "goals", "greedy", leave="0.01"):
            whole = json.loads(line)
            state = record.start(whole, tuple(whole["draw"]["tiles"]))
            for entry in whole["log"]:
                state.advance(entry["seat"], from_json(entry["move"]))
                if entry["seq"] % 5 == 0 or state.result is not None:
                    yield state


def test_explanations_agree_with_the_oracle_in_whole_games() -> None:
    seen = 0
    for state in positions():
        for seat, display in enumerate(plain(state)["displays"]):
            cells = oracle.tiles_by_cell(display)
            colors = {cell: TILES[tile].letter for cell, tile in cells.items()}
            where = {tile: cell for cell, tile in cells.items()}
            covered = {(placed["tile"], index) for placed in display for index in placed["covered"]}
            goals = explained(state, seat)
            assert [(each.tile, each.goal) for each in goals] == [
                (placed["tile"], index) for placed in display for index in range(len(TILES[placed["tile"]].goals))
            ]
            for each in goals:
                around = oracle.touching_chains(colors, where[each.tile])
                assert each.is_met == oracle.is_met(each.asks, [colors[cell] for cell in around])
                assert each.covered == ((each.tile, each.goal) in covered)
                assert sorted(each.counting) == oracle.counting(display, each.tile, each.goal)
                for asked in each.colors:
                    assert asked.needed == each.asks.count(asked.letter)
                    for chain in asked.chains:
                        whole = oracle.chain(colors, where[chain.tiles[0]])
                        assert {where[tile] for tile in chain.tiles} == whole - {where[each.tile]}
                        x, y = where[each.tile]
                        beside = {name: (x + dx, y + dy) for name, (dx, dy) in SIDES.items()}
                        assert set(chain.sides) == {name for name, cell in beside.items() if cell in whole}
                seen += 1
    assert seen > 3000


def test_explanations_agree_with_what_displays_have_counted() -> None:
    for state in positions():
        for seat, display in enumerate(state.displays):
            for each in explained(state, seat):
                assert set(each.counting) == set(display.counting(each.tile, each.goal))
                assert each.missing == display.lacks(each.tile, each.goal)
                assert not each.covered or each.is_met, "a covered goal stays met"


def test_3_1_a_goal_lacks_what_no_chain_around_it_has() -> None:
    state = match((34, 0, 0), (1, 1, 0))  # red 7: bt, by, ty; tile 1 is blue
    first = goal(state, 34, 0)
    assert first.asks == "bt" and first.name == "34.1" and not first.is_met
    assert first.missing == {"t": 1} and first.counting == (1,) and first.rules == ("3.1",)
    blue, turquoise = first.colors
    assert [(chain.tiles, chain.sides) for chain in blue.chains] == [((1,), ("right",))]
    assert turquoise.chains == () and (turquoise.needed, turquoise.counted, turquoise.missing) == (1, 0, 1)


def test_3_2_a_chain_around_a_corner_counts_each_tile_once() -> None:
    # Three blue tiles around a corner touch the tile above and on the right, and do not make four.
    goals = {tile.id: tile.goals for tile in TILES if any(each.count("b") == 4 for each in tile.goals)}
    tile, asked = next((tile, each) for tile, each in goals.items() if TILES[tile].letter != "b")
    index = next(i for i, each in enumerate(asked) if each.count("b") == 4)
    blue = [each.id for each in TILES if each.letter == "b"][:3]
    state = match((tile, 0, 0), (blue[0], 0, -1), (blue[1], 1, -1), (blue[2], 1, 0))
    found = goal(state, tile, index)
    (color,) = [each for each in found.colors if each.letter == "b"]
    assert [(chain.tiles, chain.sides) for chain in color.chains] == [(tuple(blue), ("above", "right"))]
    assert color.counted == 3 and found.missing["b"] == 1 and "3.2" in found.rules


def test_3_2_two_tiles_behind_each_other_are_a_chain() -> None:
    found = goal(match((34, 0, 0), (1, 1, 0), (2, 2, 0)), 34, 0)  # red 7: bt, by, ty; both others are blue
    assert found.counting == (1, 2) and found.rules == ("3.1", "3.2")


def test_3_3_the_tile_itself_does_not_count() -> None:
    tile, index = next((tile.id, i) for tile in TILES for i, each in enumerate(tile.goals) if each == tile.letter * 2)
    letter = TILES[tile].letter
    other = next(each.id for each in TILES if each.letter == letter and each.id != tile)
    found = goal(match((tile, 0, 0), (other, 1, 0)), tile, index)
    assert found.counting == (other,) and found.missing == {letter: 1} and found.rules == ("3.1", "3.3")
    (chain,) = found.colors[0].chains
    assert chain.tiles == (other,) and chain.sides == ("right",)


def test_3_5_a_goal_is_covered_or_waits_for_a_disc() -> None:
    placed = ((46, 0, 0), (1, 1, 0))  # turquoise 5: rr, b; tile 1 is blue
    covered = goal(match(*placed), 46, 1)
    assert covered.covered and covered.is_met and covered.rules[-1] == "3.5"
    waiting = goal(match(*placed, discs=0), 46, 1)
    assert not waiting.covered and waiting.is_met and waiting.missing == {} and waiting.rules[-1] == "3.5"


def test_5_4_in_phase_1_of_a_solo_a_met_goal_waits_for_phase_2() -> None:
    solo = Solo(tuple(range(1, 69)))
    for tile, x, y in ((46, 0, 0), (1, 1, 0)):
        solo.displays[0].place(tile, cell_of(x, y), 0)
    assert goal(solo, 46, 1).rules == ("3.1", "5.4")
    solo.first_total = 60
    assert goal(solo, 46, 1).rules == ("3.1", "3.5")


def test_an_empty_display_has_no_goals() -> None:
    assert explained(match(), 0) == ()


def test_a_step_names_the_tiles_that_count_for_what_it_covers() -> None:
    covered = 0
    for seats in (1, 2):
        for line in simulate.records(2, seats, "covered", "greedy"):
            whole = json.loads(line)
            state = record.start(whole, tuple(whole["draw"]["tiles"]))
            for entry in whole["log"]:
                step = state.advance(entry["seat"], from_json(entry["move"]))
                if step.covered:
                    why = {(each.tile, each.goal): sorted(each.counting) for each in explained(state, entry["seat"])}
                    assert [sorted(tiles) for tiles in step.covered_by] == [why[each] for each in step.covered]
                    covered += len(step.covered)
                else:
                    assert step.covered_by == ()
                if entry["seat"] is None:
                    assert step.counting(1, 0) == []
    assert covered > 40
