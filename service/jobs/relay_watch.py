"""Record for all workers whether the mail server accepts mail."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from service.jobs.worker_context import WorkerContext
from service.store import relay_state

_TOLD_AGAIN = 10.0
"""Seconds after which an unchanged state is written again, as another worker may have written another one."""

_log = structlog.get_logger(__name__)


class RelayWatch:
    """A memory of the last recorded state, so that not every mail writes a row."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._told: tuple[bool, float] | None = None

    def works(self, context: WorkerContext) -> None:
        """Record that the mail server has accepted a mail."""
        self._tell(context, True, relay_state.works)

    def fails(self, context: WorkerContext) -> None:
        """Record that it has not, for a reason that may pass."""
        self._tell(context, False, relay_state.fails)

    def _tell(self, context: WorkerContext, works: bool, write: Callable[[Session], None]) -> None:
        if context.settings.smtp_url is None:
            return
        now = time.monotonic()
        with self._lock:
            if self._told is not None and self._told[0] == works and now - self._told[1] < _TOLD_AGAIN:
                return
            self._told = works, now
        try:
            with context.session() as session:
                write(session)
        except (DBAPIError, PoolTimeout) as error:  # the mail's own outcome matters more, and is recorded separately
            with self._lock:
                self._told = None
            _log.warning("the state of the mail server was not put down", why=type(error).__name__)
