"""Quiet times: hours of the week, in local time, in which an account's clocks stand still (CLOCKS.md 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import Any

from engine.clock.errors import ClockError
from engine.phrases import phrase
from service.clocks.offsets import offset, stretches
from service.clocks.zones import zones

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MOST_WINDOWS = 14
MOST_QUIET = timedelta(hours=112)
"""The limit of quiet time in a week (3.1)."""

MOST_CHANGES = 6
CHANGES_WITHIN = timedelta(days=30)
"""The period in which zone and windows may change `MOST_CHANGES` times (3.5)."""

_HOUR, _DAY, _WEEK = timedelta(hours=1), timedelta(days=1), timedelta(days=7)
_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):(?:00|15|30|45)")

Interval = tuple[datetime, datetime]
"""Two instants: from the first until just before the second (1.5)."""


@dataclass(frozen=True, slots=True)
class Window:
    """The same hours on some weekdays; if they do not end after they begin, they end on the next day (3.1).

    Attributes:
        days: the weekdays on which it begins; 0 is Monday.
        begins: the local time of its beginning, in whole quarters of an hour.
        ends: the local time of its end.
    """

    days: frozenset[int]
    begins: time
    ends: time

    def to_json(self) -> dict[str, Any]:
        return {
            "days": [DAYS[day] for day in sorted(self.days)],
            "from": self.begins.isoformat("minutes"),
            "to": self.ends.isoformat("minutes"),
        }


@dataclass(frozen=True, slots=True)
class Schedule:
    """An account's zone and its windows.

    Raises:
        ClockError: they take more than 112 hours a week, which stops a clock for too long (3.1); code `too_much_quiet`.
    """

    zone: str = "UTC"
    windows: tuple[Window, ...] = ()

    def __post_init__(self) -> None:
        if sum((end - begin for begin, end in _weekly(self.windows)), timedelta()) > MOST_QUIET:
            raise ClockError(
                "too_much_quiet",
                phrase("At most %(most)s of a week's 168 hours may be quiet.", most=MOST_QUIET // _HOUR),
                "quiet",
            )


def parse(windows: object, zone: str) -> Schedule:
    """Return the schedule for a list of windows in the API's form (3.1).

    Raises:
        ClockError: code `bad_quiet`, `unknown_zone` or `too_much_quiet`.
    """
    if zone not in zones():
        raise ClockError("unknown_zone", phrase("There is no time zone %(zone)s.", zone=f"{zone:.40}"), "zone")
    if not isinstance(windows, list) or len(windows) > MOST_WINDOWS:
        raise ClockError(
            "bad_quiet", phrase("Quiet times are a list of up to %(most)s windows.", most=MOST_WINDOWS), "quiet"
        )
    return Schedule(zone, tuple(_window(data, f"quiet.{number}") for number, data in enumerate(windows)))


def to_json(schedule: Schedule) -> list[dict[str, Any]]:
    """Return a schedule's windows in the API's form."""
    return [window.to_json() for window in schedule.windows]


def is_quiet(schedule: Schedule, at: datetime) -> bool:
    """Return whether the local time at an instant is within a window (3.2)."""
    wall = at + offset(schedule.zone, at) if schedule.windows else at
    since_monday = wall - _monday(wall)
    return any(begin <= since_monday < end for begin, end in _weekly(schedule.windows))


def quiet(schedule: Schedule, since: datetime, until: datetime | None = None) -> Iterator[Interval]:
    """Yield the quiet times from an instant on, up to another or without end, in order and merged (3.2, 3.3)."""
    held: Interval | None = None
    for begin, end in _pieces(schedule, since, until):
        if held is None:
            held = begin, end
        elif begin <= held[1]:
            held = held[0], end
        else:
            yield held
            held = begin, end
    if held is not None:
        yield held


def next_change(earlier: Iterable[datetime], now: datetime) -> datetime | None:
    """Return None if zone and windows may be changed now, else the time from which they may (3.5).

    Args:
        earlier: the times of earlier changes; older ones may be left out.
        now: the current time.
    """
    counted = sorted(at for at in earlier if at > now - CHANGES_WITHIN)
    return None if len(counted) < MOST_CHANGES else counted[-MOST_CHANGES] + CHANGES_WITHIN


def _window(data: object, field: str) -> Window:
    if not isinstance(data, dict) or set(data) != {"days", "from", "to"}:
        raise ClockError("bad_quiet", "A window of quiet times has days, from and to.", field)
    days = data["days"]
    if not isinstance(days, list) or not days or not all(isinstance(day, str) and day in DAYS for day in days):
        names = ", ".join(DAYS)
        raise ClockError(
            "bad_quiet", phrase("The days of a window are some of %(names)s.", names=names), f"{field}.days"
        )
    for name in ("from", "to"):
        if not isinstance(data[name], str) or not _TIME.fullmatch(data[name]):
            raise ClockError("bad_quiet", "A time is in whole quarters of an hour, such as 22:15.", f"{field}.{name}")
    return Window(frozenset(map(DAYS.index, days)), time.fromisoformat(data["from"]), time.fromisoformat(data["to"]))


@lru_cache(maxsize=4096)
def _weekly(windows: Sequence[Window]) -> tuple[tuple[timedelta, timedelta], ...]:
    """Return the quiet times of a week as local time since Monday 00:00: in order, merged, cut at the week's end."""
    pieces: list[tuple[timedelta, timedelta]] = []
    for window in windows:
        for day in window.days:
            begin = day * _DAY + _since_midnight(window.begins)
            length = (_since_midnight(window.ends) - _since_midnight(window.begins)) % _DAY or _DAY
            end = begin + length
            pieces.append((begin, min(end, _WEEK)))
            if end > _WEEK:
                pieces.append((timedelta(), end - _WEEK))
    merged: list[tuple[timedelta, timedelta]] = []
    for begin, end in sorted(pieces):
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((begin, end))
    return tuple(merged)


def _pieces(schedule: Schedule, since: datetime, until: datetime | None) -> Iterator[Interval]:
    """Yield the quiet times cut at the ends of weeks and at changes of the offset."""
    weekly = _weekly(schedule.windows)
    if not weekly:
        return
    for begin, end, ahead in stretches(schedule.zone, since):
        if until is not None:
            if begin >= until:
                return
            end = min(end, until)
        yield from _within(weekly, begin, end, ahead)


def _within(
    weekly: Sequence[tuple[timedelta, timedelta]], begin: datetime, end: datetime, ahead: timedelta
) -> Iterator[Interval]:
    """Yield the quiet times between two instants between which the offset is the same."""
    monday = _monday(begin + ahead) - ahead
    while monday < end:
        for first, last in weekly:
            since, until = max(begin, monday + first), min(end, monday + last)
            if since < until:
                yield since, until
        monday += _WEEK


def _monday(wall: datetime) -> datetime:
    """Return the midnight at the beginning of the week of a local time."""
    midnight = wall.replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight - wall.weekday() * _DAY


def _since_midnight(at: time) -> timedelta:
    return timedelta(hours=at.hour, minutes=at.minute)


def differ(one: Schedule | None, other: Schedule | None) -> bool:
    """Return whether two schedules may be quiet at different times; without windows, their zones do not matter."""
    windows = [() if each is None else each.windows for each in (one, other)]
    return one != other if all(windows) else windows[0] != windows[1]


NEVER = Schedule()
"""The schedule of an account without quiet times, in UTC."""
