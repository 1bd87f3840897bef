"""Claims begin where the last job was found: they read no more pages for what was done, and no job is passed over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import psycopg
from procrastinate.jobs import Job
from procrastinate.testing import InMemoryConnector
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.jobs.claim_position import FROM_BEGINNING_EVERY, ClaimPosition
from service.jobs.heartbeat import Heartbeat
from service.jobs.manager import Manager
from service.store import job_claims
from service.store.migrate import upgrade

JOBS, DONE = 6_000, 5_000
_PILE_UP = """
    INSERT INTO procrastinate_jobs (queue_name, task_name, args)
    SELECT 'default', 'mail_turn', '{}' FROM generate_series(1, %s)
"""
_FINISH = """
    UPDATE procrastinate_jobs SET status = %s::text::procrastinate_job_status
     WHERE id IN (SELECT id FROM procrastinate_jobs WHERE status <> 'succeeded' ORDER BY id LIMIT %s)
"""


class Now:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def a_job(id: int, priority: int = 0) -> Job:
    return Job(id=id, queue="default", lock=None, queueing_lock=None, task_name="mail_turn", priority=priority)


def pages(connection: psycopg.Connection, begin: int) -> int:
    """Return the pages that a claim reads, which is undone."""
    explained = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {job_claims.ORDINARY}"
    with connection.transaction(force_rollback=True):
        row = connection.execute(explained.encode(), {"worker": None, "begin": begin}).fetchone()
    assert row is not None
    plan = row[0][0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


def test_a_claim_reads_few_pages_while_a_backup_runs(make_database: Callable[[], str]) -> None:
    url = make_database()
    upgrade(url)
    with psycopg.connect(url, autocommit=True) as connection, psycopg.connect(url) as backup:
        connection.execute(_PILE_UP, [JOBS])
        connection.execute("ANALYZE procrastinate_jobs")
        backup.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        backup.execute("SELECT count(*) FROM procrastinate_jobs")
        before = pages(connection, 1)
        for status in ("doing", "succeeded"):
            connection.execute(_FINISH, [status, DONE])
        row = connection.execute("SELECT min(id) FROM procrastinate_jobs WHERE status = 'todo'").fetchone()
        assert row is not None
        assert pages(connection, row[0]) <= before + 5 < pages(connection, 0)


def test_a_claim_from_the_beginning_comes_every_second() -> None:
    clock = Now()
    position = ClaimPosition(clock)
    assert position.begin() == 0
    position.found(a_job(7))
    assert position.begin() == 7
    clock.now = FROM_BEGINNING_EVERY
    assert [position.begin(), position.begin()] == [0, 7]
    position.found(a_job(3))  # its transaction took longer than that of the seventh
    assert position.begin() == 3


def test_jobs_out_of_the_order_of_ids_do_not_count() -> None:
    position = ClaimPosition(Now())
    position.begin()
    position.found(a_job(7))
    for priority in (1, -1):
        position.found(a_job(9, priority))
    assert position.begin() == 7


def test_a_job_before_the_last_one_is_found_when_there_is_none_after_it(session: Session) -> None:
    """It is claimed at once, and a more urgent one, of whatever id, before it."""
    url = session.connection().engine.url.render_as_string(hide_password=False).replace("+psycopg", "")
    queued = text("""
        INSERT INTO procrastinate_jobs (queue_name, task_name, args, priority)
        VALUES ('default', 'mail_turn', '{}', :priority) RETURNING id
    """)
    ids = [session.scalars(queued, {"priority": priority}).one() for priority in (0, 1, 0)]
    session.commit()

    class Connected(InMemoryConnector):
        async def execute_query_all_async(self, query: str, **given: object) -> list[dict[str, object]]:
            with psycopg.connect(url, autocommit=True, row_factory=psycopg.rows.dict_row) as connection:
                return connection.execute(query.encode(), given).fetchall()

    manager = Manager(Connected(), Heartbeat())
    manager._position.begin()
    manager._position.found(a_job(ids[2]))

    async def claimed() -> list[int | None]:
        jobs = [await manager.fetch_job(None, 0) for _ in range(3)]
        return [None if job is None else job.id for job in jobs]

    session.execute(text("INSERT INTO procrastinate_workers (id) OVERRIDING SYSTEM VALUE VALUES (0)"))
    session.commit()
    assert asyncio.run(claimed()) == [ids[1], ids[2], ids[0]]
