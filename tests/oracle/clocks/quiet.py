"""Quiet times: whether the clock on the wall in a zone shows a time within a window (3.1 to 3.3)."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from tests.oracle.clocks.times import DAY, NEVER, QUARTER

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MOST_QUARTERS = 112 * 4
WEEK_IN_MINUTES = 7 * 24 * 60


class Schedule(NamedTuple):
    """A zone and its windows: the weekdays, and the minutes of the day at which they begin and end."""

    zone: str
    windows: tuple[tuple[frozenset[int], int, int], ...]


NOTHING = Schedule("UTC", ())


def minutes(text: str) -> int:
    """Return the minute of the day of a time such as `22:15`."""
    return int(text[:2]) * 60 + int(text[3:])


def schedule(zone: str, windows: list[dict[str, Any]]) -> Schedule:
    """Return the schedule of an account's zone and windows."""
    return Schedule(zone, tuple(
        (frozenset(DAYS.index(day) for day in window["days"]), minutes(window["from"]), minutes(window["to"]))
        for window in windows
    ))  # fmt: skip


def shown(windows: Schedule, weekday: int, minute: int) -> bool:
    """Return whether a wall clock that shows this weekday and minute shows a time within a window."""
    for days, begins, ends in windows.windows:
        if ends > begins:
            inside = weekday in days and begins <= minute < ends
        else:
            inside = (weekday in days and minute >= begins) or ((weekday - 1) % 7 in days and minute < ends)
        if inside:
            return True
    return False


def too_much(windows: Schedule) -> bool:
    """Return whether more than 112 of a week's 168 hours are quiet."""
    quarters = [shown(windows, minute // 1440, minute % 1440) for minute in range(0, WEEK_IN_MINUTES, 15)]
    return sum(quarters) > MOST_QUARTERS


def at(windows: Schedule, when: int) -> bool:
    """Return whether it is quiet at this instant (3.2)."""
    wall = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=when)).astimezone(ZoneInfo(windows.zone))
    return shown(windows, wall.weekday(), wall.hour * 60 + wall.minute)


@lru_cache(maxsize=100_000)
def day(windows: Schedule, number: int) -> tuple[bool, ...]:
    """Return for each quarter of an hour of a day in UTC whether it is quiet.

    Windows begin and end at whole quarters, and every zone's offset from UTC is a number of whole quarters.
    """
    return tuple(at(windows, number * DAY + quarter * QUARTER) for quarter in range(96))


def is_quiet(windows: Schedule, when: int) -> bool:
    """Return whether it is quiet at this instant, from the day's quarters."""
    if not windows.windows:
        return False
    return day(windows, when // DAY)[when % DAY // QUARTER]


@lru_cache(maxsize=100_000)
def changes(windows: Schedule, number: int) -> tuple[int, ...]:
    """Return the instants of a day in UTC at which a quiet time begins or ends."""
    quarters = range(number * DAY, (number + 1) * DAY, QUARTER)
    return tuple(when for when in quarters if is_quiet(windows, when) != is_quiet(windows, when - QUARTER))


def next_change(windows: Schedule, when: int) -> int:
    """Return the first later instant at which a quiet time begins or ends, or NEVER."""
    if not windows.windows:
        return NEVER
    for number in range(when // DAY, when // DAY + 15):
        for change in changes(windows, number):
            if change > when:
                return change
    return NEVER


def began(windows: Schedule, when: int) -> int:
    """Return when the quiet time began in which this instant lies."""
    quarter = when - when % QUARTER
    while is_quiet(windows, quarter - QUARTER):
        quarter -= QUARTER
    return quarter
