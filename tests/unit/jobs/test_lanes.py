"""Urgent work is done while everything else hangs: codes are mailed, and received mails are processed."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.commands import clock_steps
from service.jobs import worker as workers
from service.jobs.worker import CONCURRENCY, POLLING, _polling, work
from service.jobs.worker_context import WorkerContext
from service.store.accounts import Code
from service.store.job_claims import HELD
from service.store.queue import CODES, URGENT, defer
from tests.support import clocked, world
from tests.support.clock import Clock
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


def is_done(session: Session, task: str) -> bool:
    return busy(session, task, "succeeded") == 1


@pytest.mark.slow
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
    for task in ("mail_code", "take_in", "settle_clock", "mail_turn"):
        defer(session, task, {})
    rows = session.execute(text("SELECT task_name, queue_name FROM procrastinate_jobs"))
    found = {task: queue for task, queue in rows}
    assert found == {"mail_code": CODES, "take_in": URGENT, "settle_clock": URGENT, "mail_turn": "default"}


def test_mails_wait_for_the_games_that_are_due_and_codes_do_not(
    session: Session, context: WorkerContext, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [world.account(session, name) for name in ("Ann", "Ben")]
    clocked.match(session, *people)
    session.execute(text("DELETE FROM procrastinate_jobs"))
    session.commit()
    begun, go_on = Event(), Event()

    def settle(*_: object) -> int:
        begun.set()
        go_on.wait(PATIENCE)
        return 0

    async def live() -> None:
        working = asyncio.create_task(work(context, polling=0.05))
        await asyncio.to_thread(begun.wait, PATIENCE)
        world.match(session, *people)
        a_code(session, "zoe@example.org")
        defer(session, "take_in", {"incoming": 0})
        session.commit()
        for task in ("take_in", "mail_code"):
            await asyncio.to_thread(eventually, partial(is_done, session, task))
        assert busy(session, "mail_turn", "todo") == 1
        go_on.set()
        await asyncio.to_thread(eventually, lambda: busy(session, "mail_turn", "succeeded") == 1)
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working

    monkeypatch.setattr(clock_steps, "settle", settle)
    asyncio.run(live())


def test_lanes_that_nothing_wakes_look_more_often() -> None:
    assert _polling(None, False) == _polling([CODES], False) == POLLING
    assert max(_polling([HELD], False), _polling([HELD], True), _polling(None, True), _polling([CODES], True)) < 1


def test_each_job_that_runs_has_a_thread(context: WorkerContext, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []

    class Noted(ThreadPoolExecutor):
        def __init__(self, most: int) -> None:
            threads.append(most)
            super().__init__(most)

    monkeypatch.setattr(workers, "ThreadPoolExecutor", Noted)
    asyncio.run(work(context, until_idle=True))
    assert threads[0] > CONCURRENCY + sum(most for _, most in workers._RESERVED)
