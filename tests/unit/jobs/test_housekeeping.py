"""Housekeeping: expired rows are deleted in batches, and nothing else is."""

import asyncio
from collections import Counter
from datetime import datetime

import psycopg
import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import Session
from structlog.testing import capture_logs

from service.access import tokens
from service.commands import guests, tables
from service.jobs import housekeeping
from service.jobs.backoff import DELAYS
from service.jobs.worker import make_app
from service.jobs.worker_context import WorkerContext
from service.local.postgres import Postgres
from service.store import purging, queue, rate_limits
from service.store.accounts import Account, Code, Token
from service.store.queue import defer
from service.store.tables import Table
from tests.support import world
from tests.support.clock import NOW
from tests.unit.jobs.job_queue import Job, let_workers_die, mail_jobs


def periodic(context: WorkerContext, name: str) -> None:
    """Run one of the periodic tasks as its schedule would.

    It may also run by itself, in the minutes after its time.
    """

    async def once() -> None:
        app = make_app(context)
        async with app.open_async():
            await app.configure_task(name).defer_async(timestamp=0)
            await app.run_worker_async(wait=False, install_signal_handlers=False, listen_notify=False)

    asyncio.run(once())


def states(session: Session, name: str) -> set[str]:
    session.rollback()
    query = text("SELECT status::text FROM procrastinate_jobs WHERE task_name = :name")
    return set(session.scalars(query, {"name": name}))


def test_old_tables_are_closed_and_their_players_told(session: Session, context: WorkerContext) -> None:
    table = world.open_table(session, world.account(session, "Ann"))
    session.execute(text("UPDATE tables SET created_at = :old"), {"old": NOW - tables.LIFETIME})
    session.commit()
    periodic(context, "close_old_tables")
    assert states(session, "close_old_tables") == {"succeeded"}
    assert session.scalar(select(Table.closed_because).where(Table.id == table)) == "expired"
    assert [job.task for job in mail_jobs(session)] == ["mail_closed"]


OTHERS = (
    "bounces", "deliveries", "events", "failures", "incoming", "invitation_links", "mail_domains", "reminders",
    "slot_processes",
)  # fmt: skip


def test_what_has_expired_is_thrown_away_and_nothing_else(session: Session, context: WorkerContext) -> None:
    ann = world.account(session, "Ann")
    for number, expires_at in enumerate((NOW, world.later(minutes=1))):
        session.add(
            Code(id=f"code{number}", purpose="sign-in", email="x@example.org", created_at=NOW, expires_at=expires_at)
        )
        session.add(
            Token(id=f"token{number}", account=ann, hash=bytes([number]) * 32, created_at=NOW, expires_at=expires_at)
        )
    session.execute(
        text(
            "INSERT INTO idempotency (account, method, path, key, body_hash, created_at)"
            " VALUES ('a', 'POST', '/', 'old', :hash, :old), ('a', 'POST', '/', 'new', :hash, :new)"
        ),
        {"old": world.later(hours=-25), "new": world.later(hours=-23), "hash": bytes(32)},
    )
    session.execute(
        text("INSERT INTO rate_limits VALUES ('old', 1, :old), ('new', 1, :new)"),
        {"old": world.later(seconds=-1), "new": world.later(seconds=1)},
    )
    session.commit()
    with capture_logs() as logs:
        periodic(context, "purge")
    assert states(session, "purge") == {"succeeded"}
    counts = Counter[str]()
    for line in logs:
        if line["event"] == "expired rows deleted" and line["table"] != "procrastinate_jobs":  # that is another task's
            counts[line["table"]] += line["count"]
    assert dict(counts) == dict.fromkeys(OTHERS, 0) | dict.fromkeys(
        ("codes", "idempotency", "rate_limits", "tokens"), 1
    )
    assert list(session.scalars(select(Code.id))) == ["code1"]
    assert list(session.scalars(select(Token.id))) == ["token1"]
    assert list(session.scalars(text("SELECT key FROM idempotency"))) == ["new"]
    assert list(session.scalars(text("SELECT key FROM rate_limits"))) == ["new"]


def test_a_guest_whose_session_is_over_is_erased(session: Session, context: WorkerContext) -> None:
    session.execute(text("UPDATE accounts SET erased_at = :now WHERE email IS NULL"), {"now": NOW})  # of other tests
    over, here = (guests.begin(session, "en", at, tokens.new_token()) for at in (NOW - guests.LIFETIME, NOW))
    session.commit()
    periodic(context, "erase_guests")
    assert states(session, "erase_guests") == {"succeeded"}
    erased = select(Account.id).where(Account.id.in_((over, here)), Account.erased_at.is_not(None))
    assert list(session.scalars(erased)) == [over]


