"""The story of a finished game, on games made by hand, and on simulated ones beside a plain second computation."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from engine import moves, record, simulate
from engine.game import Match
from engine.moves import END, RESIGN, TIMEOUT, Mark, Move, Place
from engine.prospects import most_goals
from engine.solo import Solo
from engine.story import LoggedMove, Run, Story, StoryMove, Tempo, TurningPoint, Unfinished, tell
from engine.story.turning_points import leader, margin, turning_points

START = datetime(2026, 11, 27, 20, 56, tzinfo=UTC)
HOUR = timedelta(hours=1)
TILES = tuple(range(1, 69))


def played(line: bytes) -> tuple[dict[str, Any], Story]:
    """Return a record and its story."""
    found = json.loads(line)
    entries = [
        LoggedMove(each["seq"], record.moment(each["at"]), each["seat"], moves.from_json(each["move"]), each.get("by"))
        for each in found["log"]
    ]
    start = record.start(found, tuple(found["draw"]["tiles"]))
    return found, tell(start, record.moment(found["game"]["started_at"]), entries)


def told(made: Iterable[tuple[int | None, Move, timedelta]], seats: int = 2) -> Story:
    """Return the story of a match of entries given by their seats, moves and times since the start; seat 0 begins."""
    state = Match(seats, 20, TILES, tuple(range(seats))[::-1])
    logged = [LoggedMove(seq, START + after, seat, move) for seq, (seat, move, after) in enumerate(made, start=1)]
    return tell(state, START, logged)


def led_by(leaders: Sequence[int | None], margins: Sequence[int] = ()) -> list[StoryMove]:
    """Return moves with these leaders; their numbers are ten times their places."""
    margins = margins or [1] * len(leaders)
    return [
        StoryMove(10 * place, START, 0, "place", None, 1, 1, 0, (20, 20), (0, 0), seat, ahead)
        for place, (seat, ahead) in enumerate(zip(leaders, margins, strict=True), start=1)
    ]


SIMULATED = [
    (seats, bot, line)
    for seats, bot, leave in ((1, "greedy", "0"), (2, "greedy", "0"), (3, "random", "0.01"), (4, "greedy", "0.01"))
    for line in simulate.records(3, seats, "stories", bot, leave=leave)
]


def plain_denials(found: dict[str, Any]) -> list[tuple[int, int, int, int]]:
    """Return the denials as (seq, seat, other, goals), found by placing each choice on a copy of each display."""
    state = record.start(found, tuple(found["draw"]["tiles"]))
    denials = []
    for entry in found["log"]:
        move = moves.from_json(entry["move"])
        if isinstance(move, Place) and isinstance(state, Match):
            for other in range(state.seats):
                if other == entry["seat"] or other in state.moon.left:
                    continue
                best = {
                    tile: max(
                        len(state.displays[other].clone().place(tile, (y << 8) + x, state.discs_left[other]))
                        for x, y in state.displays[other].open_cells()
                    )
                    for tile in state.wheel.choices()
                }
                mine = best.pop(move.tile)
                if mine and all(mine > goals for goals in best.values()):
                    denials.append((entry["seq"], entry["seat"], other, mine))
        state.advance(entry["seat"], move)
    return denials


@pytest.mark.parametrize(("seats", "bot", "line"), SIMULATED)
def test_denials_are_those_that_placing_each_choice_finds(seats: int, bot: str, line: bytes) -> None:
    found, story = played(line)
    assert [(one.seq, one.seat, one.other, one.goals) for one in story.denials] == plain_denials(found)
    covered = {move.seq: (move.covered, move.tile) for move in story.moves}
    assert all(covered[one.seq] == (one.covered, one.tile) for one in story.denials)
    for player in story.players:
        assert player.took == len({one.seq for one in story.denials if one.seat == player.seat})
        assert player.lost == sum(one.other == player.seat for one in story.denials)


def test_simulated_games_have_denials_and_turning_points() -> None:
    stories = [played(line)[1] for seats, _, line in SIMULATED if seats > 1]
    assert sum(len(story.denials) for story in stories) > 20
    assert any(story.turning_points for story in stories)


@pytest.mark.parametrize(("seats", "bot", "line"), SIMULATED)
def test_totals_are_those_of_the_final_state(seats: int, bot: str, line: bytes) -> None:
    found, story = played(line)
    state = record.start(found, tuple(found["draw"]["tiles"]))
    for entry in found["log"]:
        state.advance(entry["seat"], moves.from_json(entry["move"]))
    assert story.result == state.result and story.version == len(found["log"])
    for player in story.players:
        display = state.displays[player.seat]
        assert (player.tiles, player.distance) == (len(display), display.cost)
        assert player.goals == story.goal_discs - player.discs_left == story.goal_discs - state.discs_left[player.seat]
        if isinstance(state, Match):
            assert player.distance == state.moon.position[player.seat]
            assert player.has_left == (player.seat in state.moon.left)
    assert [player.rank for player in story.players] == (
        [story.result.ranking.index(seat) + 1 for seat in range(seats)] if story.result.ranking else [None] * seats
    )
    assert sum(sum(day.moves) for day in story.days) == sum(move.think is not None for move in story.moves)
    assert [day.day for day in story.days] == sorted({day.day for day in story.days})
    if story.result.ranking:
        assert story.moves[-1].leader == story.result.ranking[0]


@pytest.mark.parametrize(("seats", "bot", "line"), SIMULATED)
def test_runs_are_placements_that_no_other_placement_parts(seats: int, bot: str, line: bytes) -> None:
    found, story = played(line)
    placed = [(entry["seq"], entry["seat"]) for entry in found["log"] if entry["move"]["type"] == "place"]
    runs: list[list[int]] = []
    before = None
    for seq, seat in placed:
        if seat == before:
            runs[-1].append(seq)
        else:
            runs.append([seq])
        before = seat
    expected = [run for run in runs if len(run) > 1] if seats > 1 else []
    assert [(run.first, run.last, run.turns) for run in story.runs] == [(run[0], run[-1], len(run)) for run in expected]


def test_a_game_that_is_not_over_has_no_story() -> None:
    with pytest.raises(Unfinished):
        told([(0, Place(1, 0, 0), HOUR)])


def test_thinking_begins_with_the_move_before_and_marks_do_not_count() -> None:
    story = told(
        [
            (0, Place(1, 0, 0), HOUR),
            (1, Mark("nudge"), 2 * HOUR),
            (1, Place(2, 0, 0), 4 * HOUR + timedelta(seconds=1.9)),
            (None, END, 5 * HOUR),
        ]
    )
    assert [move.think for move in story.moves] == [3600, 3 * 3600 + 1, None]
    assert [move.seq for move in story.moves] == [1, 3, 4]
    assert story.players[1].tempo == Tempo(1, 3 * 3600 + 1, 3 * 3600 + 1, 3 * 3600 + 1, 3)


def test_somebody_else_leaving_does_not_begin_a_wait_anew() -> None:
    story = told([(2, RESIGN, HOUR), (0, Place(1, 0, 0), 3 * HOUR), (None, END, 4 * HOUR)], seats=3)
    assert [move.think for move in story.moves] == [None, 3 * 3600, None]
    story = told([(0, TIMEOUT, HOUR), (1, Place(1, 0, 0), 3 * HOUR), (None, END, 4 * HOUR)], seats=3)
    assert [move.think for move in story.moves] == [None, 2 * 3600, None]
    assert story.players[0].has_left and not story.players[1].has_left
    assert [(player.best_seq, player.best_covered) for player in story.players] == [(None, 0)] * 3


def test_moves_of_bots_are_no_thinking_time() -> None:
    state = Match(2, 20, TILES, (1, 0))
    entries = [
        LoggedMove(1, START + HOUR, 0, Place(1, 0, 0), "bot:greedy"),
        LoggedMove(2, START + 2 * HOUR, None, END),
    ]
    story = tell(state, START, entries)
    assert story.moves[0].think == 3600 and story.players[0].tempo == Tempo(0, 0, None, None, None)


def test_the_median_of_an_even_number_is_the_lower_one() -> None:
    found = json.loads(next(simulate.records(1, 2, "median", "greedy")))
    entries = [
        LoggedMove(each["seq"], record.moment(each["at"]), each["seat"], moves.from_json(each["move"]))
        for each in found["log"]
    ]
    story = tell(
        record.start(found, tuple(found["draw"]["tiles"])), record.moment(found["game"]["started_at"]), entries
    )
    for player in story.players:
        thought = [move for move in story.moves if move.seat == player.seat and move.think is not None]
        times = sorted(move.think or 0 for move in thought)
        assert player.tempo.median == times[(len(times) - 1) // 2]
        assert (player.tempo.longest, player.tempo.total) == (times[-1], sum(times))
        assert player.tempo.longest_seq == next(move.seq for move in thought if move.think == times[-1])
    assert {len([move for move in story.moves if move.seat == seat]) % 2 for seat in (0, 1)} & {0}


def test_days_are_those_of_utc() -> None:
    story = told([(0, Place(1, 0, 0), 3 * HOUR), (1, Place(2, 0, 0), 4 * HOUR), (None, END, 30 * HOUR)])
    assert [(day.day, day.moves) for day in story.days] == [
        (date(2026, 11, 27), (1, 0)),
        (date(2026, 11, 28), (0, 1)),
    ]


def test_a_run_goes_on_over_a_refill_and_ends_with_another_placement() -> None:
    assert told([(0, Place(1, 0, 0), HOUR), (1, Place(2, 0, 0), HOUR), (None, END, HOUR)]).runs == ()
    _, story = played(next(simulate.records(1, 2, "s", "greedy")))
    run = max(story.runs, key=lambda run: run.turns)
    assert isinstance(run, Run) and run.turns == story.players[run.seat].longest_run


def test_nobody_leads_before_a_goal_is_covered() -> None:
    state = Match(3, 20, TILES, (2, 1, 0))
    assert leader(state, None) is None and margin(state, None) == 0
    state.discs_left = [20, 18, 19]
    assert leader(state, None) == 1 and margin(state, 1) == 1


def test_a_leader_leads_until_somebody_has_fewer_discs() -> None:
    state = Match(3, 20, TILES, (2, 1, 0))
    state.discs_left = [18, 18, 18]
    assert [leader(state, before) for before in (0, 1, 2, None)] == [0, 1, 2, 0]
    assert margin(state, 1) == 0
    state.discs_left = [17, 18, 18]
    assert leader(state, 1) == 0


def test_a_player_who_has_left_does_not_lead() -> None:
    state = Match(3, 20, TILES, (2, 1, 0))
    state.discs_left = [17, 18, 19]
    state.advance(0, RESIGN)
    assert leader(state, 0) == 1 and margin(state, 1) == 1


def test_the_winner_leads_at_the_end() -> None:
    state = Match(2, 20, TILES, (1, 0))
    state.discs_left = [10, 19]
    state.advance(0, RESIGN)
    assert leader(state, 0) == 1 and margin(state, 1) == 0


def test_a_solo_has_no_leader() -> None:
    assert leader(Solo(TILES), None) is None


@pytest.mark.parametrize(
    ("leaders", "points"),
    [
        ([None, 0, 0, 0], []),
        ([0, 0, 0, 1, 1, 1], [TurningPoint(40, 1, 0, 3, 1)]),
        ([0, 0, 0, 1, 1, 0, 0, 0], []),
        ([0, 0, 0, 1], [TurningPoint(40, 1, 0, 1, 1)]),
        ([0, 1, 1, 1], []),
        ([0, 0, 0, 1, 1, 1, 2, 2, 1, 1, 1, 0], [TurningPoint(40, 1, 0, 8, 1), TurningPoint(120, 0, 1, 1, 1)]),
        ([0] * 30 + [1] * 3 + [2] * 7, [TurningPoint(340, 2, 0, 7, 1)]),
        ([], []),
    ],
)
def test_turning_points_begin_leads_that_last(leaders: list[int | None], points: list[TurningPoint]) -> None:
    assert list(turning_points(led_by(leaders))) == points


def test_a_margin_is_the_largest_while_that_seat_leads() -> None:
    (point,) = turning_points(led_by([0, 0, 0, 1, 1, 1, 0, 1], [9, 9, 9, 1, 3, 2, 8, 1]))
    assert (point.seat, point.margin) == (1, 3)


def test_the_second_phase_of_a_solo_begins_with_its_refill() -> None:
    found, story = played(next(simulate.records(1, 1, "solo", "greedy")))
    refills = [entry["seq"] for entry in found["log"] if entry["move"]["type"] == "refill"]
    assert story.second_phase_seq == (refills[0] if refills else story.second_phase_seq) is not None
    assert story.turning_points == () and story.runs == () and story.denials == ()


def test_the_most_goals_are_never_more_than_the_discs() -> None:
    found = json.loads(next(simulate.records(1, 2, "prospects", "greedy")))
    state = record.start(found, tuple(found["draw"]["tiles"]))
    largest = 0
    for entry in found["log"]:
        for tile in state.wheel.choices():
            goals = most_goals(state.displays[0], tile, 20)
            assert most_goals(state.displays[0], tile, 1) == min(goals, 1)
            largest = max(largest, goals)
        state.advance(entry["seat"], moves.from_json(entry["move"]))
    assert largest > 1
