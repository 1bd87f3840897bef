"""A worker when the database or the worker itself is suspended or cut off: no mail is lost, and none is sent twice."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.jobs.worker_context import WorkerContext
from service.local.postgres import Postgres
from tests.support.running import eventually, free_port
from tests.support.suspending import suspended
from tests.support.world import KEYS
from tests.unit.jobs.job_queue import Job, mail_jobs
from tests.unit.jobs.slow_relay import SlowRelay
from tests.unit.jobs.worker_process import PATIENCE, a_worker, lines

QUICK = 0.05
"""The pace of a worker's heartbeats: one each 0.25 s, dead after 0.9, ended after 1.5."""


@pytest.fixture
def owner(postgres: Postgres) -> Iterator[psycopg.Connection]:
    """Yield a connection as the tables' owner, who may lock them and list connections."""
    with psycopg.connect(postgres.url_of("jobs"), autocommit=True) as connection:
        yield connection


def connections(owner: psycopg.Connection, name: str) -> list[int]:
    """Return the Postgres processes that serve the connections with this name."""
    rows = owner.execute("SELECT pid FROM pg_stat_activity WHERE application_name = %s", (name,)).fetchall()
    return [pid for (pid,) in rows]


@pytest.mark.slow
@pytest.mark.usefixtures("table")
def test_a_mail_that_left_is_marked_though_the_connections_were_cut(
    session: Session, context: WorkerContext, relay: SlowRelay, owner: psycopg.Connection, tmp_path: Path
) -> None:
    with a_worker(context, relay, tmp_path / "log"):
        relay.taken.get(timeout=PATIENCE)
        for pid in connections(owner, "novaluna queue"):
            owner.execute("SELECT pg_terminate_backend(%s)", (pid,))
        relay.go_on.set()
        eventually(lambda: mail_jobs(session) == [Job("mail_turn", "succeeded", 1, False)], PATIENCE)
    assert len(relay.mails) == 1


@pytest.mark.slow
@pytest.mark.usefixtures("table")
def test_a_worker_whose_database_hangs_ends_itself(
    session: Session,
    context: WorkerContext,
    relay: SlowRelay,
    postgres: Postgres,
    owner: psycopg.Connection,
    tmp_path: Path,
) -> None:
    relay.go_on.set()
    assert postgres.process is not None
    with a_worker(context, relay, tmp_path / "log", told=f"heartbeat=Heartbeat({QUICK})") as worker:
        eventually(lambda: mail_jobs(session) == [Job("mail_turn", "succeeded", 1, False)], PATIENCE)
        # First no new connections can be made, then the old ones are cut.
        with suspended(postgres.process.pid), suspended(*connections(owner, "novaluna queue")):
            assert worker.wait(PATIENCE) == 1
    assert "heartbeat not written: the worker ends itself" in [line["event"] for line in lines(tmp_path / "log")]


@pytest.mark.slow
@pytest.mark.usefixtures("table")
def test_a_worker_that_was_taken_for_dead_sends_nothing_when_it_goes_on(
    session: Session, context: WorkerContext, relay: SlowRelay, owner: psycopg.Connection, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        with owner.transaction():
            owner.execute("LOCK TABLE accounts")  # it can't read the recipient of the mail
            told = f"heartbeat=Heartbeat({QUICK})"
            worker = stack.enter_context(a_worker(context, relay, tmp_path / "log", told=told))
            eventually(lambda: mail_jobs(session) == [Job("mail_turn", "doing", 0, False)], PATIENCE)
            with suspended(worker.pid):
                dead_at = time.monotonic() + 20 * QUICK
                eventually(lambda: time.monotonic() > dead_at)
        assert worker.wait(PATIENCE) == 1
    assert relay.mails == []
    session.rollback()
    assert session.scalar(text("SELECT count(*) FROM procrastinate_workers")) == 0
    assert mail_jobs(session) == [Job("mail_turn", "doing", 0, False)]  # no worker has it, so it is taken up at once


@pytest.mark.slow
@pytest.mark.usefixtures("table")
def test_a_worker_that_others_have_forgotten_ends_and_is_started_anew(
    context: WorkerContext, relay: SlowRelay, owner: psycopg.Connection, tmp_path: Path
) -> None:
    relay.go_on.set()
    with a_worker(context, relay, tmp_path / "log", told=f"heartbeat=Heartbeat({QUICK})") as worker:
        relay.taken.get(timeout=PATIENCE)
        owner.execute("DELETE FROM procrastinate_workers")  # as another worker does when it starts
        assert worker.wait(PATIENCE) == 1


NO_DATABASE = """
import os
from service.config import Settings
from service.jobs import worker
opening = worker.AsyncConnectionPool.open
async def open_soon(pool, wait):
    await opening(pool, wait, timeout=0.5)
worker.AsyncConnectionPool.open = open_soon
worker.run(Settings.from_environ(os.environ))
"""


@pytest.mark.slow
def test_a_worker_that_starts_without_its_database_says_so_and_ends(tmp_path: Path) -> None:
    environ = os.environ | {
        "DATABASE_URL": f"postgresql://nova@127.0.0.1:{free_port()}/nova",
        "NOVALUNA_SECRET_KEY": KEYS[0],
        "NOVALUNA_DATA": str(tmp_path),
    }
    ended = subprocess.run([sys.executable, "-c", NO_DATABASE], env=environ, capture_output=True, timeout=PATIENCE)
    assert ended.returncode == 1 and ended.stderr == b""
    said = [json.loads(line)["event"] for line in ended.stdout.splitlines()]
    assert "worker exited and needs a restart" in said and "uncaught" not in said


_HANGS = """
import asyncio, os, time
from service.config import Settings
from service.jobs import worker
from service.jobs.heartbeat import Heartbeat
from service.jobs.manager import QueueLost

async def work(*_):
    asyncio.get_running_loop().run_in_executor(None, time.sleep, 3600)
    raise QueueLost

worker._work = work
worker.run(Settings.from_environ(os.environ), heartbeat=Heartbeat(0.05))
"""


@pytest.mark.slow
def test_a_worker_that_lost_its_queue_ends_although_a_job_does_not(context: WorkerContext, tmp_path: Path) -> None:
    environment = {"DATABASE_URL": context.settings.database_url, "NOVALUNA_SECRET_KEY": KEYS[0]}
    environment |= {"NOVALUNA_MAIL_PICTURES": "off", "NOVALUNA_DATA": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", _HANGS], env=os.environ | environment, timeout=PATIENCE, check=False)
    assert run.returncode == 1
