"""When a job that failed is tried again."""

from __future__ import annotations

from procrastinate import BaseRetryStrategy, RetryDecision, RetryStrategy
from procrastinate.jobs import Job

from service.mail.failures import PermanentFailure

_FIRST, _LONGEST, _IN_ALL = 30, 2 * 60 * 60, 48 * 60 * 60


def _delays() -> tuple[int, ...]:
    delays: list[int] = []
    while sum(delays) < _IN_ALL:
        delays.append(min(_FIRST * 2 ** len(delays), _LONGEST))
    return tuple(delays)


DELAYS = _delays()
"""Seconds before each further try: 30, doubled up to two hours, over two days in all."""


SOON = RetryStrategy(max_attempts=4, exponential_wait=4)
"""For what is done by the clock and comes again by itself: after 4, 16, 64 and 256 seconds, so that a database that was
away for a moment costs no turn."""


def is_last(job: Job) -> bool:
    """Whether no further try follows on this one."""
    return job.attempts >= len(DELAYS)


class BackOff(BaseRetryStrategy):
    """Tries again over two days whatever went wrong, but for what the relay refused for good."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """The time of the next try; None when there is none."""
        if isinstance(exception, PermanentFailure) or is_last(job):
            return None
        return RetryDecision(retry_in={"seconds": DELAYS[job.attempts]})
