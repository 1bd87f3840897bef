"""The times at which failed jobs are retried."""

from __future__ import annotations

from procrastinate import BaseRetryStrategy, RetryDecision, RetryStrategy
from procrastinate.jobs import Job

from service.mail.failures import Held, PermanentFailure
from service.store.job_claims import AGAIN

_FIRST, _LONGEST, _IN_ALL = 30, 2 * 60 * 60, 48 * 60 * 60


def _delays() -> tuple[int, ...]:
    delays: list[int] = []
    while sum(delays) < _IN_ALL:
        delays.append(min(_FIRST * 2 ** len(delays), _LONGEST))
    return tuple(delays)


DELAYS = _delays()
"""Seconds before each retry: 30, doubled up to two hours, for two days in total."""


SOON = RetryStrategy(max_attempts=4, exponential_wait=4)
"""The delays of periodic tasks: 4, 16, 64 and 256 seconds, so that a short outage of the database costs no period."""


def is_last(job: Job) -> bool:
    """Return whether no retry follows on this attempt."""
    return job.attempts >= len(DELAYS)


class BackOff(BaseRetryStrategy):
    """A strategy that retries for two days after any failure but a permanent refusal by the relay."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Return the time of the next attempt; None if there is none."""
        if isinstance(exception, Held):  # the queue's manager knows for which domain
            return RetryDecision(retry_in={"seconds": 0})
        if isinstance(exception, PermanentFailure) or is_last(job):
            return None
        return RetryDecision(retry_in={"seconds": DELAYS[job.attempts]}, priority=AGAIN)
