"""Time zones of the IANA database, by name."""

from __future__ import annotations

from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

_NO_PLACES = {"Factory", "localtime"}
_UTC = "UTC"


@cache
def zones() -> frozenset[str]:
    """Return the names of all zones that this machine knows."""
    return frozenset(available_timezones() - _NO_PLACES)


@cache
def zone(name: str) -> ZoneInfo:
    """Return the zone of this name; UTC if the machine does not know it.

    A name that was right when it was set can be gone from the data of the next machine, and what it is needed for, a
    mail or an account's page, is better told in UTC than not at all.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo(_UTC)
