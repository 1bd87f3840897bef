"""The worker: takes jobs from the queue and runs them until it is asked to stop.

It does not survive much: when Postgres goes away it ends, and the supervisor restarts it. What it was doing then is
done again (`service.jobs.housekeeping`).
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Any

import structlog
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.signals import on_stop
from procrastinate.worker import Worker
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool, PoolTimeout
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoneFree

from service import logs, metrics, metrics_port
from service.commands import checkpoint_policy
from service.config import Settings
from service.jobs import checkpoints, deadlines, deliver, digest, housekeeping, incoming_mail, relay_probe
from service.jobs.heartbeat import Heartbeat, Watchdog
from service.jobs.mail_pictures import HURRY, PICTURE_SECONDS, MailPictures
from service.jobs.mail_traffic import MailTraffic
from service.jobs.manager import Manager, QueueLost
from service.jobs.precedence import Precedence
from service.jobs.relay_watch import RelayWatch
from service.jobs.worker_context import WorkerContext, sessions
from service.language.languages import CODES as CODES_OF_LANGUAGES
from service.language.languages import language
from service.local.liveness import LivenessReporter
from service.mail.relay_group import RelayGroup
from service.mail.smtp_pool import SmtpConnectionPool
from service.mail.transport import make_transport
from service.pictures.renderers import Renderers
from service.store import collation, waking
from service.store.clock import DatabaseClock, by_sessions
from service.store.connecting import WORK, connect_args
from service.store.job_claims import HELD
from service.store.queue import CODES, URGENT
from service.store.timeouts import async_connection_class

CONCURRENCY = 8
"""Concurrent jobs of any kind: enough that waiting for the relay costs nothing, few enough not to overload it."""

_RESERVED = (([CODES], 2), ([URGENT], 2), ([HELD], 8))
"""Additional concurrent jobs of these queues, since a hanging relay, or slow pictures, can block all the others.

