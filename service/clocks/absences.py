"""Announced absences: how long they may be, when they begin to count, and what a return ends (CLOCKS.md 4). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from engine.clock.errors import ClockError
from engine.phrases import phrase
from service.clocks.zones import zone as zone_of

NOTICE = timedelta(hours=12)
"""The time between the announcement of an absence and its earliest beginning (4.2)."""

LEAST = timedelta(hours=24)
MOST = timedelta(days=21)
"""The shortest and the longest absence (4.3)."""

YEARLY = timedelta(days=30)
"""The limit of all absences in a calendar year (4.4)."""

AHEAD = timedelta(days=550)
"""How long after its announcement an absence may end at the latest: about 18 months."""

MOST_AHEAD = 20
"""The number of absences of an account that are not over, at most: everybody at its tables is shown each."""

YEARS = range(2000, 9000)
"""The years in which days are read; near the ends of the calendar, there is no day before or after."""

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Absence:
    """An absence as it counts: from `begins` until just before `ends`."""

    announced_at: datetime
    begins: datetime
    ends: datetime

    @property
    def cost(self) -> tuple[datetime, datetime]:
        """The part of the year that it uses up: at least 24 hours, even if it was ended earlier (4.4)."""
        return self.begins, max(self.ends, self.begins + LEAST)


class Period(NamedTuple):
    """The times of an absence that somebody asks for, in UTC.

    Attributes:
        since: when it begins; None for as soon as possible.
        until: when it ends.
        zone: the zone whose days it was given in; None if it was given in times. A day on which the clocks are changed
            counts as one day then, though it has 23 or 25 hours (4.3).
    """

    since: datetime | None
    until: datetime
    zone: str | None = None

    def length(self, begins: datetime) -> timedelta:
        """Return the length of the absence if it begins at an instant."""
        if self.zone is None:
            return self.until - begins
        there = zone_of(self.zone)
        return self.until.astimezone(there).replace(tzinfo=None) - begins.astimezone(there).replace(tzinfo=None)


def announce(earlier: Iterable[Absence], asked: Period, now: datetime) -> Absence:
    """Return the absence that an account announces now.

    If it would begin less than 12 hours from now, it is moved to then (4.2).

    Args:
        earlier: the account's absences that were announced before and not called off.
        asked: the times that are asked for.
        now: the current time.

    Raises:
        ClockError: it is not allowed; code `past`, `too_far`, `too_short`, `too_long`, `overlap`, `allowance` or
            `too_many_absences`.
    """
    since, until = asked.since, asked.until
    if since is not None and since < now:
        raise ClockError("past", "An absence cannot begin in the past.", "from")
    if until <= (now if since is None else since):
        raise ClockError("too_short", "An absence ends after it begins.", "until")
    if until > now + AHEAD:
        raise ClockError(
            "too_far", phrase("An absence must end within %(days)s days from now.", days=AHEAD.days), "until"
        )
    now = _whole(now)
    begins = earliest(now) if since is None else max(since, earliest(now))
    absence = Absence(now, begins, until)
    if asked.length(begins) < LEAST:
        raise ClockError(
            "too_short", "An absence lasts 24 hours at least, and counts from 12 hours after its announcement.", "until"
        )
    if asked.length(begins) > MOST:
        raise ClockError(
            "too_long",
            phrase("An absence lasts %(days)s days at most; to prolong it, announce the next.", days=MOST.days),
            "until",
        )
    known = list(earlier)
    if any(begins < other.ends and other.begins < until for other in known):
        raise ClockError("overlap", "It overlaps another absence of yours.")
    for year in range(begins.year, until.year + 1):
        if sum((used_in(year, one) for one in (*known, absence)), timedelta()) > YEARLY:
            why = phrase("In %(year)s you would be away for more than %(days)s days.", year=year, days=YEARLY.days)
            raise ClockError("allowance", why)
    if sum(other.ends > now for other in known) >= MOST_AHEAD:
        raise ClockError(
            "too_many_absences",
            phrase("You have announced %(most)s absences that are not over; more are not possible.", most=MOST_AHEAD),
        )
    return absence


def earliest(now: datetime) -> datetime:
    """Return when an absence that is announced now begins at the earliest (4.2)."""
    return _whole(now) + NOTICE


def prolonged(earlier: Iterable[Absence], asked: Period, now: datetime) -> Absence | None:
    """Return the absence that one with these times would prolong (4.3): it begins within that one, and ends later."""
    since, begins = asked.since, max(asked.since or now, now + NOTICE)
    within = (one for one in earlier if one.begins <= (since or begins) and begins < one.ends < asked.until)
    return next(within, None)


def back(absences: Iterable[Absence], now: datetime) -> tuple[Absence, ...]:
    """Return an account's absences after a return: the current one ends, and later ones are called off (4.5)."""
    return tuple(Absence(one.announced_at, one.begins, min(one.ends, now)) for one in absences if one.begins <= now)


def away_at(absences: Iterable[Absence], at: datetime) -> Absence | None:
    """Return the absence that includes an instant, if any."""
    return next((one for one in absences if one.begins <= at < one.ends), None)


def used_in(year: int, absence: Absence) -> timedelta:
    """Return the time that an absence takes in a calendar year, in UTC (4.4)."""
    begin, end = absence.cost
    first, last = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    return max(timedelta(), min(end, last) - max(begin, first))


def days(first: date | None, last: date, zone: str, now: datetime) -> Period:
    """Return the times of an absence that is given in days of a zone, including the last day (4.1).

    If `first` is None, or today, it begins as soon as possible.
    """
    is_soon = first is None or first == now.astimezone(zone_of(zone)).date()
    return Period(None if first is None or is_soon else _begin(first, zone), _begin(last + _DAY, zone), zone)


def of_this_year(absences: Iterable[Absence], now: datetime) -> list[Absence]:
    """Return the absences that use up a part of this calendar year (UTC) or a later one, in their order."""
    return [one for one in in_order(absences) if one.cost[1] > datetime(now.year, 1, 1, tzinfo=UTC)]


def in_order(absences: Iterable[Absence]) -> Sequence[Absence]:
    """Return absences in the order in which they begin."""
    return sorted(absences, key=lambda one: one.begins)


def _whole(at: datetime) -> datetime:
    """Return an instant cut to whole milliseconds (1.1)."""
    return at - timedelta(microseconds=at.microsecond % 1000)


def _begin(day: date, zone: str) -> datetime:
    """Return the first instant of a day, even if its midnight is skipped or occurs twice."""
    return datetime.combine(day, time(), zone_of(zone)).astimezone(UTC)
