"""Remember where in the queue a worker has found its last job, so that its next claim begins there.

Jobs that are done leave entries in the index, which every claim from the beginning passes until Postgres has removed
them. While a backup runs, or any long transaction, it removes none.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from procrastinate.jobs import Job

FROM_BEGINNING_EVERY = 1.0
"""Seconds between claims from the beginning: a job may appear before the last one, if its transaction took longer."""


class ClaimPosition:
    """The position of one process in the queue of ordinary jobs.

    Args:
        clock: returns seconds that never go back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = 0
        self._looked = float("-inf")

    def begin(self) -> int:
        """Return the least id that the next claim considers; 0 for a claim from the beginning."""
        now = self._clock()
        if now - self._looked < FROM_BEGINNING_EVERY:
            return self._last
        self._looked = now
        return 0

    def found(self, job: Job) -> None:
        """Go on from a job that was claimed, if it is one that the queue has in the order of ids."""
        if job.id is not None and job.priority == 0 and job.scheduled_at is None:
            self._last = job.id
