"""Jobs with locks: one waits while another with its lock runs, and one that can't be retried is left to its like."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.jobs import housekeeping
from service.jobs.worker import make_app
from service.jobs.worker_context import WorkerContext
from service.mail.failures import TransientFailure
from service.store.queue import defer
from tests.support import world
from tests.unit.jobs.conftest import sending_by
from tests.unit.jobs.job_queue import Job, let_workers_die, mail_jobs, run

_BEGIN = """
    WITH living AS (INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now()) RETURNING id)
    INSERT INTO procrastinate_jobs (queue_name, task_name, args, lock, queueing_lock, status, scheduled_at, worker_id)
    SELECT 'default', :task, '{"timestamp": 0}', :lock, :lock, status::procrastinate_job_status, :due, worker
      FROM living CROSS JOIN LATERAL (VALUES ('doing', id), ('todo', NULL)) AS each (status, worker)
"""
_SENDING = "SELECT args, queueing_lock FROM procrastinate_jobs WHERE task_name = 'mail_turn' AND status = 'doing'"
TASK, LOCK = "make_checkpoints", "checkpoints"


def states(session: Session) -> list[str]:
    """Return the states of the locked jobs, oldest first."""
    session.rollback()
    query = text("SELECT status::text FROM procrastinate_jobs WHERE task_name = :task ORDER BY id")
    return list(session.scalars(query, {"task": TASK}))


@pytest.mark.parametrize("due", [None, "2026-01-01"])
def test_a_job_waits_while_one_with_its_lock_runs_and_holds_up_no_other(
    session: Session, context: WorkerContext, due: str | None
) -> None:
    session.execute(text(_BEGIN), {"task": TASK, "lock": LOCK, "due": due})
    world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    session.commit()
    run(context)
    assert mail_jobs(session) == [Job("mail_turn", "succeeded", 1, False)]
    assert states(session) == ["doing", "todo"]
    session.execute(text("UPDATE procrastinate_jobs SET status = 'succeeded' WHERE status = 'doing'"))
    session.commit()
    run(context)
    assert states(session)[:2] == ["succeeded", "succeeded"]  # the worker may have queued the next one by now


class QueuedAgain:
    """A relay that has no room now, and that is told of the same mail again meanwhile."""

    def __init__(self, queue_again: Callable[[], None]) -> None:
        self.queue_again = queue_again

    def deliver(self, message: EmailMessage, *_: object, **__: object) -> bool:
        self.queue_again()
        raise TransientFailure("452 not now")


def test_a_mail_that_is_queued_again_while_it_fails_is_left_to_the_second(
    session: Session, context: WorkerContext
) -> None:
    """Both have one queueing lock, so the first can't wait beside the second, and its worker must not end for it."""
    world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    session.commit()

    def again() -> None:
        args, lock = session.execute(text(_SENDING)).one()
        defer(session, "mail_turn", args, lock, datetime.now(UTC) + timedelta(days=1))
        session.commit()

    run(sending_by(context, QueuedAgain(again)))
    assert mail_jobs(session) == [Job("mail_turn", "todo", 0, True)]


def test_a_job_of_a_dead_worker_is_left_to_its_like(session: Session, context: WorkerContext) -> None:
    session.execute(text(_BEGIN), {"task": TASK, "lock": LOCK, "due": None})
    session.commit()

    async def take_up() -> None:
        app = make_app(context)
        async with app.open_async():
            let_workers_die(session)
            await housekeeping.take_up(app)

    asyncio.run(take_up())
    assert states(session) == ["todo"]
