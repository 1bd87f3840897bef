"""The CPU time of some work; wall-clock time would tell more about the machine."""

from __future__ import annotations

import time
from collections.abc import Callable

MOST = 0.5
"""Seconds of CPU that one input of a stranger may cost."""

_TRIES = 3
_MARGIN = 0.8
"""The share of `MOST` up to which a projection is trusted."""


def cpu(work: Callable[[], object]) -> float:
    """Return the seconds of CPU that work takes: of a few tries, the least, unless one is within the limit."""
    least = float("inf")
    for _ in range(_TRIES):
        began = time.thread_time()
        work()
        least = min(least, time.thread_time() - began)
        if least < MOST:
            break
    return least


def dear(work: Callable[[int], object], size: int) -> float | None:
    """Return the seconds of CPU that work takes at its whole size if that is too much, or None.

    The whole size is tried only if a sixteenth and a fourth of it do not show that it must be cheap: together they tell
    how the cost grows, as a part that grows with the size and one that grows with its square.
    """
    sixteenth, fourth = cpu(lambda: work(size // 16)), cpu(lambda: work(size // 4))
    if _projected(sixteenth, fourth) < MOST * _MARGIN:
        return None
    cost = cpu(lambda: work(size))
    return cost if cost >= MOST else None


def _projected(sixteenth: float, fourth: float) -> float:
    """Return the cost of the whole, from those of two parts."""
    squared = max(0.0, fourth - 4 * sixteenth) * 64 / 3
    return 4 * fourth + squared * 3 / 4
