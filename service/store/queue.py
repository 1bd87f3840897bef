"""Queue jobs by name, in the caller's transaction: a rollback leaves none, a commit exactly one.

The caller knows the name of a task and its ids, never the task itself, so nothing here imports `service.jobs`.
Arguments are only ids, because the worker logs them, and because a mail is composed when it is sent.

The row is written as procrastinate's own `procrastinate_defer_jobs_v1` does (our migrations contain its schema, and its
triggers do the rest), with `ON CONFLICT DO NOTHING` added. That function raises an error for a duplicate queueing lock,
which would break the caller's transaction, and a savepoint around it would cost a move two more statements.

The worker is woken when the session has committed. Whoever writes jobs without `defer` and the session's commit must
call `service.store.waking.wake`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import psycopg
from sqlalchemy import Interval, bindparam, event, text
from sqlalchemy.orm import Session

from service.store.job_claims import AGAIN
from service.store.waking import wake

QUEUE, CODES, URGENT = ("default", "codes", "urgent")
"""The queues: for everything else, for codes that somebody is waiting for, and for short jobs that keep games moving.

Each worker reserves capacity for the last two, however many jobs of the first one hang (`service.jobs.worker`).
"""

_QUEUE_OF = {"mail_code": CODES, "take_in": URGENT, "settle_clock": URGENT}

_SOONER = ("mail_code",)
"""Tasks that come before any others that are due. Somebody is waiting for them, and pictures take their time."""

_DEFERRED = "jobs_deferred"


class Job(NamedTuple):
    """A job to be queued.

    Attributes:
        task: the name of its task.
        args: only ids.
        lock: nothing happens while a job with the same lock is still waiting to be run; None for no lock.
        scheduled_at: the earliest time to run it (aware); None for as soon as possible.
    """

    task: str
    args: Mapping[str, int | str]
    lock: str | None = None
    scheduled_at: datetime | None = None


INSERT = """
    INSERT INTO procrastinate_jobs (queue_name, task_name, priority, queueing_lock, args, scheduled_at)
    SELECT job.queue, job.task, job.priority, job.lock, job.args, job.scheduled_at
      FROM {source}jsonb_to_recordset(%(jobs)s::jsonb)
           AS job (queue text, task text, priority integer, lock text, args jsonb, scheduled_at timestamptz)
    ON CONFLICT (queueing_lock) WHERE status = 'todo' DO NOTHING"""
"""The statement that queues jobs: `source` is empty, or rows (with a comma) that must exist. See `as_argument`."""

_INSERT = INSERT.format(source="")


def as_argument(jobs: Sequence[Job]) -> str:
    """Return the value of `jobs` in `INSERT`."""
    return json.dumps(
        [
            {
                "queue": _QUEUE_OF.get(job.task, QUEUE),
                "task": job.task,
                "priority": int(job.task in _SOONER) if job.scheduled_at is None else AGAIN,
                "lock": job.lock,
                "args": dict(job.args),
                "scheduled_at": job.scheduled_at and job.scheduled_at.isoformat(),
            }
            for job in jobs
        ]
    )


def defer(
    session: Session,
    task_name: str,
    args: Mapping[str, int | str],
    queueing_lock: str | None = None,
    scheduled_at: datetime | None = None,
) -> None:
    """Queue one job (see `Job`), which the worker sees when the caller's transaction commits."""
    job = Job(task_name, args, queueing_lock, scheduled_at)
    session.connection().exec_driver_sql(_INSERT, {"jobs": as_argument([job])})
    wake_after_commit(session)


@dataclass(frozen=True, slots=True)
class QueueState:
    """The state of the queue: jobs that are due, jobs being run, and the age of the oldest due job in seconds."""

    due: int
    running: int
    age: float


_STATE = """
    WITH due AS (
        SELECT coalesce(scheduled_at, queued_at) AS since FROM procrastinate_jobs
         WHERE status = 'todo' AND held_for IS NULL AND (scheduled_at IS NULL OR scheduled_at <= clock_timestamp())
    )
    SELECT (SELECT count(*) FROM due), (SELECT count(*) FROM procrastinate_jobs WHERE status = 'doing'),
           coalesce(extract(epoch FROM clock_timestamp() - (SELECT min(since) FROM due)), 0)
"""


def state(connection: psycopg.Connection[Any]) -> QueueState:
    """Return the current state of the queue."""
    row = connection.execute(_STATE).fetchone()
    assert row is not None
    return QueueState(row[0], row[1], float(row[2]))


_PURGE = text("""
    WITH piece AS (
        SELECT id FROM procrastinate_jobs WHERE id > :after ORDER BY id LIMIT :most
    ), gone AS (
        DELETE FROM procrastinate_jobs job USING piece
         WHERE job.id = piece.id AND job.status IN ('succeeded', 'failed', 'cancelled', 'aborted')
           AND NOT EXISTS (
               SELECT FROM procrastinate_events event
                WHERE event.job_id = job.id
                  AND event.at > now() - CASE job.status WHEN 'succeeded' THEN :done ELSE :failed END
           )
        RETURNING job.id
    )
    SELECT (SELECT max(id) FROM piece), (SELECT count(*) FROM gone)
""").bindparams(bindparam("done", type_=Interval), bindparam("failed", type_=Interval))


def purge(
    session: Session, after: int, most: int, *, done_for: timedelta, failed_for: timedelta
) -> tuple[int | None, int]:
    """Examine the next `most` jobs above the id `after`, and delete old ones that are over.

    Succeeded jobs are deleted after `done_for`, failed and canceled ones after `failed_for`, by the database's clock.

    Returns:
        The id of the last job examined (None if there was none), and how many were deleted.
    """
    values = {"after": after, "most": most, "done": done_for, "failed": failed_for}
    last, gone = session.execute(_PURGE, values).one()
    return last, gone


def wake_after_commit(session: Session) -> None:
    """Wake the worker once this session's transaction is committed, because it contains jobs."""
    session.info[_DEFERRED] = True


@event.listens_for(Session, "after_commit")
def _committed(session: Session) -> None:
    # This event also fires at the end of a savepoint.
    if not session.in_nested_transaction() and session.info.pop(_DEFERRED, False):
        wake()


@event.listens_for(Session, "after_rollback")
def _rolled_back(session: Session) -> None:
    if not session.in_nested_transaction():
        session.info.pop(_DEFERRED, None)
