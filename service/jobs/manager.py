"""The queue's own statements as this process's workers make them, so that no fault of the database leaves a job with nobody.

procrastinate's manager takes it that a statement either works or ends the worker. Marking a job as done is different: if
that fails, the job stays with a worker that lives and will never run it again. So it is tried for as long as nobody else
can have the job, and else the worker ends, which leaves its jobs to the others.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog
from procrastinate.connector import BaseConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from psycopg.errors import RaiseException

from service.jobs.heartbeat import Heartbeat

_PAUSE = 0.5

_SIGN = "UPDATE procrastinate_workers SET last_heartbeat = now() WHERE id = ANY (%(workers)s) RETURNING id"

_log = structlog.get_logger(__name__)


class Lost(Exception):
    """The worker can't go on: the queue is out of reach, or others took it for dead. It must be started anew."""


class Manager(JobManager):
    """The queue, seen from one process. `heartbeat` is told of its signs of life, `end` is called when it must end."""

    def __init__(self, connector: BaseConnector, heartbeat: Heartbeat) -> None:
        super().__init__(connector)
        self.end: Callable[[], object] = lambda: None
        self.skew: Callable[[], timedelta] = timedelta  # by which the database's clock is ahead of this machine's
        self.lost = False
        self._heartbeat = heartbeat
        self._workers: list[int] = []

    async def register_worker(self) -> int:
        """Make one of this process's workers known; gives its number."""
        at = time.monotonic()
        worker = await super().register_worker()
        self._workers.append(worker)
        self._heartbeat.begin(at)
        return worker

    async def unregister_worker(self, worker_id: int) -> None:
        """Make it known that one of them has ended."""
        self._workers.remove(worker_id)
        await super().unregister_worker(worker_id)

    async def beat(self) -> None:
        """Give signs of life for as long as this runs, also while the last jobs are finished before the end."""
        while True:
            await asyncio.sleep(self._heartbeat.interval)
            workers = list(self._workers)
            if not workers:
                continue
            try:
                at = time.monotonic()
                signed = await self.connector.execute_query_all_async(_SIGN, workers=workers)
                if len(signed) < len(set(workers) & set(self._workers)):
                    raise Lost
                self._heartbeat.sign(at)
                if self._heartbeat.counts_as_dead:
                    raise Lost
            except (ConnectorException, Lost) as error:
                self._give_up("no sign of life could be given", exc_info=error)

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        """Mark a job as done or failed."""
        done = status == Status.SUCCEEDED
        await self._mark(job, lambda: super(Manager, self).finish_job(job, status, delete_job), certain=done)

    async def retry_job(
        self,
        job: Job,
        retry_at: datetime | None = None,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        """Put a job back into the queue, for this time of this machine's clock. The queue goes by the database's."""
        retry_at = retry_at and retry_at + self.skew()
        await self._mark(
            job, lambda: super(Manager, self).retry_job(job, retry_at, priority, queue, lock), certain=False
        )

    async def _mark(self, job: Job, statement: Callable[[], Awaitable[None]], certain: bool) -> None:
        """What was done is done, whoever has the job now; of one that was not, the others know better by then."""
        if self._heartbeat.counts_as_dead and not certain:
            self._give_up("a job may be another's by now", job=job.id)
            return
        try:
            async with asyncio.timeout(self._heartbeat.stalled):
                await self._insist(job, statement)
        except TimeoutError:
            self._give_up("a job could not be marked", job=job.id)

    async def _insist(self, job: Job, statement: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await statement()
            except ConnectorException as error:
                if isinstance(error.__cause__, RaiseException):  # it is no longer to be marked
                    _log.info("a job was marked by another worker", task=job.task_name, job=job.id)
                    return
                await asyncio.sleep(_PAUSE)
            else:
                return

    def _give_up(self, why: str, **facts: object) -> None:
        if not self.lost:
            self.lost = True
            _log.error(f"{why}: the worker ends", **facts)
            self.end()
