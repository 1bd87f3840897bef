"""How a worker marks its jobs while statements fail and others may have taken the jobs over; without a database."""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from procrastinate.testing import InMemoryConnector
from psycopg.errors import RaiseException

from service.jobs import manager
from service.jobs.backoff import DELAYS
from service.jobs.heartbeat import Heartbeat
from service.jobs.manager import Manager
from service.store import job_claims
from tests.support.clock import NOW

JOB = Job(id=7, queue="default", lock=None, queueing_lock=None, task_name="mail_turn")


class Queue:
    """A manager whose statements fail with these errors, one after the other, and then succeed; a hang is None."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *errors: Exception | None, heartbeat: Heartbeat) -> None:
        self.errors = list(errors)
        self.marked: list[tuple[object, ...]] = []
        self.ended = 0
        self.manager = Manager(InMemoryConnector(), heartbeat)
        self.manager.end = self.end
        monkeypatch.setattr(manager, "_PAUSE", 0)
        monkeypatch.setattr(JobManager, "finish_job", self.mark)
        monkeypatch.setattr(JobManager, "retry_job", self.mark)

    def end(self) -> None:
        self.ended += 1

    async def mark(self, job: Job, *facts: object) -> None:
        if self.errors:
            error = self.errors.pop(0)
            if error is None:
                await asyncio.Event().wait()
            else:
                raise error
        self.marked.append((job.id, *facts))

    def finish(self, status: Status = Status.SUCCEEDED) -> None:
        asyncio.run(self.manager.finish_job(JOB, status, delete_job=False))

    def retry(self) -> None:
        asyncio.run(self.manager.retry_job(JOB, NOW, 3, "urgent", "a lock"))


def dead() -> Heartbeat:
    heartbeat = Heartbeat()
    heartbeat.begin(time.monotonic() - 2 * heartbeat.stalled)
    return heartbeat


def taken() -> ConnectorException:
    """Return the error of marking a job that another worker has marked."""
    error = ConnectorException()
    error.__cause__ = RaiseException()
    return error


def test_marking_is_repeated_until_the_database_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue(monkeypatch, *[ConnectorException()] * 3, heartbeat=Heartbeat())
    queue.finish()
    assert queue.marked == [(7, Status.SUCCEEDED, False)] and not queue.manager.lost


def test_a_job_that_another_worker_has_marked_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue(monkeypatch, ConnectorException(), taken(), heartbeat=Heartbeat())
    queue.retry()
    assert queue.marked == [] and queue.errors == [] and not queue.manager.lost


def test_a_worker_that_counts_as_dead_marks_only_what_it_has_done(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue(monkeypatch, heartbeat=dead())
    queue.finish()
    assert queue.marked == [(7, Status.SUCCEEDED, False)] and queue.ended == 0
    queue.finish(Status.FAILED)
    queue.retry()
    assert len(queue.marked) == 1
    assert queue.manager.lost and queue.ended == 1, "it ends once"


def test_a_database_that_does_not_answer_ends_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    heartbeat = Heartbeat(pace=0.0001)
    heartbeat.begin(time.monotonic() + 60)
    queue = Queue(monkeypatch, None, heartbeat=heartbeat)
    queue.finish()
    assert queue.marked == [] and queue.manager.lost and queue.ended == 1


def test_a_job_is_queued_again_for_the_databases_time(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue(monkeypatch, heartbeat=Heartbeat())
    queue.manager.skew = lambda: timedelta(seconds=90)
    queue.retry()
    assert queue.marked == [(7, NOW + timedelta(seconds=90), 3, "urgent", "a lock")]


@pytest.mark.parametrize(("attempts", "is_over"), [(0, False), (len(DELAYS) - 1, False), (len(DELAYS), True)])
def test_a_job_of_an_unknown_task_is_put_off_like_a_mail(
    monkeypatch: pytest.MonkeyPatch, attempts: int, is_over: bool
) -> None:
    queue = Queue(monkeypatch, heartbeat=Heartbeat())
    queue.manager.knows = {"mail_end"}.__contains__
    before = datetime.now(UTC)
    asyncio.run(queue.manager.finish_job(JOB.evolve(attempts=attempts), Status.FAILED, delete_job=False))
    ((_, *told),) = queue.marked
    if is_over:
        assert told == [Status.FAILED, False]
    else:
        at, priority, *_ = told
        assert isinstance(at, datetime) and at >= before + timedelta(seconds=DELAYS[attempts])
        assert priority == job_claims.AGAIN


@pytest.mark.parametrize(
    ("queues", "is_held", "found"), [(None, True, None), (None, False, JOB), (["codes"], True, JOB)]
)
def test_no_ordinary_job_is_taken_while_they_are_held_back(
    monkeypatch: pytest.MonkeyPatch, queues: list[str] | None, is_held: bool, found: Job | None
) -> None:
    async def claim(_: Manager, statement: str, worker: int, **given: object) -> Job:
        assert worker == 3 and given == ({"begin": 0} if queues is None else {"queues": queues})
        return JOB

    monkeypatch.setattr(Manager, "_claim", claim)
    manager = Manager(InMemoryConnector(), Heartbeat())
    manager.holds_back = lambda: is_held
    assert asyncio.run(manager.fetch_job(queues, 3)) == found


class Signing(InMemoryConnector):
    """A database in which the workers with these ids are written down."""

    def __init__(self, *written: int) -> None:
        super().__init__()
        self.written = written
        self.beats = 0

    async def execute_query_all_async(self, query: str, **arguments: object) -> list[dict[str, object]]:
        self.beats += 1
        return [{"id": worker} for worker in self.written]


@pytest.mark.parametrize(
    ("written", "make", "is_lost"), [((1, 2), Heartbeat, False), ((2,), Heartbeat, True), ((1, 2), dead, True)]
)
def test_workers_that_are_no_longer_written_down_or_come_late_end(
    written: tuple[int, ...], make: Callable[[], Heartbeat], is_lost: bool
) -> None:
    heartbeat, database = make(), Signing(*written)
    heartbeat.interval = 0.0
    manager = Manager(database, heartbeat)
    manager._workers = [1, 2]

    async def beat() -> None:
        beating = asyncio.create_task(manager.beat())
        while database.beats < 3:
            await asyncio.sleep(0)
        beating.cancel()

    asyncio.run(beat())
    assert manager.lost == is_lost
    assert (heartbeat.signs > 0) == (written == (1, 2))


def test_a_worker_counts_as_alive_from_when_it_was_registered() -> None:
    heartbeat = Heartbeat()
    heartbeat.begin(time.monotonic() - 3600)
    assert heartbeat.counts_as_dead
    manager = Manager(InMemoryConnector(), heartbeat)
    worker = asyncio.run(manager.register_worker())
    assert not heartbeat.counts_as_dead
    assert manager._workers == [worker]
    asyncio.run(manager.unregister_worker(worker))
    assert manager._workers == [], "one that has ended gives no sign of life"


def test_a_held_mail_that_another_worker_takes_is_followed_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    openings = [-1.0, 0.0, 0.001]
    claimed = [None, None, None, JOB]

    async def claim(_: Manager, statement: str, worker: int, **given: object) -> Job | None:
        assert statement == job_claims.OF_HELD
        return claimed.pop(0)

    async def opening(_: InMemoryConnector, statement: str, **given: object) -> list[dict[str, float]]:
        assert statement == job_claims.NEXT_OPENING
        return [{"seconds": openings.pop(0)}]

    monkeypatch.setattr(manager, "_BREATH", 0)
    monkeypatch.setattr(Manager, "_claim", claim)
    monkeypatch.setattr(InMemoryConnector, "execute_query_all_async", opening)
    taken = asyncio.run(Manager(InMemoryConnector(), Heartbeat()).fetch_job([job_claims.HELD], 3))
    assert taken == JOB and not openings and not claimed


@pytest.mark.parametrize("seconds", [None, 2.5])
def test_no_worker_waits_long_for_a_domain(monkeypatch: pytest.MonkeyPatch, seconds: float | None) -> None:
    async def claim(_: Manager, statement: str, worker: int, **given: object) -> None:
        return None

    async def opening(_: InMemoryConnector, statement: str, **given: object) -> list[dict[str, float | None]]:
        return [{"seconds": seconds}]

    monkeypatch.setattr(Manager, "_claim", claim)
    monkeypatch.setattr(InMemoryConnector, "execute_query_all_async", opening)
    assert asyncio.run(Manager(InMemoryConnector(), Heartbeat()).fetch_job([job_claims.HELD], 3)) is None
