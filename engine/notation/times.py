"""The times of a text: read in several forms, kept in a record's."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from engine.record import stamp

_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T|[ \t]+)([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{3}))?Z", re.IGNORECASE
)


def read_time(text: str) -> str | None:
    """Return a time in a record's form, or None if it is not a time, or its date does not exist.

    >>> read_time("2026-11-27 20:56:00Z")
    '2026-11-27T20:56:00.000Z'
    """
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second, milli = (int(number or 0) for number in found.groups())
    try:
        return stamp(datetime(year, month, day, hour, minute, second, milli * 1000, tzinfo=UTC))
    except ValueError:
        return None
