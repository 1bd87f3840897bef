"""What happens to a job whose mail is not sent."""

import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from itertools import pairwise
from pathlib import Path

import pytest
from procrastinate.jobs import Job as QueueJob
from sqlalchemy import text
from sqlalchemy.orm import Session
from structlog.testing import capture_logs

from service.jobs.backoff import DELAYS, BackOff
from service.jobs.relay_watch import RelayWatch
from service.jobs.worker import make_app
from service.jobs.worker_context import WorkerContext
from service.mail.failures import PermanentFailure, TransientFailure
from service.mail.relay import Relay
from service.store.accounts import Code
from service.store.queue import defer
from tests.support.clock import NOW
from tests.support.mail import relay as relays
from tests.unit.jobs.conftest import sending_by
from tests.unit.jobs.job_queue import Job, mail_jobs, make_due, run
from tests.unit.jobs.worker_process import PATIENCE


def by_relay(context: WorkerContext, relay: relays.Relay) -> WorkerContext:
    return sending_by(context, Relay("smtp", "127.0.0.1", relay.port, timeout=PATIENCE))


@pytest.mark.usefixtures("table")
def test_a_greylisted_mail_is_tried_again_and_arrives_once(session: Session, context: WorkerContext) -> None:
    with relays.running() as relay:
        relay.answer_rcpt = ["451 4.7.1 Greylisted"] * 2
        for attempts in (1, 2):
            run(by_relay(context, relay))
            assert mail_jobs(session) == [Job("mail_turn", "todo", attempts, True)]
            make_due(session)
        run(by_relay(context, relay))
        assert mail_jobs(session) == [Job("mail_turn", "succeeded", 3, False)]
        assert len(relay.mails) == 1


