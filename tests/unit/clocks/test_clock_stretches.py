"""Stretches: their time, their credit, and what stops them (CLOCKS.md 1.3, 2, 3.4, 3.6, 4.6)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from service.clocks.absences import Absence
from service.clocks.reckoning import left, runs_out_at, standstill
from tests.unit.clocks.clock_builder import BANK, BOT, DAY, HOUR, NIGHTS, PER_DAY, PERSON, START, Built, hours


def left_at(game: Built, when: float) -> float:
    found = left(game.clock, game.facts, START + when * HOUR)
    assert found is not None
    return found / HOUR


def test_clocks_1_3_a_stretch_has_the_number_of_the_entry_that_began_it() -> None:
    game = Built()
    assert (game.stretch.seat, game.stretch.wait, game.stretch.began_at) == (0, 0, START)
    game.move(1, 0)
    game.move(2, 1)
    assert (game.stretch.seat, game.stretch.wait, game.stretch.began_at) == (1, 2, START + 2 * HOUR)


def test_clocks_2_4_per_wait_each_stretch_has_the_whole() -> None:
    game = Built()
    assert left_at(game, 20) == 4
    game.move(20, 1)
    assert left_at(game, 20) == 24
    game.move(21, 0)
    assert left_at(game, 22) == 23


def test_clocks_2_4_the_increment_is_credited_when_the_stretch_ends() -> None:
    game = Built(BANK)
    game.move(10, 1)
    assert game.clock.banks == (5 * DAY - 10 * HOUR + DAY, 5 * DAY)
    game.move(11, 0)
    assert left_at(game, 11) == 5 * 24 + 14


def test_clocks_2_4_a_bots_move_is_never_credited() -> None:
    game = Built(BANK, facts=[BOT, PERSON])
    assert (standstill(game.clock, game.facts, START), left(game.clock, game.facts, START)) == ("bot", None)
    game.move(0, 1, by="bot:greedy")
    assert game.clock.banks == (5 * DAY, 5 * DAY)


def test_clocks_2_5_the_bank_is_cut_to_the_cap_after_the_credit() -> None:
    game = Built({**BANK, "increment": "P14D"})
    game.move(1, 1)
    assert game.clock.banks == (7 * DAY, 5 * DAY)


def test_clocks_2_5_an_overdrawn_bank_counts_as_zero_before_the_credit() -> None:
    game = Built(BANK)
    game.move(24 * 20, 1)  # no step was taken meanwhile
    assert game.clock.banks[0] == DAY
    game.move(24 * 20 + 1, 0)
    game.step()
    assert game.stretch.stage == "nudge"
    game.move(24 * 30, 1)
    assert game.clock.banks[0] == DAY


def test_clocks_2_6_several_turns_in_a_row_are_one_stretch() -> None:
    game = Built(BANK)
    before = game.stretch
    game.move(5, 0)
    game.move(9, 0)
    assert game.stretch == before
    assert left_at(game, 10) == 5 * 24 - 10
    game.move(10, 1)
    assert game.clock.banks[0] == 5 * DAY - 10 * HOUR + DAY


def test_clocks_2_6_a_move_in_a_row_does_not_stop_the_ladder() -> None:
    game = Built(grace=DAY)
    game.step()
    due = game.due()
    game.move(30, 0)
    assert (game.due(), game.stretch.stage) == (due, "nudge")


def test_clocks_2_7_another_seats_leaving_has_no_effect() -> None:
    game = Built(BANK, facts=[PERSON] * 3)
    before = game.stretch
    game.leave(3, 2, turn=0)
    assert game.stretch == before


def test_clocks_2_7_a_leaving_that_passes_the_turn_begins_a_stretch() -> None:
    game = Built(BANK, facts=[PERSON] * 3)
    game.leave(3, 0, turn=2)
    assert (game.stretch.seat, game.stretch.wait, left_at(game, 4)) == (2, 1, 5 * 24 - 1)


def test_clocks_2_1_a_game_without_a_clock_counts_nothing() -> None:
    game = Built({"kind": "none"})
    game.move(5, 1)
    assert (game.stretch.wait, game.clock.kind) == (1, "none")
    assert (left(game.clock, game.facts, START), runs_out_at(game.clock, game.facts)) == (None, None)
    assert standstill(game.clock, game.facts, START) is None


def test_clocks_2_2_the_first_reason_is_named() -> None:
    away = Absence(START - DAY, START, START + 9 * DAY)
    game = Built(BANK, facts=[replace(PERSON, schedule=NIGHTS, absences=(away,)), PERSON], then="autopilot")
    night = START + 13 * HOUR
    assert standstill(game.clock, game.facts, night) == "absent"
    game.facts[0] = replace(game.facts[0], absences=())
    assert standstill(game.clock, game.facts, night) == "quiet"
    game.pause(1, 24)
    assert standstill(game.clock, game.facts, night) == "paused"
    game.step()
    game.step()
    assert standstill(game.clock, game.facts, game.clock.last_at) == "autopilot"


def test_clocks_1_5_standstills_are_half_open() -> None:
    away = Absence(START - DAY, START + 2 * HOUR, START + 5 * HOUR)
    game = Built(facts=[replace(PERSON, schedule=NIGHTS, absences=(away,)), PERSON])
    game.pause(6, 7)
    expected = {2: "absent", 5: None, 6: "paused", 7: None, 12: "quiet", 21: None}
    moment = timedelta(milliseconds=1)
    for when, reason in expected.items():
        at = START + when * HOUR
        assert standstill(game.clock, game.facts, at) == reason
        assert (standstill(game.clock, game.facts, at - moment) is None) == (reason is not None)


def test_clocks_3_4_a_stretch_keeps_the_quiet_times_with_which_it_began() -> None:
    game = Built()
    game.facts[0] = replace(PERSON, schedule=NIGHTS)
    assert left_at(game, 20) == 4
    game.facts[1] = replace(PERSON, schedule=NIGHTS)
    game.move(20, 1)
    game.facts[1] = PERSON
    assert hours(runs_out_at(game.clock, game.facts)) == 20 + 1 + 24 + 9  # 06:00 to 07:00 is quiet, and the next night


@pytest.mark.parametrize(("quiet", "ends"), [(True, 24 + 9), (False, 24)])
def test_clocks_3_6_a_table_may_let_the_clock_run_through_quiet_times(quiet: bool, ends: int) -> None:
    game = Built(facts=[replace(PERSON, schedule=NIGHTS), PERSON], quiet=quiet)
    assert hours(runs_out_at(game.clock, game.facts)) == ends


@pytest.mark.parametrize(("absences", "ends"), [(True, 24 + 48), (False, 24)])
def test_clocks_4_7_a_table_may_let_the_clock_run_through_absences(absences: bool, ends: int) -> None:
    away = Absence(START - DAY, START + 10 * HOUR, START + 58 * HOUR)
    game = Built(facts=[replace(PERSON, absences=(away,)), PERSON], absences=absences)
    assert hours(runs_out_at(game.clock, game.facts)) == ends


def test_clocks_4_6_an_absence_announced_after_the_nudge_does_not_stop_it() -> None:
    game = Built(nudge=3 * DAY)
    game.step()
    late = Absence(START + 25 * HOUR, START + 37 * HOUR, START + 90 * HOUR)
    early = Absence(START + 23 * HOUR, START + 90 * HOUR, START + 120 * HOUR)
    game.facts[0] = replace(PERSON, absences=(late, early))
    assert hours(game.due().at) == 24 + 72 + 30
    assert standstill(game.clock, game.facts, START + 40 * HOUR) is None
    assert standstill(game.clock, game.facts, START + 100 * HOUR) == "absent"


def test_clocks_4_6_after_more_such_an_absence_counts() -> None:
    game = Built(nudge=3 * DAY)
    game.step()
    game.facts[0] = replace(PERSON, absences=(Absence(START + 25 * HOUR, START + 37 * HOUR, START + 90 * HOUR),))
    game.more(40, "P1D")
    assert hours(runs_out_at(game.clock, game.facts)) == 90 + 24


def test_clocks_4_6_it_holds_also_after_the_seat_was_taken_back() -> None:
    game = Built(nudge=DAY, then="autopilot", facts=[PERSON] * 3)
    game.step()
    game.step()
    game.move(50, 0)
    told = {23: 80, 30: 100, 48: 120, 49: 140}  # in time, in nudge, at the last step, on autopilot
    away = [
        Absence(START + when * HOUR, START + begins * HOUR, START + (begins + 5) * HOUR)
        for when, begins in told.items()
    ]
    game.facts[0] = replace(PERSON, absences=tuple(away))
    counted = [standstill(game.clock, game.facts, START + (begins + 1) * HOUR) for begins in told.values()]
    assert counted == ["absent", None, None, "absent"]


def test_charged_time_is_exact_to_the_millisecond() -> None:
    game = Built(PER_DAY)
    at = START + timedelta(milliseconds=1)
    assert left(game.clock, game.facts, at) == DAY - timedelta(milliseconds=1)