Held mails have as many as all others, so that neither keep the others waiting.
"""

LANES = 1 + len(_RESERVED)
"""The number of workers that a process has in the queue."""

POLLING = 2.0
"""Seconds between polls for jobs that have become due; a new job wakes the worker at once."""

_HELD_POLLING = 0.5
"""Seconds between polls for held mails, as nothing tells that a domain has room again."""

_POLLING_UNWOKEN = 0.5
"""Seconds between polls if nothing can wake the worker: a pooler in transaction mode forwards no notifications."""

PLACING = 1.0
"""Seconds between looks for events that nobody announced."""

_CONNECTIONS = 7
"""Connections of the queue: one per worker listens for new jobs, the others take and mark them."""

_RENDERERS = max(1, (os.cpu_count() or 1) // 2)
"""Concurrent pictures: each uses a core, at the lowest priority, and half of the cores are left alone."""

_SPARE_THREADS = 4
_FAILED = 1
_DAY = 24 * 60 * 60.0

_log = structlog.get_logger(__name__)


def run(settings: Settings, *, polling: float | None = None, heartbeat: Heartbeat | None = None) -> None:
    """Run jobs until TERM or INT, then finish those in progress; configures this process's logging.

    If the queue is lost, the process exits with 1, at once if the database does not even answer, and without waiting
    for longer than `heartbeat.SILENCE` for jobs in progress.

    Args:
        settings: the settings.
        polling: seconds between polls for jobs that nobody announced; None: the default.
        heartbeat: this worker's heartbeat; None: the default one.
    """
    checkpoint_policy.check(settings)
    logs.configure_process()
    logging.getLogger("procrastinate").setLevel(logging.WARNING)  # it would log two more lines for each job
    metrics.begin(settings)
    metrics_port.offer(settings)
    for code in CODES_OF_LANGUAGES:  # of this release, as another's files may be put in their place
        language(code)
    mails = make_transport(settings)
    renderers = Renderers(_RENDERERS, CONCURRENCY, PICTURE_SECONDS, hurry=HURRY)
    pictures = MailPictures(renderers) if settings.mail_pictures else None
    make_session = sessions(settings, CONCURRENCY)
    context = WorkerContext(settings, make_session, mails, by_sessions(make_session), pictures)
    waker = waking.Waker(settings, places_every=PLACING)
    waker.start()
    waking.use(waker)
    _look_at_collation(context)
    heartbeat = heartbeat or Heartbeat()
    watchdog = Watchdog(heartbeat)
    watchdog.start()
    try:
        asyncio.run(_work(context, heartbeat, polling))
    except (ConnectorException, PoolTimeout, QueueLost) as error:
        _log.error("worker exited and needs a restart", exc_info=error)
        sys.exit(_FAILED)  # the watchdog goes on: a job that never ends would keep the process
    else:
        watchdog.stop()
    finally:
        waker.close()
        if pictures is not None:
            pictures.close()
        if isinstance(mails, SmtpConnectionPool | RelayGroup):
            mails.close()


async def _work(context: WorkerContext, heartbeat: Heartbeat, polling: float | None) -> None:
    LivenessReporter().report_from(asyncio.get_running_loop())
    await work(context, heartbeat, polling=polling)


def _look_at_collation(context: WorkerContext) -> None:
    try:
        with context.session() as session:
            outdated = collation.warning(session.connection())
    except (DBAPIError, NoneFree):
        return  # the worker finds out soon enough
    if outdated is not None:
        _log.warning("collation", detail=outdated)


async def work(
    context: WorkerContext,
    heartbeat: Heartbeat | None = None,
    *,
    until_idle: bool = False,
    polling: float | None = None,
) -> None:
    """Run jobs in this event loop.

    Args:
        context: what the jobs work with.
        heartbeat: is updated with each heartbeat.
        until_idle: end when no job is due.
        polling: as for `run`.

    Raises:
        ConnectorException, QueueLost: the worker cannot continue.
        PoolTimeout: the database did not answer when the worker began.
    """
    relays = len((context.settings.smtp_url or "").split())
    threads = CONCURRENCY + sum(most for _, most in _RESERVED) + _SPARE_THREADS + relays
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(threads))
    heartbeat = heartbeat or Heartbeat()
    relay = RelayWatch()
    app = make_app(context, heartbeat, relay)
    manager, precedence = app.job_manager, Precedence(released=waking.wake)
    assert isinstance(manager, Manager)
    manager.holds_back = precedence.holds_back
    manager.takes_held = until_idle
    pooled = context.settings.database_pooler == "transaction"
    async with app.open_async():
        lanes = [(None, CONCURRENCY)] if until_idle else [(None, CONCURRENCY), *_RESERVED]
        workers = [
            Worker(
                app,
                queues=queues,
                concurrency=concurrency,
                wait=not until_idle,
                fetch_job_polling_interval=polling or _polling(queues, pooled),
                install_signal_handlers=False,
                listen_notify=not until_idle and not pooled,
                update_heartbeat_interval=_DAY,  # the manager does that
                stalled_worker_timeout=heartbeat.stalled,
            )
            for queues, concurrency in lanes
        ]
        working = asyncio.create_task(_together(workers))
        manager.end = working.cancel
        beating = asyncio.create_task(manager.beat())
        watching = []
        if not until_idle:
            watching = [deadlines.keep_looking(context, precedence), relay_probe.keep_asking(context, relay)]
        tasks = [asyncio.create_task(task) for task in watching]
        try:
            with nullcontext() if until_idle else on_stop(lambda: _stop(workers)):
                await working
        except asyncio.CancelledError:
            if manager.lost:
                raise QueueLost from None
            raise
        finally:
            beating.cancel()
            for task in tasks:
                task.cancel()


def _polling(queues: Sequence[str] | None, pooled: bool) -> float:
    if queues == [HELD]:
        return _HELD_POLLING
    return _POLLING_UNWOKEN if pooled else POLLING


async def _together(workers: Sequence[Worker]) -> None:
    """Run workers until one ends, because it was asked to or lost the queue; then all end."""
    running = [asyncio.create_task(worker.run()) for worker in workers]  # type: ignore[no-untyped-call]
    try:
        await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
        _stop(workers)
        await asyncio.gather(*running)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def _stop(workers: Iterable[Worker]) -> None:
    for worker in workers:
        worker.stop()  # type: ignore[no-untyped-call]


def make_app(context: WorkerContext, heartbeat: Heartbeat | None = None, relay: RelayWatch | None = None) -> App:
    """Return the queue's application with all tasks, not yet opened."""
    heartbeat = heartbeat or Heartbeat()
    connector = PsycopgConnector(
        pool_factory=_pool,
        conninfo=context.settings.database_url,
        min_size=1,
        max_size=_CONNECTIONS,
        kwargs=connect_args(context.settings, WORK, "novaluna queue"),
        connection_class=async_connection_class(WORK),
        configure=_autocommit,
    )
    app = App(connector=connector)
    traffic = MailTraffic()
    app.job_manager = Manager(connector, heartbeat, traffic)
    app.job_manager.knows = app.tasks.__contains__
    if isinstance(context.clock, DatabaseClock):
        app.job_manager.skew = context.clock.skew
    deliver.register(app, context, heartbeat, traffic, relay or RelayWatch())
    digest.register(app, context)
    incoming_mail.register(app, context)
    deadlines.register(app, context)
    housekeeping.register(app, context)
    checkpoints.register(app, context)
    return app


async def _autocommit(connection: AsyncConnection) -> None:
    """Set a connection to autocommit, which saves two statements for each one of the queue."""
    await connection.set_autocommit(True)


def _pool(**given: Any) -> AsyncConnectionPool:
    """Return a pool that does not test its connections at each use: if one is broken, the worker ends anyway."""
    return AsyncConnectionPool(**(given | {"check": None}))
