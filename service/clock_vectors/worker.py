"""The worker of a vector, which looks for due work at each instant at which there is some."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import text

from service.commands import clock_steps
from service.commands.clock_steps import MAIL_HOLDS
from service.jobs import deadlines
from service.jobs.worker_context import WorkerContext
from service.store import signs

# A part that works has given signs all the time.
_SIGNED = text("""
    INSERT INTO service_signs (part, at) VALUES (:part, :at) ON CONFLICT (part) DO UPDATE SET at = excluded.at
""")


@contextmanager
def _bots_as_told() -> Iterator[None]:
    """Leave the moves of bots to the events of the vector during the block, however late they are."""
    usual = clock_steps.BOT_IS_LATE
    clock_steps.BOT_IS_LATE = timedelta(days=3650)
    try:
        yield
    finally:
        clock_steps.BOT_IS_LATE = usual


class VectorWorker:
    """A worker whose time is passed in; while its own part fails, it does not look.

    Attributes:
        now: the time.
        context: the context of its jobs, at that time.
    """

    def __init__(self, context: WorkerContext, now: datetime) -> None:
        self.now = now
        self.context = replace(context, clock=lambda: self.now)
        self._failing: dict[str, datetime] = {}

    def fails(self, parts: Iterable[str]) -> None:
        """Let parts of the service fail from now on."""
        self._failing |= dict.fromkeys(parts, self.now)
        self._sign_all()

    def works(self, parts: Iterable[str]) -> None:
        """Let parts of the service work again, and give a sign of life."""
        for part in parts:
            self._failing.pop(part, None)
            with self.context.sessions.begin() as session:
                signs.sign(session, part, self.now)

    def go_on_until(self, instant: datetime) -> None:
        """Advance the time to this instant, and look at each instant before it at which something is due."""
        while (due := self._due_next()) is not None and due < instant:
            self.now = max(due, self.now)
            self.look()
        self.now = instant

    def look(self) -> None:
        """Look for due work now."""
        if self._is_able():
            self._sign_all()
            with _bots_as_told():
                deadlines.look(self.context)

    def _is_able(self) -> bool:
        return not {signs.WORKER, signs.DATABASE} & set(self._failing)

    def _due_next(self) -> datetime | None:
        """Return the next time at which something is due, later than the last look; None if nothing is."""
        if not self._is_able():
            return None
        with self.context.session() as session:
            step = session.scalar(text("SELECT min(clock_due_at) FROM progress"))
            mail = session.scalar(text("SELECT min(due_at) FROM reminders WHERE sent_at IS NULL"))
        if step is not None and step <= self.now:  # a mail holds it up, or a part fails
            step = step + MAIL_HOLDS if step + MAIL_HOLDS > self.now and not self._failing else None
        if mail is not None and mail <= self.now:
            mail = None
        return min((at for at in (step, mail) if at is not None), default=None)

    def _sign_all(self) -> None:
        """Store the last sign of life of each part: now, or when it began to fail."""
        with self.context.sessions.begin() as session:
            for part in (*signs.PARTS, signs.DATABASE):
                session.execute(_SIGNED, {"part": part, "at": self._failing.get(part, self.now)})
