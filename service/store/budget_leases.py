"""Lease parts of budgets of requests from the table of rate limits, which all processes share."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import psycopg
import structlog

from service.access.request_budgets import Lease
from service.access.secrets import digest
from service.errors import Policy
from service.store.autocommit_pool import Statements

_LEASE = """
    INSERT INTO rate_limits AS counter (key, count, expires_at)
    VALUES (%(key)s, %(wanted)s::integer, %(expires_at)s)
    ON CONFLICT (key) DO UPDATE SET
        count = CASE WHEN counter.expires_at <= %(now)s THEN excluded.count ELSE counter.count + excluded.count END,
        expires_at = CASE WHEN counter.expires_at <= %(now)s THEN excluded.expires_at ELSE counter.expires_at END
    RETURNING count, expires_at
"""

_log = structlog.get_logger(__name__)


def leasing(
    store: Statements, key: str, policy: Policy, clock: Callable[[], datetime]
) -> Callable[[bytes, int], Lease]:
    """Return a function that leases a part of a subject's budget.

    The window of a budget begins with its first lease. While the database is away everything is granted: what needs
    the database is refused anyway, and nothing else should be.

    Args:
        store: runs statements, each as a transaction of its own.
        key: a secret key. Subjects are stored only as HMACs made with it.
        policy: the name of the budget, its amount and its seconds.
        clock: returns the time, in UTC.
    """
    span = timedelta(seconds=policy.seconds)

    def lease(subject: bytes, wanted: int) -> Lease:
        now = clock()
        row = f"budget/{policy.name}/{digest(key, 'limit', subject.hex()).hex()}"
        arguments = {"key": row, "wanted": wanted, "now": now, "expires_at": now + span}
        try:
            count, ends = store.write(_LEASE, arguments, wakes=False)
        except psycopg.Error as error:
            _log.warning("a budget could not be counted", exc_info=error)
            return Lease(wanted, policy.amount, policy.seconds)
        granted = max(0, min(wanted, policy.amount - (count - wanted)))
        return Lease(granted, max(0, policy.amount - count), (ends - now).total_seconds())

    return lease
