"""Send to each destination domain no more mails than it may get, with all workers together (`NOVALUNA_MAIL_LIMITS`).

A mail that is over a limit, or goes to a domain that has asked for fewer mails, is held in the queue, and its worker
takes another one. The database counts (`service.store.mail_domains`). Where no limit is set, a mail costs no statement:
a process only reads once a second which domains are to be watched.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import TypeVar

import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session

from service.jobs.worker_context import WorkerContext
from service.mail.failures import Held
from service.mail_limits import UNLIMITED
from service.store import mail_domains

_FRESH = 1.0
"""Seconds for which the watched domains are remembered."""

_AWAITED = frozenset({"mail_code"})
"""Tasks that somebody is waiting for: their mails count, but are sent whatever the limit."""

_T = TypeVar("_T")

_log = structlog.get_logger(__name__)


class MailTraffic:
    """The mails of one process to all domains. Threads may share it.

    Attributes:
        admitted: the domain that a running job was admitted to when it was claimed, by its id.
        held: the key of the domain that a running job is to be held for, by its id.
    """

    def __init__(self) -> None:
        self.admitted: dict[int, str] = {}
        self.held: dict[int, int] = {}
        self._lock = Lock()
        self._watched: frozenset[str] = frozenset()
        self._looked = float("-inf")

    def admit(self, context: WorkerContext, job: int, task: str, address: str) -> bool:
        """Return whether a mail of a job may be sent to this address now; False if it is too late for it.

        Raises:
            Held: it may be sent later.
        """
        limits = context.settings.mail_limits
        domain = limits.domain(address)
        if self.admitted.pop(job, None) == domain:
            return True
        limit = limits.of(domain)
        if limit == UNLIMITED and domain not in self._watching(context):
            return True
        with context.session() as session:
            admission = mail_domains.admit(session, domain, limit, job, anyway=task in _AWAITED)
            if admission.admitted or admission.is_late:
                return admission.admitted
            mail_domains.hold_waiting(session, job, admission.key, limits.aliases)
        self.held[job] = admission.key
        raise Held

    def fails(self, context: WorkerContext, address: str, begun: float) -> None:
        """Record that a domain has asked for fewer mails; `begun` is the monotonic time at which the sending began."""
        domain = context.settings.mail_limits.domain(address)
        lasts = self._record(context, lambda session: mail_domains.fails(session, domain, time.monotonic() - begun))
        with self._lock:
            self._watched |= {domain}
        if lasts is not None:
            named = domain if domain in context.settings.mail_limits.limits else "not named in NOVALUNA_MAIL_LIMITS"
            _log.warning("a domain gets no mail for a while", domain=named, seconds=round(lasts))

    def works(self, context: WorkerContext, address: str, begun: float) -> None:
        """Record that a domain has taken a mail, if it was watched."""
        domain = context.settings.mail_limits.domain(address)
        try:
            is_watched = domain in self._watching(context)
        except (DBAPIError, PoolTimeout):
            return
        if is_watched:
            self._record(context, lambda session: mail_domains.works(session, domain, time.monotonic() - begun))

    def _watching(self, context: WorkerContext) -> frozenset[str]:
        now = time.monotonic()
        with self._lock:  # also while it is read, as nobody may take what is not known yet for none
            if now - self._looked >= _FRESH:
                with context.session() as session:
                    self._watched = mail_domains.watched(session)
                self._looked = now
            return self._watched

    def _record(self, context: WorkerContext, write: Callable[[Session], _T]) -> _T | None:
        try:
            with context.session() as session:
                return write(session)
        except (DBAPIError, PoolTimeout) as error:  # the mail's own outcome matters more, and is recorded separately
            _log.warning("could not record the state of a domain", why=type(error).__name__)
            return None
