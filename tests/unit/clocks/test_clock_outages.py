"""Outages that are given back, and games that nobody plays (CLOCKS.md 8, 9)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engine.clock.terms import ABANDONED_AFTER
from engine.moves import END, Mark
from engine.record import stamp
from service.clocks.reckoning import runs_out_at
from service.clocks.steps import due
from tests.unit.clocks.clock_builder import BANK, BOT, DAY, HOUR, PERSON, START, Built, hours


def test_clocks_8_3_an_outage_is_given_back_to_the_stretch_that_runs() -> None:
    game = Built()
    game.outage(22, 25)
    assert hours(game.due().at) == 27


def test_clocks_8_3_the_bank_of_a_stretch_that_ended_in_it_is_corrected() -> None:
    game = Built(BANK)
    game.move(10, 1)
    game.move(11, 0)
    assert game.clock.banks == (6 * DAY - 10 * HOUR, 6 * DAY - HOUR)
    game.outage(8, 12)
    assert game.clock.banks == (6 * DAY - 8 * HOUR, 6 * DAY)
    assert hours(game.due().at) == 12 + 6 * 24 - 8


def test_clocks_8_3_the_correction_is_cut_to_the_cap() -> None:
    game = Built({**BANK, "cap": "PT140H"})
    game.move(0, 1)
    game.move(10, 0)
    game.outage(0, 12)
    assert game.clock.banks == (140 * HOUR, 140 * HOUR), "without the cap it would be six days"


def test_clocks_8_4_of_outages_that_overlap_only_the_rest_counts() -> None:
    game = Built()
    game.outage(2, 6)
    game.outage(4, 9)
    assert hours(game.due().at) == 24 + 7


def test_clocks_8_4_what_stood_still_anyway_is_not_given() -> None:
    game = Built()
    game.pause(2, 5)
    game.outage(4, 9)
    assert hours(game.due().at) == 24 + 7


def test_clocks_8_4_a_step_that_stands_is_not_undone() -> None:
    game = Built(nudge=6 * HOUR)
    game.step()
    game.outage(20, 27)
    assert (game.stretch.stage, hours(runs_out_at(game.clock, game.facts))) == ("nudge", 24)
    assert hours(game.due().at) == 30 + 3


def test_clocks_8_3_the_clock_goes_on_from_an_outage_as_from_its_log() -> None:
    game = Built(BANK, then="autopilot")
    game.move(3, 1)
    game.outage(2, 4)
    game.move(5, 0)
    game.pause(6, 9)
    game.outage(8, 11)
    game.move(12, 1)
    assert game.clock == game.folded()


def test_clocks_9_1_an_end_comes_two_weeks_after_its_warning() -> None:
    game = Built({"kind": "none"})
    warning = game.step()
    at = START + 76 * DAY
    assert (warning.at, warning.seat) == (at, 0)
    assert warning.move == Mark("clock.warning", {"wait": 0, "not_before": stamp(at + 14 * DAY)})
    end = game.due()
    assert (end.at, end.what, end.seat, end.move) == (at + 14 * DAY, "end", None, END)


def test_clocks_9_1_a_late_warning_moves_the_end() -> None:
    game = Built({"kind": "none"})
    found = due(game.clock, game.facts, START + 80 * DAY)
    assert found is not None
    assert found.move == Mark("clock.warning", {"wait": 0, "not_before": stamp(START + 94 * DAY)})
    game.enter(START + 80 * DAY, 0, found.move, 0)
    assert game.due().at == START + 94 * DAY


def test_clocks_9_2_keep_and_moves_let_it_count_anew() -> None:
    game = Built({"kind": "none"})
    game.step()
    game.mark(80 * 24, "clock.keep", seat=1)
    assert (game.due().what, game.due().at) == ("warning", START + 156 * DAY)
    game.move(100 * 24, 1)
    assert game.due().at == START + 176 * DAY


def test_clocks_9_2_a_bots_move_does_not() -> None:
    game = Built({"kind": "none"}, facts=[PERSON, BOT])
    game.move(24, 1)
    game.move(48, 0, by="bot:greedy")
    assert game.due().at == START + 77 * DAY


def test_clocks_9_1_pauses_are_not_counted() -> None:
    game = Built({"kind": "none"})
    game.pause(24, 48)
    assert game.due().at == START + 77 * DAY
    game.step()
    game.pause(77 * 24 + 12, 80 * 24)
    assert game.due().at == START + 91 * DAY + timedelta(hours=60)
    assert ABANDONED_AFTER == 90 * DAY


def test_clocks_9_1_with_a_clock_it_counts_from_the_last_step() -> None:
    game = Built(then="wait", grace=DAY)
    game.step()
    game.step()
    assert (game.due().what, game.due().at) == ("warning", START + 2 * DAY + 76 * DAY)
    game.more(24 * 5, "P1D")
    assert game.due().what == "nudge"


@pytest.mark.parametrize("kind", ["none", "bank"])
def test_clocks_9_3_a_leaving_that_leaves_no_person_ends_the_game(kind: str) -> None:
    game = Built(BANK if kind == "bank" else {"kind": kind}, facts=[PERSON, BOT, BOT])
    game.leave(3, 0, turn=1)
    found = game.due()
    assert (found.at, found.what, found.seat, found.move) == (START + 3 * HOUR, "end", None, END)


def test_clocks_9_3_a_step_that_leaves_no_person_ends_the_game() -> None:
    game = Built(then="autopilot", facts=[PERSON, BOT])
    game.step()
    assert game.step().what == "autopilot"
    assert (game.due().what, game.due().at) == ("end", game.clock.last_at)


def test_nothing_is_due_after_the_end() -> None:
    game = Built()
    game.leave(1, 1, turn=None)
    assert due(game.clock, game.facts) is None
