"""The periodic tasks: close old tables, erase guests and what else has expired, and requeue the jobs of dead workers.

One of several workers runs each of them, which procrastinate's periodic jobs ensure.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import structlog
from procrastinate import App, JobContext
from procrastinate.exceptions import ConnectorException, UniqueViolation
from procrastinate.jobs import Job, Status
from sqlalchemy.orm import Session

from service.commands import guests, tables
from service.jobs.backoff import DELAYS, SOON, is_last
from service.jobs.heartbeat import STALLED
from service.jobs.manager import Manager
from service.jobs.worker_context import WorkerContext
from service.mail.failures import TransientFailure
from service.store import (
    accounts,
    bounces,
    deliveries,
    events,
    idempotency,
    incoming,
    invitations,
    mail_domains,
    queue,
    rate_limits,
    reminders,
    signs,
    slots,
)
from service.store.batches import Batch
from service.store.purging import PIECE, in_pieces

_HOURLY = "7 * * * *"
_EVERY_15_SECONDS = "* * * * * */15"
_URGENT = 10
_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
"""A due time in the past by any clock, so that the job runs at once."""

_AT_ONCE = 4
"""The attempts after which a job of a dead worker waits before the next: it may be what its workers die of."""

_KEPT = timedelta(hours=1)
_FAILED_KEPT = timedelta(days=7)
_CLOSED_AT_ONCE = 100
_ERASED_AT_ONCE = 20

_PURGES: dict[str, Callable[[Session, datetime, int], int]] = {
    "idempotency": idempotency.purge,
    "tokens": accounts.purge_tokens,
    "codes": accounts.purge_codes,
    "rate_limits": rate_limits.purge,
    "deliveries": deliveries.purge,
    "bounces": bounces.purge,
    "incoming": incoming.purge,
    "reminders": reminders.purge,
    "failures": signs.purge,
    "events": events.purge,
    "invitation_links": invitations.purge_links,
    "slot_processes": slots.purge,
    "mail_domains": mail_domains.purge,
}

_log = structlog.get_logger(__name__)


def register(app: App, context: WorkerContext) -> None:
    """Register the periodic tasks with the application."""

    @app.periodic(cron=_HOURLY)
    @app.task(name="close_old_tables", retry=SOON)
    def close_old_tables(timestamp: int) -> None:
        batch = Batch("close_old_tables")
        close = partial(tables.close_expired, batch=batch)
        closed = in_pieces(context.sessions, close, context.clock(), _CLOSED_AT_ONCE)
        _log.info("old tables closed", count=closed - len(batch.aside))

    @app.periodic(cron=_HOURLY)
    @app.task(name="erase_guests", retry=SOON)
    def erase_guests(timestamp: int) -> None:
        batch = Batch("erase_guests")
        erase = partial(_erase_guests, context, batch)
        erased = in_pieces(context.sessions, erase, context.clock(), _ERASED_AT_ONCE)
        _log.info("guests erased", count=erased - len(batch.aside))

    @app.periodic(cron=_HOURLY)
    @app.task(name="purge", retry=SOON)
    def purge(timestamp: int) -> None:
        now = context.clock()
        in_pieces(context.sessions, mail_domains.release_late, now)
        batch = Batch("purge")
        for table, purged in _PURGES.items():
            count = batch.attempt(table, partial(in_pieces, context.sessions, purged, now))
            _log.info("expired rows deleted", table=table, count=count)
        if batch.aside:
            raise TransientFailure(
                f"not all expired rows could be deleted: {len(batch.aside)} of {len(_PURGES)} tables"
            )

    @app.periodic(cron=_HOURLY)
    @app.task(name="purge_jobs", retry=SOON)
    def purge_jobs(timestamp: int) -> None:
        _log.info("expired rows deleted", table="procrastinate_jobs", count=_purge_jobs(context))

    @app.periodic(cron=_EVERY_15_SECONDS)
    @app.task(name="take_up_stalled_jobs", retry=SOON, pass_context=True, priority=_URGENT, queue=queue.URGENT)
    async def take_up_stalled_jobs(running: JobContext, timestamp: int) -> None:
        await take_up(running.app)


def _erase_guests(context: WorkerContext, batch: Batch, session: Session, now: datetime, most: int) -> int:
    return guests.erase_over(session, context.settings.secret_keys, now, most, batch)


def _purge_jobs(context: WorkerContext) -> int:
    """Delete old jobs, looking at all of them, since those that are kept longer are among the others."""
    last: int | None = 0
    gone = 0
    while last is not None:
        with context.sessions.begin() as session:
            last, count = queue.purge(session, last, PIECE, done_for=_KEPT, failed_for=_FAILED_KEPT)
        gone += count
    return gone


async def take_up(app: App) -> None:
    """Requeue the jobs of dead workers: the first few times to be run at once, then later and later, then no more."""
    manager = app.job_manager
    assert isinstance(manager, Manager), "worker.make_app gives each app one"
    for job in await manager.get_stalled_jobs(seconds_since_heartbeat=STALLED):
        assert job.id is not None, "it is in the database"
        try:
            try:
                if is_last(job):
                    await manager.finish_job_by_id_async(job.id, Status.FAILED, delete_job=False)
                    _log.error("a job was given up: its workers died each time", task=job.task_name, job=job.id)
                    continue
                await manager.retry_job_by_id_async(job.id, _again_at(job, manager))
            except UniqueViolation:
                await manager.drop(job)
                continue
        except ConnectorException:  # it was finished, or requeued, between the two statements
            continue
        _log.info("stalled job requeued", task=job.task_name, job=job.id)


def _again_at(job: Job, manager: Manager) -> datetime:
    """Return when to run a job of a dead worker again, by the database's clock."""
    if job.attempts < _AT_ONCE:
        return _LONG_AGO
    return datetime.now(UTC) + manager.skew() + timedelta(seconds=DELAYS[job.attempts - _AT_ONCE])