AGED = (("succeeded", "2 hours"), ("failed", "2 hours"), ("failed", "8 days"), ("todo", "8 days"))


@pytest.fixture
def aged_jobs(postgres: Postgres, session: Session) -> None:
    """Insert jobs that ended long ago, named by state and age, three of each."""
    with psycopg.connect(postgres.url_of("jobs")) as owner:  # the service can't change these times
        for status, age in AGED * 3:
            row = owner.execute(
                "INSERT INTO procrastinate_jobs (queue_name, task_name, scheduled_at)"
                " VALUES ('default', %s, now() + interval '1 day') RETURNING id",
                (f"{status} {age}",),
            ).fetchone()
            assert row is not None
            for passed in ("doing", status):  # each leaves an event, whose time tells its age
                owner.execute("UPDATE procrastinate_jobs SET status = %s WHERE id = %s", (passed, *row))
            owner.execute("UPDATE procrastinate_events SET at = now() - %s::interval WHERE job_id = %s", (age, *row))


@pytest.mark.usefixtures("aged_jobs")
def test_old_jobs_are_thrown_away_failed_ones_later(
    session: Session, context: WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housekeeping, "PIECE", 2)
    periodic(context, "purge_jobs")
    assert states(session, "purge_jobs") == {"succeeded"}
    left = session.scalars(text("SELECT task_name FROM procrastinate_jobs WHERE task_name LIKE '% %' ORDER BY id"))
    assert list(left) == ["failed 2 hours", "todo 8 days"] * 3
    orphans = "SELECT count(*) FROM procrastinate_events WHERE job_id NOT IN (SELECT id FROM procrastinate_jobs)"
    assert session.scalar(text(orphans)) == 0


def test_what_is_thrown_away_goes_in_pieces_of_a_transaction_each(session: Session, context: WorkerContext) -> None:
    session.execute(
        text("INSERT INTO rate_limits SELECT number, 1, :old FROM generate_series(1, 7) number"), {"old": NOW}
    )
    session.commit()
    seen = []

    def purge(session: Session, now: datetime, most: int) -> int:
        seen.append(session.scalar(text("SELECT count(*) FROM rate_limits")))
        return rate_limits.purge(session, now, most)

    assert purging.in_pieces(context.sessions, purge, NOW, piece=3) == 7
    assert seen == [7, 4, 1]


def test_a_job_that_its_workers_die_of_waits_and_is_given_up(session: Session, context: WorkerContext) -> None:
    defer(session, "forget_mail", {"address_hash": "00", "account": "AcCt", "until_ms": 0})
    session.commit()

    async def take_up(attempts: int) -> None:
        app = make_app(context)
        async with app.open_async():
            worker = await app.job_manager.register_worker()
            tried = text("UPDATE procrastinate_jobs SET attempts = :attempts, scheduled_at = NULL")
            session.execute(tried, {"attempts": attempts})
            session.commit()
            assert await app.job_manager.fetch_job(queues=None, worker_id=worker) is not None
            let_workers_die(session)
            await housekeeping.take_up(app)

    found = []
    for attempts in (0, 3, 4, len(DELAYS) - 1, len(DELAYS)):
        asyncio.run(take_up(attempts))
        found += mail_jobs(session)
    assert [(job.status, job.later) for job in found] == [
        ("todo", False), ("todo", False), ("todo", True), ("todo", True), ("failed", False)
    ]  # fmt: skip


def test_the_jobs_of_the_living_are_left_to_them(session: Session, context: WorkerContext) -> None:
    async def take_up() -> None:
        app = make_app(context)
        async with app.open_async():
            worker = await app.job_manager.register_worker()
            await app.configure_task("forget_mail").defer_async(address_hash="00", account="AcCt", until_ms=0)
            assert await app.job_manager.fetch_job(queues=None, worker_id=worker) is not None
            await housekeeping.take_up(app)
            assert mail_jobs(session) == [Job("forget_mail", "doing", 0, False)]
            let_workers_die(session)
            await housekeeping.take_up(app)
            assert mail_jobs(session) == [Job("forget_mail", "todo", 1, False)]

    asyncio.run(take_up())


def test_a_job_of_a_task_that_a_worker_does_not_know_waits(session: Session, context: WorkerContext) -> None:
    queue.defer(session, "mail_of_a_later_release", {})
    session.commit()
    periodic(context, "close_old_tables")
    (waiting,) = [job for job in mail_jobs(session) if job.task == "mail_of_a_later_release"]
    assert waiting == Job("mail_of_a_later_release", "todo", 1, True)
