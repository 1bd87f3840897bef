"""When a daily digest is due: an hour of the day in a zone of the IANA database, on each day once. Pure.

Where clocks are put forward over the hour, it is due as they are; where they are put back and the hour comes twice, it
is due the first time. A day that a zone left out has none.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

_DAY = timedelta(days=1)
_INSTANT = timedelta(microseconds=1)
_NO_PLACES = {"Factory", "localtime"}


class Due(NamedTuple):
    """A digest that is due: the day that it is of, in its zone, and the time, in UTC."""

    day: date
    at: datetime


@cache
def zones() -> frozenset[str]:
    """The names of all zones that there are."""
    return frozenset(available_timezones() - _NO_PLACES)


def next_due(hour: int, zone: str, after: datetime) -> Due:
    """The first digest after an aware time; `hour` is 0 to 23. Raises ZoneInfoNotFoundError if there is no such zone."""
    there = ZoneInfo(zone)
    day = after.astimezone(there).date() - _DAY  # whose digest may be due after its end, if clocks were put forward
    while True:
        # Of an hour that comes twice this is the first; one that is left out is reckoned by the clock before the change,
        # which gives the instant of the change or, within it, as much later.
        at = datetime.combine(day, time(hour), there).astimezone(UTC)
        if at > after:
            return Due(day, at)
        day += _DAY


def due_at(hour: int, zone: str, at: datetime) -> Due:
    """The digest that is due at this time, or if none is, the next."""
    return next_due(hour, zone, at - _INSTANT)
