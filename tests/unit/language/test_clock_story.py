"""What the marks of clocks and of the host say at a table, in words."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from engine import moves
from engine.clock import marks
from engine.clock.durations import parse
from engine.clock.marks import ClockMark
from engine.moves import Mark
from service.language.clock_story import said_by
from service.language.languages import CODES, language
from service.language.people import People
from tests.clock_records.lines import VALID_FILE
from tests.clock_records.timed_game import per_wait

NAMES = ("Ann", "Ben", "Cid")
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
AT = datetime(2026, 5, 6, 16, tzinfo=UTC)


def test_times_are_in_the_zone_of_their_reader() -> None:
    for value in (marks.HostPause(AT, "moving"), marks.AbandonWarning(0, AT)):
        for zone, time in (("UTC", "16:00 UTC"), ("Europe/Berlin", "18:00 CEST")):
            assert f"6 May 2026, {time}" in (said_by(marks.write(value), 1, People(NAMES), zone) or "")


def told(value: ClockMark, seat: int | None = 1, reader: int | None = None, code: str = "en") -> str | None:
    return said_by(marks.write(value), seat, People(NAMES, reader, language(code)))


@pytest.mark.parametrize(
    ("value", "of_other", "own"),
    [
        (
            marks.LadderStep("nudge", 0, DAY, "grace"),
            "The time of Ben was up. After 1 day, a last grace period was to follow.",
            "Your time was up. After 1 day, a last grace period was to follow.",
        ),
        (
            marks.LadderStep("nudge", 0, 2 * DAY, "autopilot"),
            "The time of Ben was up. After 2 days, a bot was to take over the seat.",
            "Your time was up. After 2 days, a bot was to take over your seat.",
        ),
        (
            marks.LadderStep("nudge", 0, DAY, None),
            "The time of Ben was up. The game waits.",
            "Your time was up. The game waits.",
        ),
        (
            marks.LadderStep("grace", 0, DAY + HOUR, "out"),
            "The grace period of Ben began; it comes once in a game. "
            "After 1 day 1 hour, the seat was to be put out of the game.",
            "Your grace period began; it comes once in a game. After 1 day 1 hour, you were to be put out of the game.",
        ),
        (
            marks.Autopilot(0),
            "Ben did not move, so a bot took over the seat.",
            "You did not move, so a bot took over your seat.",
        ),
        (marks.Back(), "Ben is back.", "You took your seat back from the bot."),
        (marks.Keep(), "Ben asked for the game to be kept.", "You asked for the game to be kept."),
        (marks.More(0, DAY, (0, 2)), "The others gave Ben 1 day more.", "The others gave you 1 day more."),
    ],
)
def test_a_mark_of_a_seat_is_told_to_others_and_to_itself(value: ClockMark, of_other: str, own: str) -> None:
    assert told(value) == of_other
    assert told(value, reader=1) == own


@pytest.mark.parametrize(
    ("value", "of_other", "own"),
    [
        (
            marks.HostMore(0, 1, DAY, "a storm"),
            "The host gave Ben 1 day more: “a storm”",
            "The host gave you 1 day more: “a storm”",
        ),
        (
            marks.HostOut(1, "rude"),
            "The host put Ben out of the game: “rude”",
            "The host put you out of the game: “rude”",
        ),
        (
            marks.HostPause(AT, "moving"),
            "The host paused the game, until 6 May 2026, 16:00 UTC at the latest: “moving”",
            "The host paused the game, until 6 May 2026, 16:00 UTC at the latest: “moving”",
        ),
        (marks.HostResume("back"), "The host ended the pause: “back”", "The host ended the pause: “back”"),
        (marks.HostEnd("over"), "The host ended the game: “over”", "The host ended the game: “over”"),
    ],
)
def test_a_mark_of_the_host_is_told_with_its_reason(value: ClockMark, of_other: str, own: str) -> None:
    assert told(value, None) == of_other
    assert told(value, None, reader=1) == own


def test_a_hosts_reason_stays_on_its_line() -> None:
    sentence = told(marks.HostEnd("one\ntwo\u202e"), None)
    assert sentence is not None and "\n" not in sentence and "\u202e" not in sentence


def test_what_the_service_says_is_told_to_all_alike() -> None:
    outage = marks.Outage(0, AT - 4 * HOUR, AT, ("worker",))
    assert told(outage) == told(outage, reader=1) == "The service failed for 4 hours; in that time no clock ran."
    assert told(marks.AbandonWarning(0, AT)) == (
        "Nobody has moved for a long time. "
        "If nobody moves or asks for the game to be kept, it ends after 6 May 2026, 16:00 UTC."
    )


def test_the_clock_is_told_in_one_sentence() -> None:
    assert told(marks.ClockStart(per_wait("P3D"))) == "Each player has 3 days for each turn."


def test_marks_that_say_nothing_are_not_told() -> None:
    people = People(NAMES)
    assert said_by(Mark("nudge"), 1, people) is None
    assert said_by(Mark("clock.nudge", {"wait": 0}), 1, people) is None
    assert said_by(Mark("clock.back"), None, people) is None


@pytest.mark.parametrize("code", CODES)
def test_every_mark_is_told_in_every_language(code: str) -> None:
    there = set()
    for line in VALID_FILE.read_text().splitlines():
        for entry in json.loads(line)["log"]:
            move = moves.from_json(entry["move"])
            if isinstance(move, Mark):
                sentence = said_by(move, entry["seat"], People(("Ada", "Ben", "Zoë", "Đorđe"), 0, language(code)))
                assert sentence and "%(" not in sentence
                there.add(move.kind)
    assert len(there) == 13


def test_durations_agree_with_their_sentence_in_german() -> None:
    step = marks.LadderStep("nudge", 0, parse("P2D"), "autopilot")
    assert (
        told(step, code="de") == "Die Zeit von Ben war abgelaufen. 2 Tage später sollte ein Bot den Platz übernehmen."
    )
