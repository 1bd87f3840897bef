"""The changes of a move come in the order in which hands would make them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from engine import changes, record, simulate
from engine.changes import (
    Change,
    DiscMoved,
    DiscRemoved,
    GameEnded,
    GoalCovered,
    MarkerMoved,
    PhaseBegun,
    TileDrawn,
    TilePlaced,
    TileTaken,
    TurnPassed,
)
from engine.game import Match
from engine.moves import END, RESIGN, Mark, Place, from_json
from engine.solo import FIRST_STACK, Solo
from engine.table import Step, Table


def played(seats: int, games: int, seed: str, bot: str = "greedy") -> Iterator[tuple[Table, Step]]:
    """Yield each move of simulated games, with the state before it."""
    for line in simulate.records(games, seats, seed, bot):
        whole = json.loads(line)
        state = record.start(whole, tuple(whole["draw"]["tiles"]))
        for entry in whole["log"]:
            before = state.clone()
            yield before, state.advance(entry["seat"], from_json(entry["move"]))


def kinds(made: tuple[Change, ...]) -> list[type[Change]]:
    return [type(change) for change in made]


def test_2_4_a_tile_is_taken_before_marker_disc_and_tile_move() -> None:
    for before, step in played(2, 3, "order"):
        if not isinstance(step.move, Place):
            continue
        assert isinstance(before, Match) and step.moved is not None and step.space is not None
        taken, marker, disc, placed, *others = changes.changes(before, step)
        assert taken == TileTaken(step.move.tile, step.space)
        assert marker == MarkerMoved(before.wheel.marker, step.space)
        assert isinstance(disc, DiscMoved) and (disc.start, disc.to) == step.moved
        assert placed == TilePlaced(step.seat or 0, *step.move)
        order = [GoalCovered, TileDrawn, GameEnded, TurnPassed]
        found = [order.index(type(change)) for change in others]
        assert found == sorted(found) and {2, 3} - set(found), "nobody is to move after the end"
        assert (3 in found) == step.turn_passed and (2 in found) == (step.ended is not None)


def test_2_5_a_disc_that_lands_on_others_lies_above_them() -> None:
    heights = [
        change.height
        for before, step in played(4, 3, "stacks")
        for change in changes.changes(before, step)
        if isinstance(change, DiscMoved)
    ]
    assert set(heights) >= {0, 1}
    match = Match(3, 20, tuple(range(1, 69)), (0, 1, 2))
    step = match.clone().advance(2, Place(match.wheel.choices()[0], 0, 0))
    moved = next(change for change in changes.changes(match, step) if isinstance(change, DiscMoved))
    assert (moved.start, moved.height) == (0, 0)


def test_3_5_goals_are_covered_one_disc_each() -> None:
    for before, step in played(3, 3, "discs"):
        covered = [change for change in changes.changes(before, step) if isinstance(change, GoalCovered)]
        assert [(change.tile, change.goal) for change in covered] == list(step.covered)
        if step.seat is not None:
            left = before.discs_left[step.seat]
            assert [change.discs_left for change in covered] == [left - n for n in range(1, len(covered) + 1)]
            assert all(change.counting == tuple(step.counting(change.tile, change.goal)) for change in covered)


def test_5_4_goals_that_waited_are_covered_after_phase_2_has_begun() -> None:
    both = with_waiting = 0
    for before, step in played(1, 60, "solos"):
        made = kinds(changes.changes(before, step))
        if PhaseBegun not in made:
            continue
        assert isinstance(before, Solo)
        begun = made.index(PhaseBegun)
        first = made[:begun].count(GoalCovered)
        waiting = made[begun:].count(GoalCovered)
        assert first <= before.discs_at_hand()
        assert TileDrawn not in made[begun:]
        placed = before.goal_discs - before.discs_left[0] + first
        assert placed <= FIRST_STACK and (not waiting or placed == FIRST_STACK)
        with_waiting += waiting > 0
        both += first > 0
    assert with_waiting and both


def test_5_2_the_last_tile_of_phase_1_covers_before_the_refill() -> None:
    ways = 0
    for before, step in played(1, 40, "last", "random"):
        made = kinds(changes.changes(before, step))
        if step.by_itself:
            drawn = made.index(TileDrawn)
            assert made[:3] == [TileTaken, MarkerMoved, TilePlaced] and PhaseBegun in made[drawn:]
            ways += 1
    assert ways


def test_4_3_a_player_who_leaves_takes_the_disc_off_the_moon_track() -> None:
    match = Match(3, 20, tuple(range(1, 69)), (0, 1, 2))
    step = match.clone().advance(2, RESIGN)
    assert changes.changes(match, step) == (DiscRemoved(2, 0), TurnPassed(1))
    step = match.clone().advance(0, RESIGN)
    assert changes.changes(match, step) == (DiscRemoved(0, 0),), "it was not that player's turn"
    solo = Solo(tuple(range(1, 69)))
    assert kinds(changes.changes(solo, solo.clone().advance(0, RESIGN))) == [GameEnded]


def test_a_mark_changes_nothing_and_an_end_ends() -> None:
    match = Match(2, 20, tuple(range(1, 69)), (0, 1))
    assert changes.changes(match, match.clone().advance(None, Mark("host.note"))) == ()
    (ended,) = changes.changes(match, match.clone().advance(None, END))
    assert isinstance(ended, GameEnded) and ended.result.reason == "ended"
