"""Instants and durations as whole milliseconds, and as the text that the rulings give them (1.1, 1.2)."""

import re
from datetime import UTC, datetime, timedelta

SECOND = 1000
MINUTE = 60 * SECOND
QUARTER = 15 * MINUTE
HOUR = 60 * MINUTE
DAY = 24 * HOUR
NEVER = 10**18

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?)?")


def instant(text: str) -> int:
    """Return the milliseconds since 1970 of an instant such as `2026-05-04T10:00:00.000Z`."""
    return (datetime.fromisoformat(text) - EPOCH) // timedelta(milliseconds=1)


def stamp(at: int) -> str:
    """Return an instant as the text that logs and views have."""
    moment = EPOCH + timedelta(milliseconds=at)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at % SECOND:03d}Z"


def duration(text: str) -> int:
    """Return the milliseconds of an ISO 8601 duration in days, hours and minutes."""
    found = DURATION.fullmatch(text)
    assert found, f"{text} is no duration"
    days, hours, minutes = (int(part or 0) for part in found.groups())
    return days * DAY + hours * HOUR + minutes * MINUTE


def shortest(length: int) -> str:
    """Return a duration in its shortest form, cut to whole minutes (1.2, 10.3)."""
    days, rest = divmod(length, DAY)
    hours, rest = divmod(rest, HOUR)
    minutes = rest // MINUTE
    date = f"{days}D" if days else ""
    time = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
    if not date and not time:
        return "PT0M"
    return f"P{date}" + (f"T{time}" if time else "")
