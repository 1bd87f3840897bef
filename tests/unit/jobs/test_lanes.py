"""Urgent work is done while everything else hangs: codes are mailed, and received mails are processed."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.jobs.worker import CONCURRENCY
from service.jobs.worker_context import WorkerContext
from service.store.accounts import Code
from service.store.queue import CODES, URGENT, defer
from tests.support import world
from tests.support.running import eventually
from tests.unit.jobs.slow_relay import SlowRelay
from tests.unit.jobs.test_outgoing_mail import a_code
from tests.unit.jobs.worker_process import PATIENCE, a_worker


@pytest.fixture
def hanging(session: Session) -> None:
    """Queue more turn mails than are sent at once, to a relay that acknowledges none."""
    for number in range(CONCURRENCY + 2):
        world.match(session, world.account(session, f"Ann{number}"), world.account(session, f"Ben{number}"))
    session.commit()


def busy(session: Session, task: str, status: str) -> int:
    session.rollback()
    count = text(
        "SELECT count(*) FROM procrastinate_jobs WHERE task_name = :task AND status = CAST(:s AS "
        "procrastinate_job_status)"
    )
    return session.scalar(count, {"task": task, "s": status}) or 0


@pytest.mark.usefixtures("hanging")
def test_a_relay_that_hangs_holds_up_neither_codes_nor_what_is_read(
    session: Session, context: WorkerContext, relay: SlowRelay, tmp_path: Path
) -> None:
    with a_worker(context, relay, tmp_path / "log") as worker:
        eventually(lambda: busy(session, "mail_turn", "doing") == CONCURRENCY)
        code = session.get_one(Code, a_code(session, "zoe@example.org"))
        code.expires_at = datetime.now(UTC) + timedelta(hours=1)  # by the worker's own clock
        defer(session, "take_in", {"incoming": 0})  # which leaves no event: it is done at once
        session.commit()
        eventually(lambda: busy(session, "take_in", "succeeded") == 1)
        while b"zoe@example.org" not in relay.taken.get(timeout=PATIENCE):
            pass
        assert busy(session, "mail_turn", "doing") == CONCURRENCY and busy(session, "mail_turn", "todo") == 2
        relay.go_on.set()
        worker.terminate()
        assert worker.wait(PATIENCE) == 0
    assert session.scalar(text("SELECT count(*) FROM procrastinate_workers")) == 0


def test_urgent_tasks_are_in_queues_of_their_own(session: Session) -> None:
    for task in ("mail_code", "take_in", "mail_turn"):
        defer(session, task, {})
    rows = session.execute(text("SELECT task_name, queue_name FROM procrastinate_jobs"))
    found = {task: queue for task, queue in rows}
    assert found == {"mail_code": CODES, "take_in": URGENT, "mail_turn": "default"}
