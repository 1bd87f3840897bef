"""The worker: takes jobs from the queue and runs them until it is asked to stop.

It survives nothing by itself: when Postgres goes away it ends, and the supervisor starts it again. What it was doing
then is done again (`service.jobs.housekeeping`).
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from procrastinate import App, PsycopgConnector

from service import logs
from service.config import Settings
from service.jobs import deliver, housekeeping
from service.jobs.workshop import Workshop, sessions
from service.mail.post import post
from service.store.connecting import WORK, connect_args

CONCURRENCY = 4
"""Jobs at once: enough that a slow relay doesn't hold up housekeeping, few enough to be kind to it."""

_POLLING = 2.0
"""Seconds between looks for jobs that have become due; a new one wakes the worker at once."""

_CONNECTIONS = 4
"""Of the queue itself: one listens for new jobs, the others take and mark them."""


def run(settings: Settings) -> None:
    """Work until TERM or INT; jobs that run then are finished first. Sets up this process' logging."""
    logs.configure()
    workshop = Workshop(settings, sessions(settings, CONCURRENCY), post(settings), lambda: datetime.now(UTC))
    asyncio.run(work(workshop))


async def work(workshop: Workshop, *, until_idle: bool = False) -> None:
    """Work with these means; `until_idle` ends it when no job is due."""
    app = make_app(workshop)
    async with app.open_async():
        await app.run_worker_async(
            concurrency=CONCURRENCY,
            wait=not until_idle,
            fetch_job_polling_interval=_POLLING,
            install_signal_handlers=not until_idle,
            listen_notify=not until_idle,
            update_heartbeat_interval=housekeeping.HEARTBEAT,
            stalled_worker_timeout=housekeeping.STALLED,
        )


def make_app(workshop: Workshop) -> App:
    """The queue's application with all tasks that there are; not open yet."""
    connector = PsycopgConnector(
        conninfo=workshop.settings.database_url,
        min_size=1,
        max_size=_CONNECTIONS,
        kwargs=connect_args(workshop.settings, WORK, "novaluna queue"),
    )
    app = App(connector=connector)
    deliver.register(app, workshop)
    housekeeping.register(app, workshop)
    return app
