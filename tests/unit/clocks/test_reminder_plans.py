"""Reminders: when they are due, when they are sent, which go together (CLOCKS.md 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.clock.errors import ClockError
from engine.moves import REFILL
from service.clocks import quiet_times
from service.clocks.absences import Absence
from service.clocks.reminders import DEFAULT, Chosen, parse, reminders, together
from tests.unit.clocks.clock_builder import BANK, BOT, DAY, HOUR, MINUTE, NIGHTS, PERSON, START, Built, hours

WEEK = {"kind": "per_wait", "per_wait": "P7D"}


def plan(
    game: Built, *which: str, sent: Mapping[str, float] | None = None, at: float = 0, since: float = -24
) -> dict[str, float]:
    """Return when reminders are to be sent, in hours after the start."""
    chosen = [Chosen(one, START + since * HOUR) for one in which]
    known = {name: START + when * HOUR for name, when in (sent or {}).items()}
    found = reminders(game.clock, game.facts, chosen, known, START + at * HOUR)
    assert all(one.seat == game.turn for one in found)
    return {one.which: hours(one.at) for one in found}


def night(begins: str, ends: str) -> quiet_times.Schedule:
    return quiet_times.parse([{"days": list(quiet_times.DAYS), "from": begins, "to": ends}], "UTC")


def test_clocks_5_1_half_and_what_is_left() -> None:
    assert plan(Built(WEEK), *DEFAULT) == {"half": 84, "PT24H": 144, "PT3H": 165}


def test_clocks_5_1_a_duration_not_below_the_allowance_is_never_due() -> None:
    game = Built()
    assert plan(game, "P1D", "P2D", "PT23H", "PT22H") == {"PT23H": 1, "PT22H": 2}
    game.more(3, "P7D")
    assert plan(game, "P1D", "P2D", "PT23H") == {"PT23H": 3 + 21 + 168 - 23}


def test_clocks_5_1_half_of_an_odd_time_is_not_sent_too_early() -> None:
    game = Built(BANK)
    game.enter(START + timedelta(milliseconds=1), 0, REFILL, 1)
    game.enter(START + HOUR, 1, REFILL, 0)
    allowance = game.stretch.allowance
    assert allowance == 6 * DAY - timedelta(milliseconds=1)
    (found,) = reminders(game.clock, game.facts, [Chosen("half", START)], {}, START)
    assert found.due - (START + HOUR) == 3 * DAY


def test_clocks_5_2_at_most_once_in_a_stretch_and_none_in_nudge() -> None:
    game = Built()
    assert plan(game, "half", "PT6H", sent={"half": 12}) == {"PT6H": 18}
    game.step()
    assert plan(game, "half", "PT6H", "PT1H") == {}


def test_clocks_5_2_no_reminders_for_bots_without_a_clock_or_after_the_end() -> None:
    over = Built()
    over.leave(1, 1, turn=None)
    assert reminders(over.clock, over.facts, [Chosen("half", START)], {}, START) == []
    for game in (Built({"kind": "none"}), Built(facts=[BOT, PERSON])):
        assert plan(game, *DEFAULT) == {}


def test_clocks_5_4_one_due_within_the_first_hour_is_dropped() -> None:
    game = Built({"kind": "per_wait", "per_wait": "PT2H"})
    assert plan(game, "half") == {"half": 1}
    game = Built({"kind": "per_wait", "per_wait": "PT1H30M"})
    assert plan(game, "half", "PT1H") == {}


def test_clocks_5_4_the_hour_is_counted_also_while_the_clock_stands_still() -> None:
    game = Built({"kind": "per_wait", "per_wait": "PT1H30M"})
    game.pause(0.25, 3)
    assert plan(game, "half") == {"half": 3.5}


def test_clocks_5_5_where_quiet_times_stop_the_clock_it_goes_when_they_end() -> None:
    game = Built(facts=[replace(PERSON, schedule=NIGHTS), PERSON])
    assert plan(game, "half", "PT11H59M", "PT1H") == {"half": 21, "PT11H59M": 21 + 1 / 60, "PT1H": 32}


def through(schedule: quiet_times.Schedule) -> Built:
    """Return a game whose clock runs through quiet times, with a day for the stretch that begins at 10:00."""
    return Built(facts=[replace(PERSON, schedule=schedule), PERSON], quiet=False)


def test_clocks_5_5_where_the_clock_runs_through_it_goes_a_quarter_before() -> None:
    assert plan(through(NIGHTS), "PT6H", "PT12H", "PT1H") == {"PT6H": 11.75, "PT12H": 11.75, "PT1H": 23}


def test_clocks_5_5_what_could_not_be_foreseen_goes_when_they_end() -> None:
    assert plan(through(night("10:15", "14:00")), "PT22H") == {"PT22H": 0}
    assert plan(through(night("10:00", "14:00")), "PT22H") == {"PT22H": 4}
    assert plan(through(NIGHTS), "PT6H", at=12) == {"PT6H": 21}
    assert plan(through(NIGHTS), "PT6H", since=12) == {"PT6H": 21}


def test_clocks_5_5_not_when_time_has_run_out_by_then() -> None:
    assert plan(through(night("06:00", "11:00")), "PT1H", at=20) == {}
    assert plan(through(night("06:00", "10:00")), "PT1H", at=20) == {}
    assert plan(through(night("06:00", "09:45")), "PT1H", at=20) == {"PT1H": 23.75}


def test_clocks_5_5_quiet_times_as_they_are_set_now() -> None:
    game = Built()
    game.facts[0] = replace(PERSON, schedule=NIGHTS)  # the stretch keeps that it had none
    assert plan(game, "PT6H") == {"PT6H": 11.75}


def test_clocks_5_5_held_reminder_goes_when_present_quiet_times_allow() -> None:
    game = through(NIGHTS)
    assert plan(game, "PT11H", at=12.5) == {"PT11H": 21}
    game.facts[0] = PERSON
    assert plan(game, "PT11H", at=15) == {"PT11H": 15}
    game.facts[0] = replace(PERSON, schedule=night("00:30", "05:00"))
    assert plan(game, "PT11H", at=15) == {"PT11H": 19}


def test_clocks_5_5_an_absence_holds_none_back() -> None:
    away = Absence(START - DAY, START + 12 * HOUR, START + 48 * HOUR)
    game = Built(facts=[replace(PERSON, absences=(away,)), PERSON])
    assert plan(game, "half", "PT6H") == {"half": 12, "PT6H": 54}


def test_clocks_5_5_a_pause_holds_them_back() -> None:
    game = Built()
    game.pause(12, 30)
    assert plan(game, "half", "PT6H") == {"half": 30, "PT6H": 36}


def test_clocks_5_5_a_pause_that_ends_in_quiet_times_holds_on() -> None:
    game = through(NIGHTS)
    game.pause(11, 13)
    assert plan(game, "PT13H") == {"PT13H": 21}


def test_clocks_5_6_after_more_durations_are_due_again() -> None:
    game = Built()
    game.more(20, "PT12H")
    sent = {"half": 12.0, "PT6H": 18.0}
    assert plan(game, "half", "PT6H", "PT18H", sent=sent) == {"PT6H": 30, "PT18H": 6}
    assert plan(game, "PT6H", sent={"PT6H": 30.0}) == {}


def test_clocks_5_6_half_that_was_not_reached_before_more_is_due_later() -> None:
    game = Built()
    game.more(6, "PT12H")
    assert plan(game, "half") == {"half": 12}


def test_clocks_5_6_one_chosen_after_its_point_waits_for_the_next_stretch() -> None:
    game = Built()
    assert plan(game, "half", "PT6H", since=13) == {"PT6H": 18}


def test_clocks_6_6_after_back_what_was_sent_in_the_stretch_stays_sent() -> None:
    game = Built(then="autopilot", nudge=HOUR, facts=[PERSON] * 3)
    game.step()
    game.step()
    game.mark(26, "clock.back", seat=0)
    assert plan(game, "half", "PT6H", sent={"half": 12.0}) == {"PT6H": 26 + 18}


@pytest.mark.parametrize("points", [[], ["half"], list(DEFAULT), ["PT1H", "P14D", "half", "P2D", "PT90M"]])
def test_clocks_5_1_points_as_they_are_spelled(points: list[str]) -> None:
    assert parse(points) == tuple(points)


@pytest.mark.parametrize(
    ("points", "code", "field"),
    [
        ("half", "bad_reminders", "reminders"),
        (["PT1H", "PT2H", "PT3H", "PT4H", "PT5H", "half"], "bad_reminders", "reminders"),
        (["PT24H", "P1D"], "bad_reminders", "reminders.1"),
        (["half", "half"], "bad_reminders", "reminders.1"),
        (["third"], "bad_duration", "reminders.0"),
        (["half", 3], "bad_duration", "reminders.1"),
        (["PT59M"], "out_of_bounds", "reminders.0"),
        (["P14DT1M"], "out_of_bounds", "reminders.0"),
    ],
)
def test_clocks_5_1_other_points_are_refused(points: object, code: str, field: str) -> None:
    with pytest.raises(ClockError) as refused:
        parse(points)
    assert (refused.value.code, refused.value.field) == (code, field)


@given(st.lists(st.integers(0, 500)))
def test_clocks_5_3_a_mail_takes_along_what_comes_within_its_hour(minutes: list[int]) -> None:
    planned = [(START + minute * MINUTE, number) for number, minute in enumerate(minutes)]
    mails = together(planned)
    assert sorted(number for _, numbers in mails for number in numbers) == list(range(len(minutes)))
    instants: dict[int, datetime] = {number: at for at, number in planned}
    for at, numbers in mails:
        assert min(instants[number] for number in numbers) == at
        assert all(instants[number] - at < HOUR for number in numbers)
    for (first, _), (second, _) in pairwise(mails):
        assert second - first >= HOUR
