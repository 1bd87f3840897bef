"""The offsets of a time zone from UTC, and when they change."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from service.clocks.zones import zone as zone_of

_DAY, _SECOND = timedelta(days=1), timedelta(seconds=1)
_LAST_YEAR = 9998


def offset(name: str, at: datetime) -> timedelta:
    """Return the offset of a zone from UTC at an instant."""
    ahead = at.astimezone(zone_of(name)).utcoffset()
    assert ahead is not None
    return ahead


def stretches(name: str, since: datetime) -> Iterator[tuple[datetime, datetime, timedelta]]:
    """Yield the periods from an instant on in which a zone's offset is the same: begin, end, offset.

    They follow each other without a gap; neighbors may have the same offset, as at the turn of a year.
    """
    for year in range(since.year, _LAST_YEAR):
        for begins, ends, ahead in _of_year(name, year):
            if ends > since:
                yield max(begins, since), ends, ahead


@lru_cache(maxsize=1024)
def _of_year(name: str, year: int) -> tuple[tuple[datetime, datetime, timedelta], ...]:
    found = []
    begins = datetime(year, 1, 1, tzinfo=UTC)
    end = datetime(year + 1, 1, 1, tzinfo=UTC)
    ahead = offset(name, begins)
    for at in [begins + number * _DAY for number in range((end - begins) // _DAY)]:
        later = at + _DAY  # no zone changes its clocks twice within a day
        if offset(name, later) != ahead:
            change = _change(name, at, later, ahead)
            found.append((begins, change, ahead))
            begins, ahead = change, offset(name, change)
    if begins < end:
        found.append((begins, end, ahead))
    return tuple(found)


def _change(name: str, before: datetime, after: datetime, ahead: timedelta) -> datetime:
    """Return the first second with another offset, given an instant before the change and one after it."""
    while after - before > _SECOND:
        middle = before + (after - before) // _SECOND // 2 * _SECOND
        if offset(name, middle) == ahead:
            before = middle
        else:
            after = middle
    return after
