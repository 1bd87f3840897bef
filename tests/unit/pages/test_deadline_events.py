"""Deadlines as events of a calendar (RFC 5545), read back as calendar programs read them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from icalendar import Calendar

from service.config import Settings
from service.language.languages import CODES, language
from service.pages.deadline_events import written
from service.queries.calendars import STEPS, Deadline
from tests.support.clock import NOW

DEADLINE = Deadline(
    table="AbCdEfGh2345",
    stretch=7,
    at=NOW + timedelta(days=2),
    step="nudge",
    seat=1,
    names=('Ann, the "first"; of many', "Ben", None),
    changes=9,
    changed_at=NOW,
)


def events(settings: Settings, *deadlines: Deadline, code: str = "en") -> list[Any]:
    raw = written(settings, "AcCoUnt23456", deadlines, language(code))
    assert raw.endswith(b"\r\n") and all(len(line) <= 75 for line in raw.split(b"\r\n"))
    return list(Calendar.from_ical(raw).walk("VEVENT"))


def whole_second(at: datetime) -> datetime:
    return at.replace(microsecond=0)


def test_an_event_says_what_happens_when_and_where_to_move(settings: Settings) -> None:
    (event,) = events(settings, DEADLINE)
    assert event["UID"] == "AbCdEfGh2345-7@nova-luna.example.org"
    assert event.decoded("DTSTART") == whole_second(NOW + timedelta(days=2))
    assert event["SUMMARY"] == 'Nova Luna with Ann, the "first"; of many and Player 3: your time runs out'
    assert event["URL"].startswith("https://nova-luna.example.org/games/AbCdEfGh2345?link=")
    assert (event["SEQUENCE"], event["TRANSP"]) == (9, "TRANSPARENT")
    assert event.decoded("DTSTAMP") == event.decoded("LAST-MODIFIED") == whole_second(NOW)


def test_a_calendar_without_deadlines_has_a_component_all_the_same(settings: Settings) -> None:
    calendar = Calendar.from_ical(written(settings, "AcCoUnt23456", (), language("en")))
    assert [each["TZID"] for each in calendar.subcomponents] == ["UTC"]


def test_a_deadline_that_moves_is_the_same_event_at_a_later_sequence(settings: Settings) -> None:
    moved = replace(DEADLINE, at=NOW + timedelta(days=4), changes=10, changed_at=NOW + timedelta(hours=1))
    (before,), (after,) = events(settings, DEADLINE), events(settings, moved)
    assert after["UID"] == before["UID"] and after["SEQUENCE"] > before["SEQUENCE"]
    assert after.decoded("DTSTART") - before.decoded("DTSTART") == timedelta(days=2)
    assert after.decoded("LAST-MODIFIED") > before.decoded("LAST-MODIFIED")


def test_another_stretch_is_another_event(settings: Settings) -> None:
    first, second = events(settings, DEADLINE, replace(DEADLINE, stretch=8))
    assert first["UID"] != second["UID"]


@pytest.mark.parametrize("code", CODES)
def test_each_step_has_its_words_in_each_language(settings: Settings, code: str) -> None:
    told = [
        str(event["SUMMARY"])
        for event in events(settings, *(replace(DEADLINE, step=step) for step in STEPS), code=code)
    ]
    assert len(set(told)) == len(STEPS) and all("Nova Luna" in each for each in told)


def test_the_same_deadlines_give_the_same_bytes_and_none_a_valid_calendar(settings: Settings) -> None:
    given = settings, "AcCoUnt23456", (DEADLINE,), language("de")
    assert written(*given) == written(*given)
    calendar = Calendar.from_ical(written(settings, "AcCoUnt23456", (), language("en")))
    assert (calendar["VERSION"], calendar["METHOD"], calendar["X-WR-CALNAME"]) == (
        "2.0",
        "PUBLISH",
        "Nova Luna by post",
    )
    assert calendar["PRODID"] and calendar["REFRESH-INTERVAL"].to_ical() == b"PT1H"
    assert b"X-PUBLISHED-TTL:PT1H\r\n" in calendar.to_ical()
