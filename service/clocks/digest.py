"""When a daily digest is due: an hour of the day in a zone of the IANA database, on each day once. Pure.

Where clocks are put forward over the hour, it is due as they are; where they are put back and the hour comes twice, it
is due the first time. A day that a zone left out has none.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from service.clocks.zones import zone as zone_of

_DAY = timedelta(days=1)
_INSTANT = timedelta(microseconds=1)


class Due(NamedTuple):
    """A digest that is due: the day that it is of, in its zone, and the time, in UTC."""

    day: date
    at: datetime


def next_due(hour: int, zone: str, after: datetime) -> Due:
    """Return the first digest after an aware time; `hour` is 0 to 23, in UTC if the machine does not know the zone."""
    there = zone_of(zone)
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
