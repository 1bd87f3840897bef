"""Durations in days, hours and minutes, as ISO 8601 writes them (CLOCKS.md 1.2)."""

from __future__ import annotations

import re
from datetime import timedelta

from engine.clock.errors import ClockError
from engine.phrases import named, phrase

_DURATION = re.compile(r"P(?:([0-9]{1,6})D)?(?:T(?=[0-9])(?:([0-9]{1,6})H)?(?:([0-9]{1,6})M)?)?")
_MINUTE = timedelta(minutes=1)


def parse(text: object, field: str = "") -> timedelta:
    """Return the duration that a text such as ``P1DT12H`` stands for (1.2).

    Args:
        text: days, hours and minutes, in this order, each at most once.
        field: the name of the value, for the error.

    Raises:
        ClockError: the text is no duration; code `bad_duration`.
    """
    match = _DURATION.fullmatch(text) if isinstance(text, str) else None
    if match is None or match.lastindex is None:
        raise ClockError(
            "bad_duration",
            phrase(
                "A duration has days, hours and minutes, such as P3D or P1DT12H; this is %(text)s.", text=_cut(text)
            ),
            field,
        )
    days, hours, minutes = (int(number or 0) for number in match.groups())
    return timedelta(days=days, hours=hours, minutes=minutes)


def render(duration: timedelta) -> str:
    """Return the shortest text of a duration, cut to whole minutes (1.2, 10.3); a negative one counts as zero.

    >>> render(timedelta(hours=36))
    'P1DT12H'
    >>> render(timedelta(seconds=59))
    'PT0M'
    """
    minutes = max(0, duration // _MINUTE)
    days, minutes = divmod(minutes, 24 * 60)
    hours, minutes = divmod(minutes, 60)
    time = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
    if not days:
        return f"PT{time or '0M'}"
    return f"P{days}D" + (f"T{time}" if time else "")


def _cut(text: object) -> str:
    return text[:40] if isinstance(text, str) else named(text)
