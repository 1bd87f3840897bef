"""The worker as a process: killed in the midst of sending, asked to stop, and keeping house."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from pathlib import Path
from queue import SimpleQueue
from threading import Event

import pytest
from aiosmtpd.smtp import SMTP, Envelope
from aiosmtpd.smtp import Session as SmtpSession
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from service.commands import tables
from service.jobs import housekeeping
from service.jobs.worker import make_app
from service.jobs.workshop import Workshop
from service.store.accounts import Code, Token
from service.store.tables import Table
from tests.jobs.queue import Job, let_workers_die, mail_jobs
from tests.mail import relay as relays
from tests.service.games import world
from tests.service.games.world import KEYS, NOW

PATIENCE = 30.0


class SlowRelay(relays.Relay):
    """A relay that has a mail, says so to the test, and acknowledges it only when the test lets it."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: SimpleQueue[bytes] = SimpleQueue()
        self.go_on = Event()

    async def handle_DATA(self, server: SMTP, session: SmtpSession, envelope: Envelope) -> str:
        answer = await super().handle_DATA(server, session, envelope)
        self.taken.put(self.mails[-1])
        await asyncio.to_thread(self.go_on.wait, PATIENCE)
        return answer


@pytest.fixture
def relay() -> Iterator[SlowRelay]:
    slow = SlowRelay()
    with relays.running(slow):
        yield slow
        slow.go_on.set()


@contextmanager
def a_worker(workshop: Workshop, relay: relays.Relay, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of its own process, as `novaluna worker` starts it, that is gone when the block ends.

    What it says goes into `log`.
    """
    environment = os.environ | {
        "DATABASE_URL": workshop.settings.database_url,
        "NOVALUNA_SECRET_KEY": KEYS[0],
        "NOVALUNA_SMTP_URL": f"smtp://127.0.0.1:{relay.port}",
    }
    run = (
        "import os; from service.config import Settings; from service.jobs.worker import run;"
        "run(Settings.from_environ(os.environ))"
    )
    with log.open("wb") as output:
        process = subprocess.Popen([sys.executable, "-c", run], env=environment, stdout=output, stderr=output)
    try:
        yield process
    finally:
        process.kill()
        process.wait(PATIENCE)


def id_of(mail: bytes) -> str:
    return message_from_bytes(mail)["Message-ID"]


def test_a_worker_killed_while_it_sends_leaves_the_mail_to_the_next(
    session: Session, workshop: Workshop, relay: SlowRelay, tmp_path: Path
) -> None:
    world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    session.commit()
    with a_worker(workshop, relay, tmp_path / "log") as worker:
        first = relay.taken.get(timeout=PATIENCE)
        worker.kill()
        worker.wait(PATIENCE)
    assert mail_jobs(session) == [Job("mail_turn", "doing", 0, False)]
    relay.go_on.set()
    let_workers_die(session)
    with a_worker(workshop, relay, tmp_path / "log") as worker:
        again = relay.taken.get(timeout=PATIENCE)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE) == 0
    assert id_of(again) == id_of(first)
    assert len(relay.mails) == 2
    assert mail_jobs(session) == [Job("mail_turn", "succeeded", 2, False)]


def test_a_worker_asked_to_stop_finishes_what_it_sends(
    session: Session, workshop: Workshop, relay: SlowRelay, tmp_path: Path
) -> None:
    world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    session.commit()
    with a_worker(workshop, relay, tmp_path / "log") as worker:
        relay.taken.get(timeout=PATIENCE)
        worker.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            worker.wait(0.3)
        relay.go_on.set()
        assert worker.wait(PATIENCE) == 0
    assert mail_jobs(session) == [Job("mail_turn", "succeeded", 1, False)]
    assert session.scalar(text("SELECT count(*) FROM procrastinate_workers")) == 0
    said = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert "mail sent" in [line["event"] for line in said]
    assert not any("@" in str(line) or "Ann" in str(line) or "Ben" in str(line) for line in said)


def periodic(workshop: Workshop, name: str) -> None:
    """Run one of the periodic tasks as the clock would. (It may do so itself, in the minutes after its time.)"""

    async def once() -> None:
        app = make_app(workshop)
        async with app.open_async():
            await app.configure_task(name).defer_async(timestamp=0)
            await app.run_worker_async(wait=False, install_signal_handlers=False, listen_notify=False)

    asyncio.run(once())


def states(session: Session, name: str) -> set[str]:
    session.rollback()
    query = text("SELECT status::text FROM procrastinate_jobs WHERE task_name = :name")
    return set(session.scalars(query, {"name": name}))


def test_old_tables_are_closed_and_their_players_told(session: Session, workshop: Workshop) -> None:
    table = world.open_table(session, world.account(session, "Ann"))
    session.execute(text("UPDATE tables SET created_at = :old"), {"old": NOW - tables.LIFETIME})
    session.commit()
    periodic(workshop, "close_old_tables")
    assert states(session, "close_old_tables") == {"succeeded"}
    assert session.scalar(select(Table.closed_because).where(Table.id == table)) == "expired"
    assert [job.task for job in mail_jobs(session)] == ["mail_closed"]


def test_what_has_expired_is_thrown_away_and_nothing_else(session: Session, workshop: Workshop) -> None:
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
    periodic(workshop, "purge")
    assert states(session, "purge") == {"succeeded"}
    assert list(session.scalars(select(Code.id))) == ["code1"]
    assert list(session.scalars(select(Token.id))) == ["token1"]
    assert list(session.scalars(text("SELECT key FROM idempotency"))) == ["new"]
    assert list(session.scalars(text("SELECT key FROM rate_limits"))) == ["new"]


def test_old_jobs_are_thrown_away_failed_ones_later(session: Session, workshop: Workshop) -> None:
    for status, age in (("succeeded", "2 hours"), ("failed", "2 hours"), ("failed", "8 days"), ("todo", "8 days")):
        job = session.scalar(
            text(
                "INSERT INTO procrastinate_jobs (queue_name, task_name, scheduled_at)"
                " VALUES ('default', :name, now() + interval '1 day') RETURNING id"
            ),
            {"name": f"{status} {age}"},
        )
        for passed in ("doing", status):  # each leaves its event, from which the age is read
            session.execute(
                text(
                    "UPDATE procrastinate_jobs SET status = CAST(:status AS procrastinate_job_status) WHERE id = :job"
                ),
                {"status": passed, "job": job},
            )
        session.execute(
            text("UPDATE procrastinate_events SET at = now() - CAST(:age AS interval) WHERE job_id = :job"),
            {"age": age, "job": job},
        )
    session.commit()
    periodic(workshop, "purge_jobs")
    assert states(session, "purge_jobs") == {"succeeded"}
    left = session.scalars(text("SELECT task_name FROM procrastinate_jobs WHERE task_name LIKE '% %' ORDER BY id"))
    assert list(left) == ["failed 2 hours", "todo 8 days"]


def test_the_jobs_of_the_living_are_left_to_them(session: Session, workshop: Workshop) -> None:
    async def take_up() -> None:
        app = make_app(workshop)
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
