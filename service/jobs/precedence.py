"""Let what is due at its minute go before the jobs that can wait, which share the process's time with it.

A step of a clock takes a few milliseconds and brings a mail to each player, which takes many times as long. Workers
that began with the mails of the first steps would come late with the last ones. So a worker takes no ordinary job while
it does what is due, though never for longer than `LONGEST`: then ordinary jobs get as long themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

LONGEST = 20.0
"""The most seconds in a row for which ordinary jobs are held back, and the least that they get after that."""


class Precedence:
    """The precedence of one process's due work over its ordinary jobs. Threads may share it.

    Args:
        clock: returns seconds that never go back.
        released: is called when jobs that were held back may be taken again.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, released: Callable[[], object] = lambda: None
    ) -> None:
        self._clock = clock
        self._released = released
        self._lock = Lock()
        self._at = clock()
        self._left = LONGEST
        self._is_holding = self._is_spent = self._held_any = False

    @contextmanager
    def over_jobs(self) -> Iterator[None]:
        """Hold ordinary jobs back during the block, as long as that is allowed."""
        self._set(holding=True)
        try:
            yield
        finally:
            if self._set(holding=False):
                self._released()

    def holds_back(self) -> bool:
        """Return whether an ordinary job that is to be taken now must wait."""
        with self._lock:
            self._count()
            held = self._is_holding and not self._is_spent
            self._held_any = self._held_any or held
            return held

    def _set(self, *, holding: bool) -> bool:
        """Begin or end to hold back; return whether a job was held back since this was last called."""
        with self._lock:
            self._count()
            self._is_holding = holding
            held, self._held_any = self._held_any, False
            return held

    def _count(self) -> None:
        """Take the time that has passed from what is left, or add it; what was used up must be whole again first."""
        now = self._clock()
        passed, self._at = now - self._at, now
        if self._is_holding and not self._is_spent:
            self._left = max(self._left - passed, 0)
            self._is_spent = self._left == 0
        else:
            self._left = min(self._left + passed, LONGEST)
            self._is_spent = self._is_spent and self._left < LONGEST
