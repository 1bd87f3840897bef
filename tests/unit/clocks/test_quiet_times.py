"""Quiet times, in zones that change their clocks (CLOCKS.md 1.5, 3)."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.clock.errors import ClockError
from service.clocks.quiet_times import (
    DAYS,
    MOST_QUIET,
    NEVER,
    Schedule,
    Window,
    is_quiet,
    next_change,
    parse,
    quiet,
    to_json,
)

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Santiago")
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
NIGHT = {"days": list(DAYS), "from": "22:00", "to": "07:00"}


def utc(*at: int) -> datetime:
    return datetime(*at, tzinfo=UTC)  # type: ignore[misc, arg-type]


@st.composite
def windows(draw: st.DrawFn) -> Window:
    days = draw(st.frozensets(st.integers(0, 6), min_size=1))
    begins, ends = (time(*divmod(draw(st.integers(0, 95)) * 15, 60)) for _ in range(2))
    return Window(days, begins, ends)


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    zone = draw(st.sampled_from(ZONES))
    chosen = tuple(draw(st.lists(windows(), max_size=4)))
    try:
        return Schedule(zone, chosen)
    except ClockError:
        return NEVER


INSTANTS = st.integers(0, 800 * 24 * 60).map(lambda minutes: utc(2026, 1, 1) + minutes * MINUTE)


def on_the_wall(schedule: Schedule, at: datetime) -> bool:
    """Ruling 3.2 as it stands: look at a clock on the wall, and at each window."""
    wall = at.astimezone(ZoneInfo(schedule.zone))
    for window in schedule.windows:
        today, yesterday = wall.weekday() in window.days, (wall.weekday() - 1) % 7 in window.days
        if window.begins < window.ends:
            if today and window.begins <= wall.time() < window.ends:
                return True
        elif (today and wall.time() >= window.begins) or (yesterday and wall.time() < window.ends):
            return True
    return False


@given(schedules(), INSTANTS)
def test_clocks_3_2_it_is_quiet_as_the_clock_on_the_wall_says(schedule: Schedule, at: datetime) -> None:
    assert is_quiet(schedule, at) == on_the_wall(schedule, at)


@given(schedules(), INSTANTS, st.integers(0, 40 * 24 * 60))
def test_clocks_1_5_quiet_times_are_half_open_and_apart(schedule: Schedule, since: datetime, minutes: int) -> None:
    until = since + minutes * MINUTE
    found = list(quiet(schedule, since, until))
    for begin, end in found:
        assert since <= begin < end <= until
        assert on_the_wall(schedule, begin)
        assert on_the_wall(schedule, end - MINUTE)
        assert end == until or not on_the_wall(schedule, end)
        assert begin == since or not on_the_wall(schedule, begin - MINUTE)
    for (_, end), (begin, _) in pairwise(found):
        assert end < begin
        assert not on_the_wall(schedule, end + (begin - end) // 2)


@given(schedules(), INSTANTS, st.lists(st.integers(0, 20 * 24 * 60), min_size=1, max_size=4))
def test_quiet_time_of_a_whole_is_that_of_its_parts(schedule: Schedule, since: datetime, cuts: list[int]) -> None:
    def total(begin: datetime, end: datetime) -> timedelta:
        return sum((last - first for first, last in quiet(schedule, begin, end)), timedelta())

    instants = sorted([since, *(since + cut * MINUTE for cut in cuts)])
    parts = sum((total(begin, end) for begin, end in pairwise(instants)), timedelta())
    assert parts == total(instants[0], instants[-1])


@given(schedules(), INSTANTS)
def test_quiet_times_without_an_end_begin_like_those_with_one(schedule: Schedule, since: datetime) -> None:
    until = since + 30 * DAY
    endless = quiet(schedule, since)
    for begin, end in quiet(schedule, since, until):
        first, last = next(endless)
        assert (first, min(last, until)) == (begin, end)


@pytest.mark.parametrize(
    ("zone", "window", "expected"),
    [
        # Berlin, 29 March 2026: 02:00 becomes 03:00 at 01:00Z. The window lies in the hour that is left out.
        ("Europe/Berlin", ("02:15", "02:45"), []),
        # It reaches out of that hour: it begins with the change, and ends at 04:00 there.
        ("Europe/Berlin", ("02:30", "04:00"), [(utc(2026, 3, 29, 1), utc(2026, 3, 29, 2))]),
        # It reaches into that hour: it ends with the change.
        ("Europe/Berlin", ("01:00", "02:30"), [(utc(2026, 3, 29, 0), utc(2026, 3, 29, 1))]),
        ("UTC", ("02:15", "02:45"), [(utc(2026, 3, 29, 2, 15), utc(2026, 3, 29, 2, 45))]),
    ],
)
def test_clocks_3_3_hour_left_out(zone: str, window: tuple[str, str], expected: list[Any]) -> None:
    schedule = parse([{"days": ["sun"], "from": window[0], "to": window[1]}], zone)
    assert list(quiet(schedule, utc(2026, 3, 28, 12), utc(2026, 3, 29, 12))) == expected


def test_clocks_3_3_a_time_that_comes_twice_is_quiet_twice() -> None:
    schedule = parse([{"days": ["sun"], "from": "01:15", "to": "01:45"}], "America/New_York")
    assert list(quiet(schedule, utc(2026, 11, 1), utc(2026, 11, 2))) == [
        (utc(2026, 11, 1, 5, 15), utc(2026, 11, 1, 5, 45)),
        (utc(2026, 11, 1, 6, 15), utc(2026, 11, 1, 6, 45)),
    ]


def test_clocks_3_3_a_window_past_midnight_belongs_to_the_day_it_begins() -> None:
    schedule = parse([{"days": ["sun"], "from": "22:00", "to": "07:00"}], "UTC")
    sunday = utc(2026, 5, 3)
    assert list(quiet(schedule, sunday - 3 * DAY, sunday + 5 * DAY)) == [(sunday + 22 * HOUR, sunday + 31 * HOUR)]


def test_clocks_3_1_a_window_that_ends_where_it_begins_is_a_whole_day() -> None:
    schedule = parse([{"days": ["sat"], "from": "12:00", "to": "12:00"}], "UTC")
    saturday = utc(2026, 5, 2)
    assert list(quiet(schedule, saturday - DAY, saturday + 3 * DAY)) == [(saturday + 12 * HOUR, saturday + 36 * HOUR)]


@pytest.mark.parametrize(("ends", "hours"), [("22:00", 112), ("22:15", None)])
def test_clocks_3_1_at_most_112_hours_a_week(ends: str, hours: int | None) -> None:
    window = {"days": list(DAYS), "from": "06:00", "to": ends}
    if hours is None:
        with pytest.raises(ClockError) as refused:
            parse([window], "UTC")
        assert (refused.value.code, refused.value.field) == ("too_much_quiet", "quiet")
        assert "112" in refused.value.detail
    else:
        spans = quiet(parse([window], "UTC"), utc(2026, 5, 4), utc(2026, 5, 11))
        assert sum((end - begin for begin, end in spans), timedelta()) == hours * HOUR == MOST_QUIET


def test_clocks_3_1_hours_in_two_windows_count_once() -> None:
    window = {"days": list(DAYS), "from": "06:00", "to": "22:00"}
    assert list(quiet(parse([window] * 14, "UTC"), utc(2026, 5, 4), utc(2026, 5, 5))) == [
        (utc(2026, 5, 4, 6), utc(2026, 5, 4, 22))
    ]


def test_clocks_3_1_windows_come_back_as_they_were_given() -> None:
    given_ones = [NIGHT, {"days": ["sat", "sun"], "from": "00:00", "to": "00:00"}]
    assert to_json(parse(given_ones, "Europe/Berlin")) == given_ones
    assert parse([], "UTC") == NEVER


@pytest.mark.parametrize(
    ("changed", "code", "field"),
    [
        ([NIGHT] * 15, "bad_quiet", "quiet"),
        ({"0": NIGHT}, "bad_quiet", "quiet"),
        ([NIGHT, None], "bad_quiet", "quiet.1"),
        ([{**NIGHT, "zone": "UTC"}], "bad_quiet", "quiet.0"),
        ([{"days": ["mon"], "from": "22:00"}], "bad_quiet", "quiet.0"),
        ([{**NIGHT, "days": []}], "bad_quiet", "quiet.0.days"),
        ([{**NIGHT, "days": ["monday"]}], "bad_quiet", "quiet.0.days"),
        ([{**NIGHT, "days": "mon"}], "bad_quiet", "quiet.0.days"),
        ([{**NIGHT, "days": [0]}], "bad_quiet", "quiet.0.days"),
        ([{**NIGHT, "from": "22:10"}], "bad_quiet", "quiet.0.from"),
        ([{**NIGHT, "to": "24:00"}], "bad_quiet", "quiet.0.to"),
        ([{**NIGHT, "to": "7:00"}], "bad_quiet", "quiet.0.to"),
        ([{**NIGHT, "to": 7}], "bad_quiet", "quiet.0.to"),
    ],
)
def test_clocks_3_1_other_windows_are_refused(changed: object, code: str, field: str) -> None:
    with pytest.raises(ClockError) as refused:
        parse(changed, "UTC")
    assert (refused.value.code, refused.value.field) == (code, field)


def test_clocks_3_1_a_zone_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ClockError) as refused:
        parse([NIGHT], "Europe/Atlantis")
    assert (refused.value.code, refused.value.field) == ("unknown_zone", "zone")


def test_clocks_3_5_six_changes_in_any_thirty_days() -> None:
    first = utc(2026, 6, 1)
    changes = [first + day * DAY for day in range(6)]
    assert next_change(changes[:5], first + 5 * DAY) is None
    assert next_change(changes, first + 6 * DAY) == first + 30 * DAY
    assert next_change(changes, first + 30 * DAY - MINUTE) == first + 30 * DAY
    assert next_change(changes, first + 30 * DAY) is None
    assert next_change(reversed(changes), first + 6 * DAY) == first + 30 * DAY
