"""Sentences about a game's clock, and about what a table agreed on."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from engine.clock.terms import ABANDONED_AFTER, Bank, Ladder, PerWait, Terms
from service.language.clock_settings import settings_in_words
from service.language.clock_text import clock_text
from service.language.clock_words import Away, ClockShown, clock_line
from service.language.languages import CODES, ENGLISH, language
from service.language.people import People

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)  # a Sunday
TUESDAY, MONDAY = datetime(2026, 12, 1, 18, 0, tzinfo=UTC), datetime(2026, 11, 30, 7, 0, tzinfo=UTC)
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
MINE, ANNS = People(("Ann", "Ben"), 0), People(("Ann", "Ben"), 1)
RUNS = ClockShown(0, "in_time", None, None, TUESDAY, "nudge", TUESDAY, NOW, 2 * DAY + 4 * HOUR)
QUIET = replace(RUNS, stands_still_because="quiet", stands_still_until=MONDAY)
AWAY = replace(RUNS, stands_still_because="absent", stands_still_until=MONDAY)
NUDGED = replace(RUNS, stage="nudge", left=timedelta(), next_step="grace")
GRACED = replace(RUNS, stage="grace", left=timedelta(), next_step="autopilot")


@pytest.mark.parametrize(
    ("clock", "people", "told"),
    [
        (RUNS, MINE, "2 days 4 hours left, until Tuesday 18:00 UTC."),
        (RUNS, ANNS, "Ann has time until Tuesday 18:00 UTC."),
        (
            QUIET,
            MINE,
            "Your clock stands still until Monday 07:00 UTC (quiet times); then you have 2 days 4 hours left, "
            "until Tuesday 18:00 UTC.",
        ),
        (
            AWAY,
            ANNS,
            "The clock of Ann stands still until Monday 07:00 UTC (absence); then there is time until Tuesday "
            "18:00 UTC.",
        ),
        (
            replace(AWAY, stands_still_because="paused", then_because=("absent",)),
            ANNS,
            "The clock of Ann stands still until Monday 07:00 UTC (the game is paused and absence); then there "
            "is time until Tuesday 18:00 UTC.",
        ),
        (replace(RUNS, runs_out_at=NOW), MINE, "Your time is up."),
        (
            replace(AWAY, stands_still_because="paused", runs_out_at=NOW - HOUR, next_at=MONDAY),
            ANNS,
            "The time of Ann is up. The next step comes at the end of the pause: Monday 07:00 UTC.",
        ),
        (
            replace(AWAY, stands_still_until=None, runs_out_at=None),
            MINE,
            "Your clock stands still (absence); after that you have 2 days 4 hours left.",
        ),
    ],
)
def test_clocks_10_2_how_much_time_is_left(clock: ClockShown, people: People, told: str) -> None:
    assert clock_line(clock, people, "UTC") == told


def test_clocks_10_3_what_stays_on_a_screen_does_not_say_how_much_is_left() -> None:
    assert clock_line(RUNS, MINE, "UTC", stays=True) == "You have time until Tuesday 18:00 UTC."
    for clock in (QUIET, NUDGED, replace(RUNS, runs_out_at=None)):
        assert clock_line(clock, MINE, "UTC", stays=True) == clock_line(clock, MINE, "UTC")


@pytest.mark.parametrize(
    ("clock", "people", "told"),
    [
        (
            NUDGED,
            MINE,
            "Your time is up. If you have not moved by Tuesday 18:00 UTC, a last grace period begins.",
        ),
        (
            GRACED,
            ANNS,
            "The time of Ann is up. This is the grace period, which comes only once in a game. If Ann has not moved by "
            "Tuesday 18:00 UTC, a bot takes over the seat.",
        ),
        (
            replace(GRACED, next_step="out"),
            MINE,
            "Your time is up. This is the grace period, which comes only once in a game. If you have not moved by "
            "Tuesday 18:00 UTC, you are out of the game.",
        ),
        (replace(NUDGED, next_step=None, next_at=None), MINE, "Your time is up. The game waits for you."),
        (
            replace(NUDGED, stands_still_because="paused"),
            ANNS,
            "The time of Ann is up. The clock stands still for now (the game is paused). If Ann has not moved by "
            "Tuesday 18:00 UTC, a last grace period begins.",
        ),
        (replace(RUNS, stage="autopilot", left=None, next_step=None), ANNS, "A bot plays for Ann."),
    ],
)
def test_clocks_6_3_a_step_says_what_comes_next(clock: ClockShown, people: People, told: str) -> None:
    assert clock_line(clock, people, "UTC") == told


@pytest.mark.parametrize(
    ("clock", "told"),
    [
        (replace(RUNS, away=(Away(1, MONDAY, TUESDAY),)), "Ben is away from Monday 07:00 UTC until Tuesday 18:00 UTC."),
        (replace(RUNS, away=(Away(1, NOW, TUESDAY),)), "Ben is away until Tuesday 18:00 UTC."),
        (
            replace(RUNS, away=(Away(0, MONDAY, TUESDAY),)),
            "You are away from Monday 07:00 UTC until Tuesday 18:00 UTC.",
        ),
        (replace(RUNS, away=(Away(0, NOW, TUESDAY),)), "You are away until Tuesday 18:00 UTC."),
        (replace(AWAY, away=(Away(0, NOW, TUESDAY),)), ""),  # its clock stands still because of that
    ],
)
def test_clocks_4_5_the_table_is_told_who_is_away(clock: ClockShown, told: str) -> None:
    line = clock_line(clock, MINE, "UTC")
    assert clock_text(clock, MINE, "UTC") == (f"{line} {told}" if told else line)


def test_clocks_10_2_times_are_in_the_readers_zone() -> None:
    assert "until Tuesday 19:00 your time" in clock_line(RUNS, MINE, "Europe/Berlin")


def test_a_clock_that_only_went_on_is_the_same_clock() -> None:
    assert replace(RUNS, at=NOW + HOUR, left=2 * DAY + 3 * HOUR) == RUNS
    assert replace(RUNS, runs_out_at=MONDAY) != RUNS


@pytest.mark.parametrize(
    ("terms", "sentences"),
    [
        (None, ("There is no clock: everybody takes as long as they like.",)),
        (
            Terms(PerWait(3 * DAY), Ladder(DAY, 2 * DAY, "autopilot")),
            (
                "Each player has 3 days for each turn.",
                "The clock stands still in a player’s quiet times and absences.",
                "When a player’s time is up, they are reminded and the table is told; they have 1 day more.",
                "After that there is a grace period of 2 days, once for each player.",
                "In the end a bot plays for them until they come back.",
            ),
        ),
        (
            Terms(Bank(5 * DAY, DAY, 7 * DAY), Ladder(DAY, None, "out"), quiet=False, absences=False),
            (
                "Each player has a supply of 5 days, and each turn adds 1 day, up to 7 days.",
                "The clock runs on in quiet times and absences.",
                "In the end they are out of the game.",
            ),
        ),
    ],
)
def test_clocks_2_1_settings_in_words(terms: Terms | None, sentences: tuple[str, ...]) -> None:
    told = settings_in_words(terms, ABANDONED_AFTER, ENGLISH)
    assert set(sentences) <= set(told)
    assert told[-1] == "A game in which nothing happens for 90 days ends; everybody is told two weeks before."


@pytest.mark.parametrize("code", CODES[1:])
def test_every_language_has_its_own_sentences(code: str) -> None:
    there = People(("Ann", "Ben"), 0, language(code))
    for clock in (RUNS, QUIET, AWAY, NUDGED, GRACED):
        assert clock_line(clock, there, "UTC") != clock_line(clock, MINE, "UTC")


def test_nothing_is_said_of_the_clock_while_a_bot_is_to_move() -> None:
    clock = ClockShown(1, "in_time", "bot", None, None, None, None, NOW, None)
    assert clock_line(clock, People(("Ann", "bot:greedy"), 0), "UTC") == ""


def test_german_durations_stand_in_no_dative() -> None:
    terms = Terms(Bank(2 * DAY, DAY, 3 * DAY), Ladder(DAY, 2 * DAY, "out"))
    told = " ".join(settings_in_words(terms, ABANDONED_AFTER, language("de")))
    assert "Zeitvorrat (2 Tage)" in told and "Nachfrist (2 Tage)" in told and "von 2 Tage" not in told
