"""The job queue's statements as this process's workers run them; no fault of the database leaves a job stuck.

procrastinate's manager assumes that a statement either succeeds or ends the worker. Marking a job as done is different:
if that fails, the job stays assigned to a live worker that will never run it again. So it is retried as long as nobody
else can have the job; otherwise the worker ends, which leaves its jobs to others.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import LiteralString

import structlog
from procrastinate.connector import BaseConnector
from procrastinate.exceptions import ConnectorException, UniqueViolation
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from psycopg.errors import RaiseException

from service.jobs.backoff import DELAYS, is_last
from service.jobs.claim_position import ClaimPosition
from service.jobs.heartbeat import Heartbeat
from service.jobs.mail_traffic import MailTraffic
from service.store import job_claims

_PAUSE = 0.5

_MOMENT, _BREATH = 2.0, 0.05
"""The most seconds that a claim waits for domains, and the least between two tries while all have had enough."""

_SIGN = "UPDATE procrastinate_workers SET last_heartbeat = now() WHERE id = ANY (%(workers)s) RETURNING id"

_log = structlog.get_logger(__name__)


class QueueLost(Exception):
    """The worker must be restarted: the queue is unreachable, or other workers took it for dead."""


class Manager(JobManager):
    """The job queue of one process.

    Args:
        heartbeat: is updated with each heartbeat.
        traffic: the mails of this process.

    Attributes:
        end: called when the worker must end.
        skew: returns how far the database's clock is ahead of this machine's.
        takes_held: whether the workers that take any job take held mails, too.
        holds_back: returns whether ordinary jobs have to wait (`service.jobs.precedence`).
        knows: returns whether this release has a task of this name.
    """

    def __init__(self, connector: BaseConnector, heartbeat: Heartbeat, traffic: MailTraffic | None = None) -> None:
        super().__init__(connector)
        self.end: Callable[[], object] = lambda: None
        self.skew: Callable[[], timedelta] = timedelta  # how far the database's clock is ahead of this machine's
        self.holds_back: Callable[[], bool] = lambda: False
        self.knows: Callable[[str], bool] = lambda task: True
        self.takes_held = False
        self.lost = False
        self._traffic = traffic or MailTraffic()
        self._heartbeat = heartbeat
        self._workers: list[int] = []
        self._position = ClaimPosition()

    async def register_worker(self) -> int:
        """Register one of this process's workers, and return its id."""
        at = time.monotonic()
        worker = await super().register_worker()
        self._workers.append(worker)
        self._heartbeat.begin(at)
        return worker

    async def unregister_worker(self, worker_id: int) -> None:
        """Remove a worker that has ended."""
        self._workers.remove(worker_id)
        await super().unregister_worker(worker_id)

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """Take the next job: of any queue, of some, or, as `job_claims.HELD`, a held mail whose domain has room.

        There is none for the workers of any queue and of held mails while ordinary jobs have to wait. Those of single
        queues go on, as somebody is waiting for their jobs.
        """
        asked = None if queues is None else list(queues)
        if asked is not None and asked != [job_claims.HELD]:
            return await self._claim(job_claims.OF_QUEUES, worker_id, queues=asked)
        if self.holds_back():
            return None
        if asked is None:
            job = await self._claim_ordinary(worker_id)
            return job or (await self._claim(job_claims.OF_HELD, worker_id) if self.takes_held else None)
        return await self._claim(job_claims.OF_HELD, worker_id) or await self._await_held(worker_id)

    async def _claim(self, statement: LiteralString, worker: int, **given: object) -> Job | None:
        rows = await self.connector.execute_query_all_async(statement, worker=worker, **given)
        if not rows:
            return None
        row = dict(rows[0])
        domain = row.pop("to_domain", None)
        if domain is not None:
            self._traffic.admitted[row["id"]] = domain
        return Job.from_row(row)

    async def _claim_ordinary(self, worker: int) -> Job | None:
        begin = self._position.begin()
        job = await self._claim(job_claims.ORDINARY, worker, begin=begin)
        if job is None and begin > 0:  # what is put back may be of any id
            job = await self._claim(job_claims.ORDINARY, worker, begin=0)
        if job is not None:
            self._position.found(job)
        return job

    async def _await_held(self, worker: int) -> Job | None:
        """Wait for a domain with held mails that will have room in a moment, and take one of them.

        All workers wait for the same opening, and one gets it. The others wait for the next one: if they returned
        without a mail, they would not look again for seconds, in which the domain would get less than it may.
        """
        end = time.monotonic() + _MOMENT
        while True:
            [row] = await self.connector.execute_query_all_async(job_claims.NEXT_OPENING)
            seconds = None if row["seconds"] is None else max(float(row["seconds"]), _BREATH)
            if seconds is None or time.monotonic() + seconds > end:
                return None
            await asyncio.sleep(seconds)
            if (job := await self._claim(job_claims.OF_HELD, worker)) is not None:
                return job

    async def beat(self) -> None:
        """Send heartbeats as long as this runs, even while the last jobs are finished before the end."""
        while True:
            await asyncio.sleep(self._heartbeat.interval)
            workers = list(self._workers)
            if not workers:
                continue
            try:
                at = time.monotonic()
                signed = await self.connector.execute_query_all_async(_SIGN, workers=workers)
                if len(signed) < len(set(workers) & set(self._workers)):
                    raise QueueLost
                self._heartbeat.sign(at)
                if self._heartbeat.counts_as_dead:
                    raise QueueLost
            except (ConnectorException, QueueLost) as error:
                self._give_up("heartbeat not written", exc_info=error)

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        """Mark a job as done or failed.

        One whose task is unknown, as a process of another release has queued it, is put off like a mail that fails.
        """
        if status == Status.FAILED and not self.knows(job.task_name) and not is_last(job):
            _log.warning("a job of an unknown task is left to another release", task=job.task_name, job=job.id)
            await self.retry_job(job, datetime.now(UTC) + timedelta(seconds=DELAYS[job.attempts]), job_claims.AGAIN)
            return
        self._traffic.admitted.pop(job.id or 0, None)  # if its mail was not wanted any more
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
        """Requeue a job for a time of this machine's clock, converted to the database's, which the queue uses.

        A mail that is to be held is held, which is no attempt.
        """
        domain = self._traffic.held.pop(job.id or 0, None)
        if domain is not None:
            await self._mark(job, lambda: self._hold(job, domain), certain=False)
            return
        retry_at = retry_at and retry_at + self.skew()
        await self._mark(
            job, lambda: super(Manager, self).retry_job(job, retry_at, priority, queue, lock), certain=False
        )

    async def drop(self, job: Job) -> None:
        """Delete a job that can't wait for another try, since one with its queueing lock waits that does the same."""
        assert job.id is not None, "it is in the database"
        await self.finish_job_by_id_async(job.id, Status.SUCCEEDED, delete_job=True)
        _log.info("a job was left to another one with its lock", task=job.task_name, job=job.id)

    async def _mark(self, job: Job, statement: Callable[[], Awaitable[None]], certain: bool) -> None:
        """Mark a job, for as long as nobody else can have it.

        A job that is done is marked whoever has it now. If it is not done and this worker counts as dead, its new owner
        decides.
        """
        if self._heartbeat.counts_as_dead and not certain:
            self._give_up("a job may be another's by now", job=job.id)
            return
        try:
            async with asyncio.timeout(self._heartbeat.stalled):
                await self._insist(job, statement)
        except TimeoutError:
            self._give_up("a job could not be marked", job=job.id)

    async def _hold(self, job: Job, domain: int) -> None:
        await self.connector.execute_query_all_async(job_claims.HOLD, job=job.id, domain=domain)

    async def _insist(self, job: Job, statement: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await statement()
            except UniqueViolation:
                statement = partial(self.drop, job)
            except ConnectorException as error:
                if isinstance(error.__cause__, RaiseException):  # somebody else has marked it
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
