"""Compute when a daily digest is due: once a day, at an hour in a time zone of the IANA database. Pure.

If clocks are put forward over that hour, the digest is due at the change. If they are put back and the hour comes
twice, it is due the first time. A day that a zone skipped has none.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from service.clocks.zones import zone as zone_of

_DAY = timedelta(days=1)
_INSTANT = timedelta(microseconds=1)


class Due(NamedTuple):
    """A digest that is due: its day, in its time zone, and the time, in UTC."""

    day: date
    at: datetime


def next_due(hour: int, zone: str, after: datetime) -> Due:
    """Return the first digest after an aware time.

    `hour` is 0 to 23, in UTC if the machine does not know the zone.
    """
    there = zone_of(zone)
    day = after.astimezone(there).date() - _DAY  # its digest may be due after its end, if clocks were put forward
    while True:
        # An hour that comes twice is taken the first time. One that is skipped is taken by the clock before the change,
        # which gives the change itself or a time soon after it.
        at = datetime.combine(day, time(hour), there).astimezone(UTC)
        if at > after:
            return Due(day, at)
        day += _DAY


def due_at(hour: int, zone: str, at: datetime) -> Due:
    """Return the digest that is due at this time, or else the next one."""
    return next_due(hour, zone, at - _INSTANT)
