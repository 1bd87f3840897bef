"""Held mails are claimed from where the last one was found: the oldest first, and past none that is gone already."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session

from service.store import job_claims, mail_domains
from service.store.base import engine_url

JOBS, DONE, AT_ONCE = 3_000, 2_500, 100
_DOMAIN = """
    INSERT INTO mail_domains (domain, at_once, held, first_held, first_running)
    VALUES (%s, 100, true, %s, %s) RETURNING key
"""
_QUEUE = """
    INSERT INTO procrastinate_jobs (queue_name, task_name, args, held_for, priority)
    SELECT 'default', 'mail_turn', '{}', %s, -1000 FROM generate_series(1, %s) RETURNING id
"""
_SENT = """
    INSERT INTO procrastinate_jobs (queue_name, task_name, args, status)
    SELECT 'default', 'mail_turn', '{}', 'succeeded' FROM generate_series(1, %s)
"""
_WAITING = """
    INSERT INTO procrastinate_jobs (queue_name, task_name, args)
    SELECT 'default', 'mail_turn', '{}' FROM generate_series(1, %s)
"""
_CLAIM = "SELECT (claim_held_mail(NULL)).job FROM generate_series(1, %s)"
_FINISH = "UPDATE procrastinate_jobs SET status = 'succeeded' WHERE status = 'doing'"
_PASSED = """
    SELECT sum(pg_stat_get_xact_tuples_returned(indexrelid)) FROM pg_index
     WHERE indrelid = 'procrastinate_jobs'::regclass
"""
_ADMIT = "SELECT * FROM admit_mail('big.example', '0', 100, 0, false)"


@pytest.fixture
def connection(owner_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(owner_url, autocommit=True) as connection:
        yield connection


def hold(connection: psycopg.Connection, domain: str, jobs: int, *, position: int = 0) -> tuple[int, list[int]]:
    """Queue held mails to a domain; return its key and their ids."""
    [[key]] = connection.execute(_DOMAIN, [domain, position, position])
    return key, [id for (id,) in connection.execute(_QUEUE, [key, jobs])]


def entries(connection: psycopg.Connection, statement: str) -> int:
    """Return the number of entries of the queue's indexes that a statement passes, which is undone."""
    with connection.transaction(force_rollback=True):
        [[before]] = connection.execute(_PASSED)
        connection.execute(statement.encode())
        [[after]] = connection.execute(_PASSED)
    return int(after - before)


