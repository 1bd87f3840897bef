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
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.jobs.workshop import Workshop
from tests.jobs.queue import Job, let_workers_die, mail_jobs
from tests.mail import relay as relays
from tests.service.games import world
from tests.service.games.world import KEYS

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
