"""What the worker does by the clock: close old tables, throw away what has expired, take up what a dead worker left.

Of several workers one does each; procrastinate's periodic jobs see to that.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import structlog
from procrastinate import App, JobContext
from procrastinate.exceptions import ConnectorException

from service.commands import tables
from service.jobs.life import STALLED
from service.jobs.workshop import Workshop
from service.store import accounts, idempotency, rate_limits

_HOURLY = "7 * * * *"
_EVERY_15_SECONDS = "* * * * * */15"
_URGENT = 10
_KEPT = timedelta(hours=1)
_FAILED_KEPT = timedelta(days=7)

_log = structlog.get_logger(__name__)


def register(app: App, workshop: Workshop) -> None:
    """Make the periodic tasks known to the application."""

    @app.periodic(cron=_HOURLY)
    @app.task(name="close_old_tables")
    def close_old_tables(timestamp: int) -> None:
        with workshop.sessions.begin() as session:
            closed = tables.close_expired(session, workshop.clock())
        _log.info("old tables closed", count=closed)

    @app.periodic(cron=_HOURLY)
    @app.task(name="purge")
    def purge(timestamp: int) -> None:
        with workshop.sessions.begin() as session:
            now = workshop.clock()
            idempotency.purge(session, now)
            accounts.purge_tokens(session, now)
            accounts.purge_codes(session, now)
            rate_limits.purge(session, now)

    @app.periodic(cron=_HOURLY)
    @app.task(name="purge_jobs", pass_context=True)
    async def purge_jobs(context: JobContext, timestamp: int) -> None:
        manager = context.app.job_manager
        await manager.delete_old_jobs(nb_hours=_hours(_KEPT))
        await manager.delete_old_jobs(
            nb_hours=_hours(_FAILED_KEPT), include_failed=True, include_cancelled=True, include_aborted=True
        )

    @app.periodic(cron=_EVERY_15_SECONDS)
    @app.task(name="take_up_stalled_jobs", pass_context=True, priority=_URGENT)
    async def take_up_stalled_jobs(context: JobContext, timestamp: int) -> None:
        await take_up(context.app)


async def take_up(app: App) -> None:
    """Put the jobs of workers that died back into the queue, to be run at once."""
    for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=STALLED):
        assert job.id is not None, "it is in the database"
        try:
            await app.job_manager.retry_job_by_id_async(job.id, datetime.now(UTC))
        except ConnectorException:  # it was finished, or taken up, between the two statements
            continue
        _log.info("job of a dead worker taken up", task=job.task_name, job=job.id)


def _hours(span: timedelta) -> int:
    return int(span / timedelta(hours=1))