def test_claim_and_admission_pass_no_mails_that_are_gone(connection: psycopg.Connection, owner_url: str) -> None:
    hold(connection, "big.example", JOBS)
    connection.execute("ANALYZE procrastinate_jobs")
    statements = (_CLAIM.replace("%s", "1"), _ADMIT)
    with psycopg.connect(owner_url) as backup:
        backup.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        backup.execute("SELECT count(*) FROM procrastinate_jobs")
        passed: list[list[int]] = []
        for number in range(DONE // AT_ONCE + 1):
            connection.execute(_CLAIM, [AT_ONCE // 2])
            if number in (1, DONE // AT_ONCE):
                passed.append([entries(connection, statement) for statement in statements])
            connection.execute(_CLAIM, [AT_ONCE // 2])
            connection.execute(_FINISH)
    assert all(late <= early + 5 for early, late in zip(*passed, strict=True)), passed


@pytest.mark.parametrize("ordinary", [0, 1])
def test_a_claim_from_the_beginning_passes_no_held_mails(connection: psycopg.Connection, ordinary: int) -> None:
    """A worker makes one before each held mail that it takes, also after many jobs that were not held."""
    connection.execute(_SENT, [2 * JOBS])
    hold(connection, "big.example", JOBS)
    connection.execute(_WAITING, [ordinary])
    connection.execute("ANALYZE procrastinate_jobs")
    connection.execute("SET plan_cache_mode = force_generic_plan")  # as after a few claims, which know no position
    claim = job_claims.ORDINARY.replace("%(begin)s", "$1").replace("%(worker)s", "$2")
    connection.execute(f"PREPARE claim (bigint, bigint) AS {claim}".encode())
    assert entries(connection, "EXECUTE claim (0, NULL)") < 20


def test_each_held_mail_is_claimed_once_the_oldest_first(connection: psycopg.Connection) -> None:
    _, ids = hold(connection, "big.example", 5)
    claimed = [job for _ in ids for (job,) in connection.execute(_CLAIM, [1])]
    assert claimed == ids and connection.execute(_CLAIM, [1]).fetchall() == []


def test_a_mail_that_is_held_late_comes_before_those_queued_after_it(connection: psycopg.Connection) -> None:
    [[slow]] = connection.execute("""
        INSERT INTO procrastinate_jobs (queue_name, task_name, args, status)
        VALUES ('default', 'mail_turn', '{}', 'doing') RETURNING id
    """)
    key, ids = hold(connection, "big.example", 4)
    assert connection.execute(_CLAIM, [3]).fetchall() == [(id,) for id in ids[:3]]
    connection.execute(job_claims.HOLD, {"job": slow, "domain": key})
    assert connection.execute(_CLAIM, [2]).fetchall() == [(slow,), (ids[3],)]


def test_a_mail_held_before_the_position_is_found_when_none_follows(connection: psycopg.Connection) -> None:
    """A worker of the previous release holds without moving the position."""
    _, ids = hold(connection, "big.example", 2, position=2**40)
    assert connection.execute(_CLAIM, [3]).fetchall() == [(id,) for id in ids]


def test_each_mail_on_its_way_counts_whatever_its_id(connection: psycopg.Connection) -> None:
    _, ids = hold(connection, "big.example", AT_ONCE + 2)
    assert len(connection.execute(_CLAIM, [len(ids)]).fetchall()) == AT_ONCE
    connection.execute("UPDATE procrastinate_jobs SET status = 'succeeded' WHERE id = %s", [ids[50]])
    assert connection.execute(_CLAIM, [len(ids)]).fetchall() == [(ids[AT_ONCE],)]
    connection.execute("UPDATE procrastinate_jobs SET status = 'succeeded' WHERE id = ANY (%s)", [ids[:20]])
    assert len(connection.execute(_CLAIM, [len(ids)]).fetchall()) == 1, "the last one"
    admitted = "SELECT admitted FROM admit_mail('big.example', '0', 81, 0, false)"
    assert connection.execute(admitted).fetchone() == (False,), "81 are on their way"


def test_sorting_passes_over_a_domain_that_another_works_on(connection: psycopg.Connection, owner_url: str) -> None:
    """Otherwise two workers could wait for each other, or a mail be held for a domain that was found empty."""
    for name in ("big", "busy"):
        hold(connection, f"{name}.example", 0)
        connection.execute(
            "INSERT INTO accounts (id, email, created_at) VALUES (%s, %s, now())", [name * 3, f"p@{name}.example"]
        )
    for name in ("busy", "big", "busy"):
        connection.execute(
            "INSERT INTO procrastinate_jobs (queue_name, task_name, args)"
            " VALUES ('default', 'mail_digest', jsonb_build_object('account', %s::text))",
            [name * 3],
        )
    engine = create_engine(engine_url(owner_url))
    held = "SELECT domain FROM procrastinate_jobs JOIN mail_domains ON key = held_for ORDER BY id"
    with psycopg.connect(owner_url) as other, Session(engine) as session:
        other.execute("SELECT FROM mail_domains WHERE domain = 'busy.example' FOR UPDATE")
        session.execute(text("SET LOCAL lock_timeout = '1s'"))
        mail_domains.hold_waiting(session, 0, 1, {})
        session.commit()
        assert connection.execute(held).fetchall() == [("big.example",)]
        other.rollback()
        mail_domains.hold_waiting(session, 1, 1, {})
        session.commit()
    engine.dispose()
    assert connection.execute(held).fetchall() == [("big.example",), ("busy.example",)], "those after the first"
