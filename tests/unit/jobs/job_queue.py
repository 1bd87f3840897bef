"""The rows of the queue, and ways to run them."""

import asyncio
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.jobs.worker import work
from service.jobs.worker_context import WorkerContext


class Job(NamedTuple):
    """A row of the queue: its task, its state, its tries so far, and whether it waits for a later time."""

    task: str
    status: str
    attempts: int
    later: bool


def run(context: WorkerContext) -> None:
    """Run all jobs that are due."""
    asyncio.run(work(context, until_idle=True))


def mail_jobs(session: Session) -> list[Job]:
    """Return the jobs that send or forget mail, oldest first."""
    session.rollback()
    rows = session.execute(
        text(
            "SELECT task_name, status::text, attempts, coalesce(scheduled_at > now(), false) FROM procrastinate_jobs"
            " WHERE task_name LIKE '%mail%' ORDER BY id"
        )
    )
    return [Job(*row) for row in rows]


def make_due(session: Session) -> None:
    """Make jobs that wait for a later time due now."""
    session.execute(text("UPDATE procrastinate_jobs SET scheduled_at = NULL WHERE status = 'todo'"))
    session.commit()


def let_workers_die(session: Session) -> None:
    """Make every worker's last heartbeat a minute old, and let the next worker look for dead ones at once."""
    session.execute(text("DELETE FROM procrastinate_periodic_defers"))  # otherwise at the next quarter of a minute
    session.execute(text("UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 minute'"))
    session.commit()
