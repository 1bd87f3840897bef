"""Announced absences: how long they may be, when they begin to count, and what a return ends (CLOCKS.md 4). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

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


def announce(earlier: Iterable[Absence], since: datetime | None, until: datetime, now: datetime) -> Absence:
    """Return the absence that an account announces now.

    If it would begin less than 12 hours from now, it is moved to then (4.2).

    Args:
        earlier: the account's absences that were announced before and not called off.
        since: when it begins; None for as soon as possible.
        until: when it ends.
        now: the current time.

    Raises:
        ClockError: it is not allowed; code `past`, `too_short`, `too_long`, `overlap` or `allowance`.
    """
    if since is not None and since < now:
        raise ClockError("past", "An absence cannot begin in the past.", "from")
    if until <= (now if since is None else since):
        raise ClockError("too_short", "An absence ends after it begins.", "until")
    now -= timedelta(microseconds=now.microsecond % 1000)
    begins = now + NOTICE if since is None else max(since, now + NOTICE)
    absence = Absence(now, begins, until)
    if until - begins < LEAST:
        raise ClockError(
            "too_short", "An absence lasts 24 hours at least, and counts from 12 hours after its announcement.", "until"
        )
    if until - begins > MOST:
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
    return absence


def prolonged(earlier: Iterable[Absence], since: datetime | None, until: datetime, now: datetime) -> Absence | None:
    """Return the absence that one with these times would prolong (4.3): it begins within that one, and ends later."""
    begins = max(since or now, now + NOTICE)
    within = (one for one in earlier if one.begins <= (since or begins) and begins < one.ends < until)
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


def days(first: date | None, last: date, zone: str) -> tuple[datetime | None, datetime]:
    """Return the beginning and the end of an absence that is given in days of a zone, the last one included (4.1).

    `first` is None if it is to begin as soon as possible.
    """
    return None if first is None else _begin(first, zone), _begin(last + _DAY, zone)


def in_order(absences: Iterable[Absence]) -> Sequence[Absence]:
    """Return absences in the order in which they begin."""
    return sorted(absences, key=lambda one: one.begins)


def _begin(day: date, zone: str) -> datetime:
    """Return the first instant of a day, even if its midnight is skipped or occurs twice."""
    return datetime.combine(day, time(), zone_of(zone)).astimezone(UTC)