@pytest.mark.usefixtures("table")
def test_a_refused_mail_is_given_up_and_its_log_line_has_no_address(
    session: Session, context: WorkerContext, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with relays.running() as relay:
        relay.answer_rcpt = ["550 5.1.1 <ann@example.org> <ben@example.org> unknown"]
        run(by_relay(context, relay))
        assert relay.mails == []
    assert mail_jobs(session) == [Job("mail_turn", "failed", 1, False)]
    assert "RCPT with 550 5.1.1 <address> <address> unknown" in caplog.text
    ours = [record for record in caplog.records if not record.name.startswith(("mail.", "asyncio"))]
    assert ours and not any("@example.org" in f"{record.getMessage()} {record.exc_text}" for record in ours)


@pytest.mark.usefixtures("table")
def test_a_missing_password_loses_no_mail_and_the_log_names_the_setting(
    session: Session, context: WorkerContext
) -> None:
    with relays.running() as relay, capture_logs() as logs:
        relay.answer_rcpt = ["554 5.7.1 <ann@example.org>: Relay access denied"] * 2
        run(by_relay(context, relay))
        assert mail_jobs(session) == [Job("mail_turn", "todo", 1, True)]
        noted = session.execute(text("SELECT state, reason, answer FROM deliveries")).one()
        assert noted == (
            "queued",
            "mail_server",
            "the relay answered RCPT with 554 5.7.1 <address>: Relay access denied: it wants another login, or "
            "encryption",
        )
        assert [log["mend"] for log in logs if log["event"] == "not done"] == ["NOVALUNA_SMTP_URL"]
        make_due(session)
        relay.answer_rcpt.clear()
        run(by_relay(context, relay))
        assert mail_jobs(session) == [Job("mail_turn", "succeeded", 2, False)]
        assert len(relay.mails) == 1


def test_an_unforeseen_error_is_retried_and_logged_without_its_text(
    session: Session, context: WorkerContext, table: str, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken:
        def deliver(self, message: EmailMessage, return_path: str | None = None, last_look: object = None) -> bool:
            raise LookupError(f"no way to {message['To']}")

    caplog.set_level(logging.INFO)
    run(sending_by(context, Broken()))
    assert mail_jobs(session) == [Job("mail_turn", "todo", 1, True)]
    assert "LookupError at " in caplog.text and "no way to" not in caplog.text and "@example.org" not in caplog.text
    make_due(session)
    run(context)
    assert mail_jobs(session) == [Job("mail_turn", "succeeded", 2, False)]
    assert table in "".join(path.name for path in Path(context.settings.data_dir or "").rglob("turn.*"))


@pytest.mark.usefixtures("table")
def test_a_mail_that_is_tried_again_is_composed_again(session: Session, context: WorkerContext) -> None:
    with relays.running() as relay:
        relay.answer_data = ["451 busy"]
        run(by_relay(context, relay))
        session.execute(text("UPDATE accounts SET name = 'Renamed'"))
        session.commit()
        make_due(session)
        run(by_relay(context, relay))
        assert b"Renamed" in relay.mails[0]


def test_the_delays_grow_and_go_over_two_days() -> None:
    assert DELAYS[0] == 30 and max(DELAYS) == 2 * 60 * 60
    assert all(later == min(2 * sooner, 7200) for sooner, later in pairwise(DELAYS))
    assert timedelta(hours=48) <= timedelta(seconds=sum(DELAYS)) < timedelta(hours=50)


def a_job(attempts: int) -> QueueJob:
    return QueueJob(id=1, queue="default", lock=None, queueing_lock=None, task_name="mail_turn", attempts=attempts)


def test_the_back_off_ends_after_the_last_delay_and_at_a_refusal() -> None:
    strategy = BackOff()
    before = datetime.now(UTC)
    third = strategy.get_retry_decision(exception=TransientFailure("later"), job=a_job(2))
    assert third is not None and third.retry_at is not None
    assert timedelta(0) <= third.retry_at - before - timedelta(seconds=DELAYS[2]) < timedelta(seconds=30)
    last = len(DELAYS)
    assert strategy.get_retry_decision(exception=TransientFailure("later"), job=a_job(last - 1)) is not None
    assert strategy.get_retry_decision(exception=TransientFailure("later"), job=a_job(last)) is None
    assert strategy.get_retry_decision(exception=PermanentFailure("no"), job=a_job(0)) is None


def test_no_task_is_given_up_at_its_first_failure(context: WorkerContext) -> None:
    ours = [task for name, task in make_app(context).tasks.items() if "procrastinate" not in name]
    assert len(ours) > 8
    assert [task.name for task in ours if task.retry_strategy is None] == []


@pytest.mark.usefixtures("table")
def test_workers_put_down_whether_the_mail_server_takes_mails(session: Session, context: WorkerContext) -> None:
    def failing() -> bool:
        session.rollback()
        return bool(session.scalar(text("SELECT count(*) FROM relay_state WHERE failing_since IS NOT NULL")))

    with relays.running() as relay:
        settings = replace(context.settings, smtp_url=f"smtp://127.0.0.1:{relay.port}")
        by = replace(by_relay(context, relay), settings=settings)
        relay.answer_rcpt = ["451 4.3.0 I take nothing"]
        run(by)
        assert failing()
        make_due(session)
        run(by)
        assert len(relay.mails) == 1 and not failing()
    watch = RelayWatch()
    watch.fails(by)
    assert failing()
    watch.works(by)
    assert not failing()
    RelayWatch().fails(by)
    watch.works(by)
    assert failing(), "what was written a moment ago is not written again"


@pytest.mark.parametrize(
    "answer", ["450 greylisted", "450 4.2.0 later", "452 mailbox full", "451 4.7.1 later", "421 bye"]
)
@pytest.mark.usefixtures("table")
def test_what_is_about_a_recipient_is_no_fault_of_the_mail_server(
    session: Session, context: WorkerContext, answer: str
) -> None:
    with relays.running() as relay:
        relay.answer_rcpt = [answer]
        settings = replace(context.settings, smtp_url=f"smtp://127.0.0.1:{relay.port}")
        by = replace(by_relay(context, relay), settings=settings)
        RelayWatch().works(by)
        run(by)
        assert relay.answer_rcpt == []
    session.rollback()
    assert session.scalar(text("SELECT count(*) FROM relay_state WHERE failing_since IS NOT NULL")) == 0


def test_codes_for_anybody_do_not_make_the_mail_server_fail(session: Session, context: WorkerContext) -> None:
    with relays.running() as relay:
        settings = replace(context.settings, smtp_url=f"smtp://127.0.0.1:{relay.port}")
        by = replace(by_relay(context, relay), settings=settings)
        for domain in ("a.example", "b.example", "c.example"):
            code = f"CoDe2345678{domain[0]}"
            session.add(
                Code(
                    id=code,
                    purpose="sign-in",
                    email=f"nobody@{domain}",
                    created_at=NOW,
                    expires_at=NOW + timedelta(minutes=15),
                )
            )
            session.flush()
            defer(session, "mail_code", {"code": code})
        session.commit()
        relay.answer_rcpt = ["451 4.3.0 later"] * 3
        RelayWatch().works(by)
        run(by)
        assert [job.attempts for job in mail_jobs(session)] == [1, 1, 1] and relay.answer_rcpt == []
    assert session.scalar(text("SELECT count(*) FROM relay_state WHERE failing_since IS NOT NULL")) == 0


def test_a_mail_server_that_puts_off_each_domain_fails(session: Session, context: WorkerContext) -> None:
    def failing() -> bool:
        session.rollback()
        return bool(session.scalar(text("SELECT count(*) FROM relay_state WHERE failing_since IS NOT NULL")))

    by = replace(context, settings=replace(context.settings, smtp_url="smtp://127.0.0.1:25"))
    now = [0.0]
    watch = RelayWatch(lambda: now[0])
    watch.works(by)
    for domain in ("a.example", "a.example", "b.example"):
        watch.puts_off(by, domain)
        assert not watch.refuses_everything and not failing()
    watch.puts_off(by, "c.example")
    assert watch.refuses_everything and failing()
    watch.works(by)
    assert not watch.refuses_everything and not failing()
    for domain in ("a.example", "b.example", "c.example"):
        watch.puts_off(by, domain)
    now[0] = 3601.0
    assert not watch.refuses_everything, "nothing was tried for an hour"
