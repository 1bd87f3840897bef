"""Run a transaction again that Postgres broke off for the sake of another one: a deadlock, or a serialization failure.

The victim is rolled back as a whole, so nothing of it was done, and the others go on. Hardly any deadlock happens: the
docstring of `service.store.unit` has the order of locks that prevents them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import psycopg
import structlog
from sqlalchemy.exc import DBAPIError

from service import metrics

TRIES = 4
"""How often a transaction is run at most."""

_SQLSTATES = frozenset({"40001", "40P01"})  # serialization_failure, deadlock_detected

_log = structlog.get_logger(__name__)

Result = TypeVar("Result")


def is_broken(error: Exception) -> bool:
    """Return whether an error says that the whole transaction was rolled back and can be run again."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return isinstance(cause, psycopg.Error) and cause.sqlstate in _SQLSTATES


def run(transaction: Callable[[], Result], may_repeat: Callable[[], bool] = lambda: True) -> Result:
    """Return the result of `transaction()`, which is called again, up to `TRIES` times, if it was broken off.

    `may_repeat` says after a failure whether nothing that it did has been committed.

    Raises:
        psycopg.Error, DBAPIError: it was broken off each time, or failed otherwise.
    """
    for _ in range(TRIES - 1):
        try:
            return transaction()
        except (psycopg.Error, DBAPIError) as error:
            if not is_broken(error) or not may_repeat():
                raise
            _log.info("transaction run again", why=type(getattr(error, "orig", error)).__name__)
            metrics.transaction_repeated()
    return transaction()
