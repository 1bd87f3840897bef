"""Look up time zones of the IANA database by name."""

from __future__ import annotations

from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

_NO_PLACES = {"Factory", "localtime"}
_UTC = "UTC"


@cache
def zones() -> frozenset[str]:
    """Return the names of all zones that this machine knows."""
    return frozenset(available_timezones() - _NO_PLACES)


def known(name: str) -> str:
    """Return the name of a zone if this machine knows it, and otherwise that of UTC."""
    return name if name in zones() else _UTC


@cache
def zone(name: str) -> ZoneInfo:
    """Return the zone of this name, or UTC if the machine does not know it.

    A name that was valid when it was set may be missing on the next machine. A mail or an account's page in UTC is
    better than none.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo(_UTC)
