"""What some work costs, in seconds of the processor: those of the clock on the wall tell more of the machine."""

from __future__ import annotations

import time
from collections.abc import Callable

MOST = 0.5
"""Seconds of CPU that one thing which a stranger sends may cost."""

_TRIES = 3


def cpu(work: Callable[[], object]) -> float:
    """The seconds of CPU that it takes: the least of a few tries, as far as it is not cheap at once."""
    least = float("inf")
    for _ in range(_TRIES):
        began = time.thread_time()
        work()
        least = min(least, time.thread_time() - began)
        if least < MOST / 4:
            break
    return least


def dear(work: Callable[[int], object], size: int) -> float | None:
    """What the work costs at its whole size, if that is too much; None if it is not.

    A fourth of it is tried first: what is so cheap then that it would be cheap even if its cost grew with the square
    need not be tried at all.
    """
    if cpu(lambda: work(size // 4)) < MOST / 16:
        return None
    cost = cpu(lambda: work(size))
    return cost if cost >= MOST else None
