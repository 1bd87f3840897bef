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

_SEVERAL = 3
"""The number of domains that cannot all have a reason of their own to put mails off, without one that takes a mail."""

_REMEMBERED = 60 * 60.0
"""Seconds for which it counts that a domain's mail was put off; one that fails is tried more often."""

_log = structlog.get_logger(__name__)


class RelayWatch:
    """A memory of the last recorded state, so that not every mail writes a row, and of who was put off since then.

    Args:
        clock: returns seconds that never go back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._told: tuple[bool, float] | None = None
        self._put_off: dict[str, float] = {}

    @property
    def refuses_everything(self) -> bool:
        """True if the mail server has put off the mails to several domains lately, and taken none since."""
        with self._lock:
            since = self._clock() - _REMEMBERED
            return sum(at > since for at in self._put_off.values()) >= _SEVERAL

    def works(self, context: WorkerContext) -> None:
        """Record that the mail server has accepted a mail."""
        with self._lock:
            self._put_off.clear()
        self._tell(context, True, relay_state.works)

    def puts_off(self, context: WorkerContext, domain: str) -> None:
        """Record that a mail to a domain was put off; if all are, the mail server fails."""
        with self._lock:
            if len(self._put_off) < _SEVERAL or domain in self._put_off:
                self._put_off[domain] = self._clock()
        if self.refuses_everything:
            self.fails(context)

    def fails(self, context: WorkerContext) -> None:
        """Record that it has not, for a reason that may pass."""
        self._tell(context, False, relay_state.fails)

    def _tell(self, context: WorkerContext, works: bool, write: Callable[[Session], None]) -> None:
        if context.settings.smtp_url is None:
            return
        now = self._clock()
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
            _log.warning("could not record the state of the mail server", why=type(error).__name__)
