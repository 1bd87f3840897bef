"""The ladder, the autopilot, and what others do (CLOCKS.md 6, 7)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from engine.clock.errors import ClockError
from engine.moves import RESIGN, TIMEOUT, Mark
from service.clocks.entries import after
from service.clocks.game_clock import ClockEntry
from service.clocks.more_time import given, with_word
from service.clocks.reckoning import left, runs_out_at
from tests.unit.clocks.clock_builder import BANK, BOT, DAY, HOUR, MINUTE, NIGHTS, PER_DAY, PERSON, START, Built, hours


def test_clocks_6_2_each_step_is_due_when_enough_is_charged() -> None:
    game = Built(nudge=6 * HOUR, grace=12 * HOUR)
    steps = [game.step() for _ in range(3)]
    assert [(step.what, hours(step.at), step.seat) for step in steps] == [
        ("nudge", 24, 0),
        ("grace", 30, 0),
        ("out", 42, 0),
    ]
    assert steps[0].move == Mark("clock.nudge", {"wait": 0, "for": "PT6H", "next": "grace"})
    assert steps[1].move == Mark("clock.grace", {"wait": 0, "for": "PT12H", "next": "out"})
    assert steps[2].move == TIMEOUT
    assert game.clock.stretch is None


def test_clocks_6_2_a_late_step_moves_the_next_one() -> None:
    game = Built(nudge=6 * HOUR)
    game.step(late=7 * MINUTE)
    assert hours(runs_out_at(game.clock, game.facts)) == 24
    assert game.due().at == START + 30 * HOUR + 7 * MINUTE


def test_clocks_6_2_quiet_times_stop_the_ladder_too() -> None:
    game = Built(nudge=12 * HOUR, facts=[replace(PERSON, schedule=NIGHTS), PERSON])
    game.step()
    assert hours(game.clock.last_at) == 24 + 9
    assert hours(game.due().at) == 33 + 3 + 9 + 9  # 19:00 to 22:00, and from 07:00 on


def test_clocks_6_2_grace_comes_once_a_seat_and_game() -> None:
    game = Built(nudge=6 * HOUR, grace=12 * HOUR)
    game.step()
    game.step()
    game.move(40, 1)
    assert [game.step().what, game.step().what] == ["nudge", "grace"]  # the other seat's own
    game.move(110, 0)
    nudge = game.step()
    assert nudge.move == Mark("clock.nudge", {"wait": game.stretch.wait, "for": "PT6H", "next": "out"})
    assert game.due().what == "out"


def test_clocks_6_2_after_wait_no_step_follows() -> None:
    game = Built(nudge=6 * HOUR, then="wait")
    assert game.step().move == Mark("clock.nudge", {"wait": 0, "for": "PT6H", "next": None})
    assert game.due().what == "warning"


def test_clocks_6_2_a_stretch_that_begins_with_nothing_is_nudged_at_once() -> None:
    game = Built({"kind": "bank", "bank": "PT1H", "increment": "PT0M", "cap": "PT1H"})
    game.move(1, 1)
    game.move(1.5, 0)
    assert (game.due().what, hours(game.due().at)) == ("nudge", 1.5)


def test_clocks_6_4_the_next_stretch_begins_with_the_timeout() -> None:
    game = Built(nudge=6 * HOUR, facts=[PERSON] * 3)
    game.step()
    game.step()
    assert (game.stretch.seat, game.stretch.wait, hours(game.stretch.began_at)) == (1, 2, 30)


def on_autopilot(clock: dict[str, Any] = BANK) -> Built:
    game = Built(clock, then="autopilot", nudge=6 * HOUR, facts=[PERSON] * 3)
    game.step()
    assert game.step().move == Mark("clock.autopilot", {"wait": 0})
    return game


def test_clocks_6_5_the_bot_plays_the_seat_from_its_mark_on() -> None:
    game = on_autopilot()
    assert game.clock.bot_moves() == 0
    assert game.clock.banks[0] == timedelta(0)
    assert (left(game.clock, game.facts, game.clock.last_at), runs_out_at(game.clock, game.facts)) == (None, None)
    game.move(130, 1, by="bot:greedy")
    assert (game.clock.bot_moves(), game.clock.banks[0]) == (None, timedelta(0))
    game.move(131, 0)
    assert game.stretch.stage == "autopilot"
    assert game.clock.bot_moves() == 0


def test_clocks_6_6_back_gives_the_increment_at_least() -> None:
    game = on_autopilot()
    game.move(130, 1, by="bot:greedy")
    game.mark(131, "clock.back", seat=0)
    assert (game.clock.autopilot, game.clock.banks) == (frozenset(), (DAY, 5 * DAY, 5 * DAY))


@pytest.mark.parametrize(("clock", "time"), [(BANK, DAY), (PER_DAY, DAY)])
def test_clocks_6_6_back_on_its_turn_goes_on_in_time(clock: dict[str, Any], time: timedelta) -> None:
    game = on_autopilot(clock)
    at = hours(game.clock.last_at) + 1
    game.mark(at, "clock.back", seat=0)
    assert (game.stretch.stage, game.stretch.wait) == ("in_time", 0)
    assert left(game.clock, game.facts, START + (at + 1) * HOUR) == time - HOUR


@pytest.mark.parametrize("turn", [0, 1])
def test_clocks_6_6_an_own_move_takes_the_seat_back_without_a_credit(turn: int) -> None:
    game = on_autopilot()
    game.move(hours(game.clock.last_at) + 1, turn)
    assert (game.clock.autopilot, game.clock.banks[0]) == (frozenset(), DAY)
    if turn == 0:
        assert (game.stretch.stage, game.stretch.left, game.stretch.wait) == ("in_time", DAY, 0)


def test_clocks_7_5_words_outlast_the_autopilot_in_the_stretch() -> None:
    game = Built(then="autopilot", nudge=6 * HOUR, facts=[PERSON] * 3)
    game.clock = with_word(game.clock, 1, DAY, START)
    game.step()
    game.step()
    assert given(game.clock) is None
    game.mark(40, "clock.back", seat=0)
    assert given(with_word(game.clock, 2, 2 * DAY, START + 41 * HOUR)) == DAY


def test_clocks_6_6_back_of_a_seat_not_on_autopilot_changes_nothing() -> None:
    game = Built(BANK)
    before = game.clock
    assert game.mark(3, "clock.back", seat=1) == replace(before, last_at=START + 3 * HOUR)


def test_clocks_7_1_other_marks_change_no_clock() -> None:
    game = Built(BANK)
    before = game.clock
    assert game.mark(3, "host.word", by="host", text="hello") == replace(before, last_at=START + 3 * HOUR)


def test_clocks_7_2_a_pause_stops_the_clock_until_it_ends_by_itself() -> None:
    game = Built()
    game.pause(6, 48)
    assert hours(game.due().at) == 24 + 42
    game.move(30, 0)
    assert hours(game.due().at) == 24 + 42


def test_clocks_7_2_a_resumed_pause_stops_it_as_long_as_it_lasted() -> None:
    game = Built()
    game.pause(6, 48)
    game.resume(10)
    game.pause(12, 13)
    assert hours(game.due().at) == 24 + 4 + 1


def test_clocks_7_2_a_pause_of_this_stretch_counts_after_a_move_in_a_row() -> None:
    game = Built()
    game.pause(2, 5)
    game.move(6, 0)
    assert hours(game.due().at) == 24 + 3


def test_clocks_9_1_a_pause_counts_as_long_as_nobody_has_played_since() -> None:
    game = Built({"kind": "none"}, facts=[PERSON, BOT])
    game.move(1, 1)
    game.pause(2, 26)
    game.move(30, 0, by="bot:greedy")
    assert hours(game.due().at) == 1 + 24 + 76 * 24


def test_clocks_7_2_a_new_pause_takes_the_place_of_the_one_that_is_on() -> None:
    game = Built()
    game.pause(6, 48)
    game.pause(8, 10)
    assert hours(game.due().at) == 24 + 4


def test_clocks_7_2_a_stretch_may_begin_and_end_in_a_pause() -> None:
    game = Built(BANK)
    game.pause(2, 30)
    game.move(5, 1)
    game.move(20, 0)
    assert game.clock.banks == (6 * DAY - 2 * HOUR, 6 * DAY)
    assert hours(game.due().at) == 30 + 6 * 24 - 2


def test_clocks_7_2_no_step_is_due_while_a_pause_is_on() -> None:
    game = Built({"kind": "bank", "bank": "PT1H", "increment": "PT0M", "cap": "PT1H"})
    game.move(1, 1)
    game.pause(1.5, 40)
    game.move(1.5, 0)
    assert (game.due().what, hours(game.due().at)) == ("nudge", 40)


def test_clocks_7_2_a_step_that_was_due_before_a_pause_waits_for_its_end() -> None:
    game = Built()
    game.pause(30, 40)  # no step was taken at 24, as something failed
    assert (game.due().what, hours(game.due().at)) == ("nudge", 40)
    assert hours(runs_out_at(game.clock, game.facts)) == 24
    game.resume(33)
    assert hours(game.due().at) == 33


def test_clocks_7_3_the_host_gives_time() -> None:
    game = Built(facts=[PERSON] * 3)
    game.clock = with_word(game.clock, 1, DAY, START)
    game.more(3, "P1D", by="host")
    assert hours(runs_out_at(game.clock, game.facts)) == 48
    assert game.clock.words == ()
    assert game.stretch.by_table == timedelta(0)


def test_clocks_7_5_time_is_given_when_all_others_have_said_so() -> None:
    game = Built(BANK, facts=[PERSON] * 4)
    for seat, days in ((1, 3), (2, 2), (1, 4)):
        game.clock = with_word(game.clock, seat, days * DAY, START + HOUR)
    assert given(game.clock) is None
    game.clock = with_word(game.clock, 3, 5 * DAY, START + 2 * HOUR)
    assert given(game.clock) == 2 * DAY
    due = game.due()
    assert (due.what, due.at, due.seat) == ("more", START + 2 * HOUR, 0)
    assert due.move == Mark("clock.more", {"wait": 0, "for": "P2D", "given_by": [1, 2, 3]})
    game.step()
    assert (game.clock.words, game.stretch.by_table) == ((), 2 * DAY)


def test_clocks_7_5_a_word_can_be_taken_back() -> None:
    game = Built(facts=[PERSON] * 3)
    game.clock = with_word(game.clock, 1, DAY, START)
    game.clock = with_word(game.clock, 1, None, START)
    assert game.clock.words == ()


def test_clocks_7_5_words_are_of_one_stretch() -> None:
    game = Built(facts=[PERSON] * 3)
    game.clock = with_word(game.clock, 1, DAY, START)
    game.move(1, 2)
    assert game.clock.words == ()


def test_clocks_7_5_the_leaving_of_the_last_who_was_silent_gives_the_time() -> None:
    game = Built(facts=[PERSON] * 3)
    game.clock = with_word(game.clock, 1, DAY, START)
    game.leave(2, 2, turn=0)
    assert (game.due().what, game.due().at) == ("more", START + 2 * HOUR)


def test_clocks_7_5_the_word_of_who_leaves_counts_no_more() -> None:
    game = Built(facts=[PERSON] * 4)
    game.clock = with_word(with_word(game.clock, 1, DAY, START), 2, 2 * DAY, START)
    game.leave(2, 1, turn=0)
    assert [word.seat for word in game.clock.words] == [2]
    assert given(game.clock) is None


def test_clocks_7_5_without_other_persons_nobody_gives_time() -> None:
    game = Built(facts=[PERSON, BOT])
    assert given(game.clock) is None
    assert game.due().what == "nudge"


def test_clocks_7_5_more_after_the_time_ran_out_begins_the_ladder_anew() -> None:
    game = Built(grace=DAY)
    game.step()
    game.step()
    game.more(50, "PT5H")
    assert (game.stretch.stage, hours(runs_out_at(game.clock, game.facts))) == ("in_time", 55)
    assert game.step().move == Mark("clock.nudge", {"wait": 0, "for": "P1D", "next": "out"})  # grace is used up


def test_clocks_7_5_more_in_a_late_nudges_place_begins_with_nothing_left() -> None:
    game = Built()
    game.more(30, "PT5H")
    assert hours(runs_out_at(game.clock, game.facts)) == 35


def test_clocks_7_5_the_cap_does_not_apply_until_the_next_credit() -> None:
    game = Built(BANK)
    game.more(0, "P10D")
    assert left(game.clock, game.facts, START) == 15 * DAY
    game.move(24, 1)
    assert game.clock.banks[0] == 7 * DAY


@pytest.mark.parametrize(
    ("seat", "length", "code"),
    [
        (0, DAY, "not_yours_to_give"),
        (2, DAY, "not_yours_to_give"),  # a bot
        (3, DAY, "not_yours_to_give"),  # has left
        (1, HOUR - MINUTE, "bounds"),
        (1, 14 * DAY + MINUTE, "bounds"),
        (1, 14 * DAY, "too_much"),
        (1, 14 * DAY - HOUR, None),
    ],
)
def test_clocks_7_5_words_that_can_not_be_given(seat: int, length: timedelta, code: str | None) -> None:
    game = Built(facts=[PERSON, PERSON, BOT, PERSON])
    game.leave(1, 3, turn=0)
    game.more(2, "P14D")
    game.more(3, "PT1H")
    if code is None:
        assert given(with_word(game.clock, seat, length, START)) == length
        return
    with pytest.raises(ClockError) as refused:
        with_word(game.clock, seat, length, START)
    assert (refused.value.code, refused.value.field) == (code, "duration" if code in ("bounds", "too_much") else "")


def test_clocks_7_5_a_refused_offer_says_what_is_in_the_way() -> None:
    game = Built(facts=[PERSON, PERSON, PERSON, PERSON], then="autopilot")
    game.leave(1, 3, turn=0)
    game.step()
    game.step()
    game.move(50, 1, by="bot:greedy")
    for seat, why in ((3, "You have left"), (0, "take your seat back first"), (1, "by the other players")):
        with pytest.raises(ClockError, match=why):
            with_word(game.clock, seat, DAY, START)


def test_clocks_7_5_no_time_for_bots_without_a_clock_or_after_the_end() -> None:
    ended = Built()
    ended.leave(1, 1, turn=None)
    for game, code in (
        (ended, "game_over"),
        (Built({"kind": "none"}), "no_clock"),
        (on_autopilot(), "not_yours_to_give"),
    ):
        with pytest.raises(ClockError) as refused:
            with_word(game.clock, 1, DAY, START)
        assert refused.value.code == code
        assert given(game.clock) is None


def test_clocks_7_5_a_seat_on_autopilot_gets_no_time() -> None:
    game = on_autopilot()
    before = game.clock
    at = before.last_at + HOUR
    assert game.more(hours(at), "P1D", by="host") == replace(before, last_at=at)


def test_an_outage_needs_the_whole_log() -> None:
    game = Built()
    entry = ClockEntry(1, START, 0, None, Mark("clock.outage", {}))
    with pytest.raises(ValueError, match="whole log"):
        after(game.clock, entry, 0, game.facts)


def test_nothing_changes_after_the_end() -> None:
    game = Built()
    game.leave(1, 1, turn=None)
    over = game.clock
    assert game.enter(2, 0, RESIGN, None) == over
