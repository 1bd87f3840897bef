"""Announced absences (CLOCKS.md 4)."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.clock.errors import ClockError
from service.clocks.absences import (
    AHEAD,
    MOST_AHEAD,
    Absence,
    Period,
    announce,
    away_at,
    back,
    days,
    of_this_year,
    used_in,
)

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def utc(*at: int) -> datetime:
    return datetime(*at, tzinfo=UTC)  # type: ignore[misc, arg-type]


NOW = utc(2026, 2, 1)


FIELDS = {"past": "from", "too_far": "until", "too_short": "until", "too_long": "until"}


def refusal(earlier: list[Absence], since: datetime | None, until: datetime, now: datetime = NOW) -> str:
    with pytest.raises(ClockError) as refused:
        announce(earlier, Period(since, until), now)
    assert refused.value.field == FIELDS.get(refused.value.code, "")
    return refused.value.code


def test_clocks_4_2_it_counts_from_twelve_hours_after_the_announcement() -> None:
    until = NOW + 5 * DAY
    for since in (None, NOW, NOW + 11 * HOUR, NOW + 12 * HOUR):
        assert announce([], Period(since, until), NOW) == Absence(NOW, NOW + 12 * HOUR, until)
    assert announce([], Period(NOW + 13 * HOUR, until), NOW).begins == NOW + 13 * HOUR


def test_clocks_1_1_an_absence_is_in_whole_milliseconds() -> None:
    absence = announce([], Period(None, NOW + 5 * DAY), NOW + timedelta(microseconds=5_007_900))
    assert absence.announced_at == NOW + timedelta(microseconds=5_007_000)
    assert absence.begins == absence.announced_at + 12 * HOUR


def test_clocks_4_2_a_beginning_in_the_past_is_refused() -> None:
    assert refusal([], NOW - timedelta(milliseconds=1), NOW + 5 * DAY) == "past"


def test_clocks_4_3_at_least_a_day_and_at_most_three_weeks() -> None:
    begins = NOW + DAY
    for length, code in ((DAY, None), (DAY - HOUR, "too_short"), (21 * DAY, None), (21 * DAY + HOUR, "too_long")):
        if code is None:
            assert announce([], Period(begins, begins + length), NOW).ends == begins + length
        else:
            assert refusal([], begins, begins + length) == code
    for since, until in ((begins, begins - DAY), (begins, begins), (None, NOW)):
        with pytest.raises(ClockError, match="An absence ends after it begins") as refused:
            announce([], Period(since, until), NOW)
        assert (refused.value.code, refused.value.field) == ("too_short", "until")
    assert refusal([], NOW, NOW + 30 * HOUR) == "too_short"  # 12 hours of it do not count


def test_clocks_4_1_absences_touch_but_do_not_overlap() -> None:
    first = announce([], Period(NOW + 5 * DAY, NOW + 8 * DAY), NOW)
    assert announce([first], Period(NOW + 8 * DAY, NOW + 10 * DAY), NOW).begins == first.ends
    assert announce([first], Period(NOW + 3 * DAY, NOW + 5 * DAY), NOW).ends == first.begins
    for begin, end in ((4, 6), (7, 9), (4, 9), (6, 7)):
        assert refusal([first], NOW + begin * DAY, NOW + end * DAY) == "overlap"


def test_clocks_4_4_thirty_days_a_year_each_in_its_own() -> None:
    first = announce([], Period(utc(2026, 12, 1), utc(2026, 12, 16)), utc(2026, 11, 1))
    second = announce([first], Period(utc(2026, 12, 17), utc(2027, 1, 7)), utc(2026, 11, 1))
    assert (used_in(2026, first), used_in(2026, second), used_in(2027, second)) == (15 * DAY, 15 * DAY, 6 * DAY)
    assert refusal([first, second], utc(2026, 11, 10), utc(2026, 11, 11), utc(2026, 11, 1)) == "allowance"
    third = announce([first, second], Period(utc(2027, 2, 1), utc(2027, 2, 22)), utc(2026, 11, 1))
    fits = Period(utc(2027, 3, 1), utc(2027, 3, 4))
    assert announce([first, second, third], fits, utc(2026, 11, 1)).ends == fits.until
    assert refusal([first, second, third], utc(2027, 3, 1), utc(2027, 3, 4, 1), utc(2026, 11, 1)) == "allowance"


def test_clocks_4_5_back_ends_what_is_on_and_calls_off_the_later_ones() -> None:
    over = Absence(NOW, NOW + DAY, NOW + 3 * DAY)
    on = Absence(NOW, NOW + 4 * DAY, NOW + 9 * DAY)
    later = Absence(NOW, NOW + 12 * DAY, NOW + 15 * DAY)
    now = NOW + 6 * DAY
    ended = Absence(NOW, on.begins, now)
    assert back([over, on, later], now) == (over, ended)
    assert away_at([over, ended], now) is None
    assert away_at([over, on], now) == on
    assert back([], now) == ()


def test_clocks_4_4_one_that_began_costs_a_day_at_least() -> None:
    begins = utc(2026, 12, 31, 12)
    (ended,) = back([Absence(NOW, begins, begins + 5 * DAY)], begins + HOUR)
    assert (used_in(2026, ended), used_in(2027, ended)) == (12 * HOUR, 12 * HOUR)
    (longer,) = back([Absence(NOW, begins, begins + 5 * DAY)], begins + 2 * DAY)
    assert used_in(2026, longer) + used_in(2027, longer) == 2 * DAY


def test_clocks_4_4_what_back_cuts_off_is_not_used() -> None:
    first = announce([], Period(NOW + DAY, NOW + 22 * DAY), NOW)
    assert refusal([first], NOW + 30 * DAY, NOW + 40 * DAY) == "allowance"
    earlier = list(back([first], NOW + 3 * DAY))
    assert announce(earlier, Period(NOW + 30 * DAY, NOW + 40 * DAY), NOW + 3 * DAY).ends == NOW + 40 * DAY


@pytest.mark.parametrize(
    ("zone", "first", "last", "expected"),
    [
        ("UTC", None, date(2026, 12, 5), (None, utc(2026, 12, 6))),
        ("Europe/Berlin", date(2026, 12, 1), date(2026, 12, 5), (utc(2026, 11, 30, 23), utc(2026, 12, 5, 23))),
        # Santiago, 6 September 2026: midnight is left out; the day begins with the change, 04:00Z
        ("America/Santiago", date(2026, 9, 6), date(2026, 9, 6), (utc(2026, 9, 6, 4), utc(2026, 9, 7, 3))),
        # Havana, 1 November 2026: 00:00 comes twice; the day begins with the first
        ("America/Havana", date(2026, 11, 1), date(2026, 11, 1), (utc(2026, 11, 1, 4), utc(2026, 11, 2, 5))),
    ],
)
def test_clocks_4_1_days_of_a_zone_the_last_one_included(
    zone: str, first: date | None, last: date, expected: tuple[datetime | None, datetime]
) -> None:
    assert days(first, last, zone, NOW) == Period(*expected, zone)


def test_an_absence_from_today_begins_as_soon_as_possible() -> None:
    now = utc(2026, 11, 27, 23, 30)
    assert days(date(2026, 11, 28), date(2026, 12, 1), "Europe/Berlin", now).since is None
    assert days(date(2026, 11, 27), date(2026, 12, 1), "Europe/Berlin", now).since == utc(2026, 11, 26, 23)


@pytest.mark.parametrize(
    ("first", "last", "hours"),
    [
        (date(2027, 3, 28), date(2027, 3, 28), 23),
        (date(2027, 10, 20), date(2027, 11, 9), 21 * 24 + 1),
    ],
)
def test_clocks_4_3_a_day_with_a_change_of_clocks_is_a_day(first: date, last: date, hours: int) -> None:
    asked, now = days(first, last, "Europe/Berlin", NOW), utc(2026, 12, 1)
    absence = announce([], asked, now)
    assert absence.ends - absence.begins == hours * HOUR
    with pytest.raises(ClockError):
        announce([], asked._replace(zone=None), now)


def test_an_absence_that_ends_too_far_ahead_is_refused() -> None:
    until = NOW + AHEAD
    assert announce([], Period(until - DAY, until), NOW).ends == until
    for late in (until + HOUR, utc(8999, 12, 31)):
        assert refusal([], late - DAY, late) == "too_far"


def test_only_so_many_absences_may_be_ahead() -> None:
    known: list[Absence] = []
    for day in range(MOST_AHEAD):
        begins = NOW + (1 + 2 * day) * DAY
        known.append(announce(known, Period(begins, begins + DAY), NOW))
    begins = NOW + 100 * DAY
    assert refusal(known, begins, begins + DAY) == "too_many_absences"
    assert announce(known, Period(begins, begins + DAY), known[0].ends).begins == begins


def test_absences_of_a_year_are_in_order_and_without_those_of_others() -> None:
    last_year = Absence(NOW, utc(2025, 12, 10), utc(2025, 12, 12))
    cut = Absence(NOW, utc(2025, 12, 31, 12), utc(2025, 12, 31, 13))  # costs 24 hours, 12 of them in 2026
    later, sooner = (Absence(NOW, NOW + day * DAY, NOW + (day + 2) * DAY) for day in (30, 5))
    assert of_this_year([later, last_year, sooner, cut], NOW) == [cut, sooner, later]
    assert of_this_year([later, sooner], utc(2027, 1, 1)) == []


@given(st.lists(st.tuples(st.integers(0, 365), st.integers(0, 25), st.booleans()), max_size=12))
def test_clocks_4_4_no_year_has_more_than_thirty_days(plan: list[tuple[int, int, bool]]) -> None:
    """Announce and come back at random: whatever was accepted keeps to the bounds."""
    known: tuple[Absence, ...] = ()
    for day, length, comes_back in sorted(plan):
        now = utc(2026, 3, 1) + day * DAY
        try:
            known = (*known, announce(known, Period(now + 5 * DAY, now + (5 + length) * DAY), now))
        except ClockError:
            pass
        if comes_back:
            known = back(known, now)
    for year in (2026, 2027):
        assert sum((used_in(year, one) for one in known), timedelta()) <= 30 * DAY
    for one in known:
        assert timedelta(0) <= one.ends - one.begins <= 21 * DAY
        assert not any(other is not one and one.begins < other.ends and other.begins < one.ends for other in known)
