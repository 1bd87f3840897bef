"""When a digest is due, in zones with and without clock changes."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.clocks.digest import Due, due_at, next_due
from service.clocks.zones import zones


def utc(*at: int) -> datetime:
    return datetime(*at, tzinfo=UTC)  # type: ignore[misc, arg-type]


def run(hour: int, zone: str, start: datetime, count: int) -> list[Due]:
    """Return a number of digests, each after the one before."""
    found: list[Due] = []
    for _ in range(count):
        found.append(next_due(hour, zone, found[-1].at if found else start))
    return found


@pytest.mark.parametrize(
    ("hour", "zone", "after", "due"),
    [
        (18, "UTC", utc(2026, 11, 28, 17, 59), Due(date(2026, 11, 28), utc(2026, 11, 28, 18))),
        (18, "UTC", utc(2026, 11, 28, 18), Due(date(2026, 11, 29), utc(2026, 11, 29, 18))),
        # Half and three quarters of an hour
        (7, "Asia/Kolkata", utc(2026, 11, 28, 0), Due(date(2026, 11, 28), utc(2026, 11, 28, 1, 30))),
        (7, "Asia/Kathmandu", utc(2026, 11, 28, 0), Due(date(2026, 11, 28), utc(2026, 11, 28, 1, 15))),
        # The day there is another than in UTC
        (0, "Pacific/Kiritimati", utc(2026, 11, 28, 9), Due(date(2026, 11, 29), utc(2026, 11, 28, 10))),
        (23, "America/Los_Angeles", utc(2026, 11, 28, 3), Due(date(2026, 11, 27), utc(2026, 11, 28, 7))),
        # Berlin, 29 March 2026: 02:00 becomes 03:00 as it comes
        (2, "Europe/Berlin", utc(2026, 3, 28, 12), Due(date(2026, 3, 29), utc(2026, 3, 29, 1))),
        (2, "Europe/Berlin", utc(2026, 3, 29, 1), Due(date(2026, 3, 30), utc(2026, 3, 30, 0))),
        # Berlin, 25 October 2026: 02:00 comes twice
        (2, "Europe/Berlin", utc(2026, 10, 24, 12), Due(date(2026, 10, 25), utc(2026, 10, 25, 0))),
        (2, "Europe/Berlin", utc(2026, 10, 25, 0), Due(date(2026, 10, 26), utc(2026, 10, 26, 1))),
        # Lord Howe changes by half an hour: 4 October 2026, 02:00 becomes 02:30
        (2, "Australia/Lord_Howe", utc(2026, 10, 3, 12), Due(date(2026, 10, 4), utc(2026, 10, 3, 15, 30))),
        # Nuuk, 28 March 2026: 23:00 becomes 00:00 of the next day
        (23, "America/Nuuk", utc(2026, 3, 28, 12), Due(date(2026, 3, 28), utc(2026, 3, 29, 1))),
        (23, "America/Nuuk", utc(2026, 3, 29, 1), Due(date(2026, 3, 29), utc(2026, 3, 30, 0))),
    ],
)
def test_the_next_one(hour: int, zone: str, after: datetime, due: Due) -> None:
    assert next_due(hour, zone, after) == due


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo"])
@pytest.mark.parametrize("hour", [0, 1, 2, 3, 23])
def test_each_day_of_a_year_has_exactly_one(zone: str, hour: int) -> None:
    found = run(hour, zone, utc(2026, 1, 1), 365)
    assert [due.day for due in found] == [found[0].day + timedelta(days=n) for n in range(365)]
    for before, after in pairwise(found):
        assert timedelta(hours=23) <= after.at - before.at <= timedelta(hours=25)
    assert sum(due.at.astimezone(ZoneInfo(zone)).hour != hour for due in found) <= 1


def test_a_day_that_a_zone_left_out_has_none() -> None:
    """Samoa had no 30 December 2011."""
    found = run(8, "Pacific/Apia", utc(2011, 12, 28, 20), 3)
    assert [due.at for due in found] == [utc(2011, 12, 29, 18), utc(2011, 12, 30, 18), utc(2011, 12, 31, 18)]
    assert len({due.day for due in found}) == 3


@given(
    hour=st.integers(0, 23),
    zone=st.sampled_from(sorted(zones())),
    after=st.datetimes(datetime(1990, 1, 1), datetime(2037, 1, 1), timezones=st.just(UTC)),
)
def test_next_digest_is_within_two_days_and_on_its_own_day(hour: int, zone: str, after: datetime) -> None:
    due = next_due(hour, zone, after)
    assert after < due.at <= after + timedelta(hours=49)
    assert due_at(hour, zone, due.at) == due
    assert next_due(hour, zone, due.at).day > due.day


def test_names_that_are_no_place_are_none() -> None:
    assert "Europe/Berlin" in zones()
    assert not {"Factory", "localtime", "posixrules", "europe/berlin"} & zones()
