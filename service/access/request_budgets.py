"""Budgets of requests, which each process counts by itself as far as it can.

A budget is so many requests of one subject, such as an access token, in a window of time. All processes share it, but
a statement for each request would cost more than many a request. So a process leases a part of the budget (`LEASED`)
at a time and counts that down. The more of the budget is spent, the smaller the parts become. The first few requests
of a window (`UNCOUNTED`) need no lease: they are counted with the first one, if it comes to that.

So a subject makes no more requests than its budget and, for each process beyond the first, `UNCOUNTED` of it; a small
budget has no such part, and is exact. Whoever asks several processes may be refused a little earlier, since what one of
them has leased is not given back.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from service.errors import Policy

LEASED = 20
"""The part of a budget that is leased at a time is one of so many."""

UNCOUNTED = 100
"""The part of a budget that a process lets through without a lease is one of so many."""

_SHRINKING = 8
_MOST_SUBJECTS = 20_000


class Lease(NamedTuple):
    """A part of a budget that was given to a process.

    Attributes:
        granted: the number of requests, from 0 to as many as were asked for.
        rest: the number of requests that are left for all processes.
        seconds: the seconds until the window ends.
    """

    granted: int
    rest: int
    seconds: float


class BudgetStanding(NamedTuple):
    """The standing of a subject after a request.

    Attributes:
        is_allowed: whether the request was allowed.
        left: the number of requests that are left in the window.
        seconds: the whole seconds until the window ends.
    """

    is_allowed: bool
    left: int
    seconds: int


class _Window:
    """The current window of a subject, as this process knows it.

    Attributes:
        ends: when it ends, by the process's clock.
        uncounted: the number of requests that the shared budget does not know of.
        is_shared: whether a part was leased, so that the budget knows of this process.
        leased: the number of requests that are left of what was leased.
        rest: the number of requests that were left for all processes at the last lease.
    """

    __slots__ = ("ends", "is_shared", "leased", "rest", "uncounted")

    def __init__(self, ends: float, amount: int) -> None:
        self.ends = ends
        self.uncounted = self.leased = 0
        self.rest = amount
        self.is_shared = False


class RequestBudget:
    """The budget of each subject of a kind, as one process counts it.

    Requests are greenlets, which switch only while a part is leased, so nothing is locked.

    Args:
        policy: the name of the budget, its amount and its seconds.
        lease: leases a part of a subject's budget, and is given the subject and the number of requests.
        clock: returns seconds that never go back.
    """

    def __init__(
        self, policy: Policy, lease: Callable[[bytes, int], Lease], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.policy = policy
        self._lease = lease
        self._clock = clock
        self._part = max(1, policy.amount // LEASED)
        self._uncounted = policy.amount // UNCOUNTED
        self._windows: OrderedDict[bytes, _Window] = OrderedDict()

    @property
    def is_exact(self) -> bool:
        """True if not even the first request is allowed without a lease."""
        return self._uncounted == 0

    def knows(self, subject: bytes) -> bool:
        """Return whether a subject has made a request recently."""
        return subject in self._windows

    def take(self, subject: bytes) -> BudgetStanding:
        """Count a request, if it is allowed."""
        now = self._clock()
        window = self._windows.get(subject)
        if window is None or now >= window.ends:
            window = self._begin(subject, now)
        is_allowed = True
        if window.leased:
            window.leased -= 1
        elif not window.is_shared and window.uncounted < self._uncounted:
            window.uncounted += 1
        else:
            is_allowed = window.rest > 0 and self._extend(subject, window, now)
        left = window.leased + window.rest - window.uncounted
        return BudgetStanding(is_allowed, left, max(1, math.ceil(window.ends - now)))

    def _begin(self, subject: bytes, now: float) -> _Window:
        windows = self._windows
        window = windows[subject] = _Window(now + self.policy.seconds, self.policy.amount)
        windows.move_to_end(subject)
        if len(windows) > _MOST_SUBJECTS:
            windows.popitem(last=False)
        return window

    def _extend(self, subject: bytes, window: _Window, now: float) -> bool:
        """Lease a part for this request, those that were not counted yet, and some to come."""
        owed, window.uncounted = window.uncounted + 1, 0
        part = max(1, min(self._part, window.rest // _SHRINKING))
        window.is_shared = True
        lease = self._lease(subject, owed - 1 + part)
        window.ends = now + lease.seconds
        window.rest = lease.rest
        window.leased += max(0, lease.granted - owed)
        return lease.granted >= owed
