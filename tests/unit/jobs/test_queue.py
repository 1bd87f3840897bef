"""Jobs are deferred in the caller's transaction."""

from datetime import timedelta

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.jobs.worker_context import WorkerContext
from service.store import job_claims, queue
from service.store.job_claims import AGAIN
from service.store.queue import defer, state
from tests.support.clock import NOW
from tests.unit.jobs.job_queue import Job, mail_jobs, run

FORGET: dict[str, int | str] = {"address_hash": "00", "account": "AcCt", "until_ms": 0}


def test_a_rollback_leaves_no_job_and_a_commit_one(session: Session) -> None:
    defer(session, "forget_mail", FORGET)
    session.rollback()
    assert mail_jobs(session) == []
    defer(session, "forget_mail", FORGET)
    session.commit()
    assert mail_jobs(session) == [Job("forget_mail", "todo", 0, False)]


def test_the_worker_takes_the_job_with_its_arguments(session: Session, context: WorkerContext) -> None:
    defer(session, "forget_mail", FORGET)
    session.commit()
    run(context)
    assert mail_jobs(session) == [Job("forget_mail", "succeeded", 1, False)]
    events = session.scalars(
        text(
            "SELECT event.type::text FROM procrastinate_events event JOIN procrastinate_jobs job ON job.id = job_id"
            " WHERE task_name = 'forget_mail' ORDER BY event.id"
        )
    )
    assert list(events) == ["started", "succeeded"]


def test_a_second_job_with_a_lock_is_skipped_and_the_others_queued(session: Session) -> None:
    defer(session, "mail_turn", {"game": "a", "wait": 0}, queueing_lock="turn:a:0")
    session.commit()
    defer(session, "mail_turn", {"game": "a", "wait": 0}, queueing_lock="turn:a:0")
    defer(session, "mail_turn", {"game": "a", "wait": 3}, queueing_lock="turn:a:3")
    session.commit()
    assert len(mail_jobs(session)) == 2


def test_a_lock_does_not_outlive_its_job(session: Session, context: WorkerContext) -> None:
    for _ in range(2):
        defer(session, "mail_turn", {"game": "a", "wait": 0}, queueing_lock="turn:a:0")
        session.commit()
        run(context)
    assert [job.status for job in mail_jobs(session)] == ["succeeded", "succeeded"]


def test_a_sign_in_code_waits_for_no_other_mail(session: Session, context: WorkerContext) -> None:
    for wait in range(3):
        defer(session, "mail_turn", {"game": "a", "wait": wait})
    defer(session, "mail_code", {"code": "CoDe"})
    session.commit()
    run(context)
    started = session.scalars(
        text(
            "SELECT task_name FROM procrastinate_events event JOIN procrastinate_jobs job ON job.id = job_id"
            " WHERE event.type = 'started' AND task_name LIKE 'mail_%' ORDER BY event.id"
        )
    )
    assert list(started) == ["mail_code", "mail_turn", "mail_turn", "mail_turn"]


def test_a_job_for_later_waits(session: Session, context: WorkerContext) -> None:
    defer(session, "forget_mail", FORGET, scheduled_at=NOW + timedelta(days=36_500))
    session.commit()
    run(context)
    assert mail_jobs(session) == [Job("forget_mail", "todo", 0, True)]


def test_a_worker_of_some_queues_takes_what_is_due_there_and_no_more(session: Session) -> None:
    now = session.scalar(text("SELECT clock_timestamp()"))
    assert now is not None
    for task, hours in (("mail_code", None), ("take_in", -1), ("settle_clock", 1), ("forget_mail", None)):
        later = None if hours is None else now + timedelta(hours=hours)
        defer(session, task, {}, scheduled_at=later)
    asked = {"queues": ["codes", "urgent"], "worker": None}

    def claimed() -> list[str]:
        rows = session.connection().exec_driver_sql(job_claims.OF_QUEUES, asked)
        return [row.task_name for row in rows]

    assert [claimed(), claimed(), claimed()] == [["mail_code"], ["take_in"], []]


def test_only_jobs_that_could_be_claimed_are_due(session: Session, context: WorkerContext) -> None:
    now = session.scalar(text("SELECT clock_timestamp()"))
    assert now is not None
    for wait in range(5):
        defer(session, "mail_turn", {"game": "a", "wait": wait}, scheduled_at=now + timedelta(hours=wait - 3))
    key = text("INSERT INTO mail_domains (domain, held) VALUES ('closed.example', true) RETURNING key")
    change = "UPDATE procrastinate_jobs SET {} WHERE args ->> 'wait' = '{}'"
    for what, wait in (("held_for = :key", 0), ("status = 'succeeded'", 1), ("status = 'doing'", 2)):
        session.execute(text(change.format(what, wait)), {"key": session.scalar(key) if wait == 0 else None})
    session.commit()
    with psycopg.connect(context.settings.database_url) as connection:
        found = state(connection)
    assert (found.due, found.running) == (1, 1) and 0 <= found.age < 600, "wait 3 is due, wait 4 in an hour"


def test_the_age_is_that_of_the_job_that_has_been_due_longest(session: Session, context: WorkerContext) -> None:
    def age() -> float:
        with psycopg.connect(context.settings.database_url) as connection:
            return round(state(connection).age, -1)

    assert age() == 0
    defer(session, "mail_turn", {"game": "a", "wait": 0})
    session.execute(text("UPDATE procrastinate_jobs SET queued_at = queued_at - interval '5 minutes'"))
    defer(session, "mail_turn", {"game": "a", "wait": 1})
    session.commit()
    assert age() == 300
    now = session.scalar(text("SELECT now()"))
    assert now is not None
    defer(session, "mail_turn", {"game": "a", "wait": 2}, scheduled_at=now - timedelta(minutes=10))
    defer(session, "mail_turn", {"game": "a", "wait": 3}, scheduled_at=now + timedelta(minutes=10))
    session.commit()
    assert age() == 600


def test_a_savepoint_that_is_rolled_back_loses_no_wake_up(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    woken = []
    monkeypatch.setattr(queue, "wake", lambda: woken.append(True))
    defer(session, "forget_mail", FORGET)
    session.begin_nested().rollback()
    assert woken == []
    session.commit()
    assert woken == [True]
    defer(session, "forget_mail", FORGET)
    session.rollback()
    session.commit()
    assert woken == [True], "of a job that is gone"


def test_a_job_for_later_makes_way_for_fresh_ones(session: Session) -> None:
    defer(session, "mail_turn", {"game": "a", "wait": 0})
    defer(session, "mail_turn", {"game": "b", "wait": 0}, scheduled_at=NOW + timedelta(hours=1))
    session.commit()
    priorities = session.execute(text("SELECT args ->> 'game', priority FROM procrastinate_jobs ORDER BY 1"))
    assert list(priorities) == [("a", 0), ("b", AGAIN)]
