"""Compute the time in which a clock runs, given the times in which it stands still (CLOCKS.md 1.4, 1.5, 6.2). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from service.clocks.quiet_times import Interval

_NOTHING = timedelta()


def charged(still: Iterable[Interval], since: datetime, until: datetime) -> timedelta:
    """Return the time between two instants in which a clock ran.

    Args:
        still: the times in which it stood still, by beginning; they may overlap (2.2) and be without end.
        since: the first instant.
        until: the second; nothing is charged if it is not later.
    """
    total, at = _NOTHING, since
    for begin, end in still:
        if begin >= until:
            break
        if begin > at:
            total += begin - at
        at = max(at, end)
    return total + max(_NOTHING, until - at)


def reached(still: Iterable[Interval], since: datetime, amount: timedelta) -> datetime:
    """Return the first instant at which this amount of time is charged.

    Args:
        still: as in `charged`.
        since: the instant from which time is charged; it is the answer if the amount is zero or less.
        amount: the time for which the clock has to run.
    """
    if amount <= _NOTHING:
        return since
    at = since
    for begin, end in still:
        if begin > at:
            if amount <= begin - at:
                break
            amount -= begin - at
        at = max(at, end)
    return at + amount
