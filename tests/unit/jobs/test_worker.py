"""The worker as a process: killed while sending, asked to stop, and doing its housekeeping."""

import signal
import subprocess
from email import message_from_bytes
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.jobs.worker_context import WorkerContext
from tests.support import world
from tests.unit.jobs.job_queue import Job, let_workers_die, mail_jobs
from tests.unit.jobs.slow_relay import SlowRelay
from tests.unit.jobs.worker_process import PATIENCE, a_worker, lines


def id_of(mail: bytes) -> str:
    return message_from_bytes(mail)["Message-ID"]


@pytest.mark.slow
def test_a_worker_killed_while_it_sends_leaves_the_mail_to_the_next(
    session: Session, context: WorkerContext, relay: SlowRelay, tmp_path: Path
) -> None:
    world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    session.commit()
    with a_worker(context, relay, tmp_path / "log") as worker:
        first = relay.taken.get(timeout=PATIENCE)
        worker.kill()
        worker.wait(PATIENCE)
    assert mail_jobs(session) == [Job("mail_turn", "doing", 0, False)]
    relay.go_on.set()
    let_workers_die(session)
    with a_worker(context, relay, tmp_path / "log") as worker:
        again = relay.taken.get(timeout=PATIENCE)
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE) == 0
    assert id_of(again) == id_of(first)
    assert len(relay.mails) == 2
    assert mail_jobs(session) == [Job("mail_turn", "succeeded", 2, False)]


@pytest.mark.slow
def test_a_worker_asked_to_stop_finishes_what_it_sends(
    session: Session, context: WorkerContext, relay: SlowRelay, tmp_path: Path
) -> None:
    names = ("Annunziata", "Benjamin")  # longer than three letters, which ids may contain
    world.match(session, *(world.account(session, name) for name in names))
    session.commit()
    with a_worker(context, relay, tmp_path / "log") as worker:
        relay.taken.get(timeout=PATIENCE)
        worker.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            worker.wait(0.3)
        relay.go_on.set()
        assert worker.wait(PATIENCE) == 0
    assert mail_jobs(session) == [Job("mail_turn", "succeeded", 1, False)]
    assert session.scalar(text("SELECT count(*) FROM procrastinate_workers")) == 0
    said = lines(tmp_path / "log")
    assert "mail sent" in [line["event"] for line in said]
    assert not [line for line in said if any(private in str(line) for private in ("@", *names))]
