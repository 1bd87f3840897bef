"""Mails by destination domain: limits over all workers together, pauses, and who does not wait for whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session
from structlog.testing import capture_logs

from service.jobs.worker_context import WorkerContext
from service.mail.relay import Relay
from service.mail_limits import DomainLimit, MailLimits
from service.store import mail_domains
from service.store.accounts import Code, ensure_account
from service.store.queue import defer
from tests.support import world
from tests.support.clock import NOW
from tests.support.mail import relay as relays
from tests.unit.jobs.job_queue import Job, mail_jobs, make_due, run
from tests.unit.jobs.worker_process import PATIENCE

HELD = text("""
    SELECT task_name, domain FROM procrastinate_jobs JOIN mail_domains ON key = held_for
     WHERE status = 'todo' ORDER BY id
""")


@pytest.fixture
def taking() -> Iterator[relays.Relay]:
    with relays.running() as relay:
        yield relay


def limited(context: WorkerContext, relay: relays.Relay, limits: str = "") -> WorkerContext:
    """Return the context of a worker with these limits, which sends by this relay."""
    settings = replace(
        context.settings, smtp_url=f"smtp://127.0.0.1:{relay.port}", mail_limits=MailLimits.parse(limits)
    )
    return replace(context, settings=settings, transport=Relay("smtp", "127.0.0.1", relay.port, timeout=PATIENCE))


def turn_of(session: Session, address: str) -> None:
    """Queue the mail of a turn for somebody at this address, or for the other player, at the same domain."""
    local, _, domain = address.partition("@")
    people = [
        ensure_account(session, f"{local}{end}@{domain}", name=f"{local}{end}", language=None, now=NOW).id
        for end in ("", "-other")
    ]
    world.match(session, *people)
    session.commit()


def pause_until(session: Session, time: str) -> None:
    session.execute(text("UPDATE mail_domains SET paused_until = CAST(:time AS timestamptz)"), {"time": time})
    session.commit()


def fail_for(session: Session, *, hours: int) -> None:
    session.execute(text("UPDATE mail_domains SET failing_since = now() - make_interval(hours => :n)"), {"n": hours})
    session.commit()


def held(session: Session) -> list[tuple[str, str]]:
    session.rollback()
    return [(task, domain) for task, domain in session.execute(HELD)]


def test_what_is_over_the_rate_of_a_domain_is_held_and_others_go_on(
    session: Session, context: WorkerContext, taking: relays.Relay
) -> None:
    for number in range(3):
        turn_of(session, f"p{number}@big.example")
    turn_of(session, "q@small.example")
    run(limited(context, taking, "big.example=1/h"))
    domains = sorted(each.partition("@")[2] for each in taking.recipients)
    assert domains == ["big.example", "small.example"]
    assert held(session) == [("mail_turn", "big.example")] * 2
    assert {job.attempts for job in mail_jobs(session) if job.status == "todo"} == {0}


def test_held_mails_go_when_there_is_room_the_oldest_first(
    session: Session, context: WorkerContext, taking: relays.Relay
) -> None:
    for number in range(3):
        turn_of(session, f"p{number}@big.example")
    own = limited(context, taking, "big.example=1/h")
    run(own)
    for _ in range(2):
        session.execute(text("UPDATE mail_domains SET next_at = '-infinity'"))
        session.commit()
        run(own)
    first, *rest = [address[:2] for address in taking.recipients]  # of the three that ask at once, any may be first
    assert rest == sorted({"p0", "p1", "p2"} - {first})
    assert held(session) == []


def test_the_names_of_one_provider_count_together(
    session: Session, context: WorkerContext, taking: relays.Relay
) -> None:
    turn_of(session, "p@big.example")
    turn_of(session, "p@also-big.example")
    run(limited(context, taking, "big.example,also-big.example=1/h"))
    assert len(taking.recipients) == 1 and held(session) == [("mail_turn", "big.example")]


def test_a_star_limits_each_other_domain_by_itself(
    session: Session, context: WorkerContext, taking: relays.Relay
) -> None:
    for address in ("a@one.example", "b@one.example", "a@two.example"):
        turn_of(session, address)
    run(limited(context, taking, "*=1/h"))
    assert len(taking.recipients) == 2 and held(session) == [("mail_turn", "one.example")]


def test_a_code_is_sent_whatever_the_limit(session: Session, context: WorkerContext, taking: relays.Relay) -> None:
    turn_of(session, "p0@big.example")
    own = limited(context, taking, "big.example=1/h")
    run(own)
    turn_of(session, "p1@big.example")
    session.add(
        Code(id="a" * 12, purpose="sign-in", email="z@big.example", created_at=NOW, expires_at=world.later(minutes=15))
    )
    session.flush()
    defer(session, "mail_code", {"code": "a" * 12})
    session.commit()
    run(own)
    assert taking.recipients[1:] == ["z@big.example"] and len(held(session)) == 1


@pytest.mark.parametrize("answer", ["421 too many", "451 4.7.500 Server busy", "450 4.7.28 unusual rate"])
def test_a_domain_that_asks_for_fewer_gets_none_for_a_while(
    session: Session, context: WorkerContext, taking: relays.Relay, answer: str
) -> None:
    turn_of(session, "p0@big.example")
    taking.answer_rcpt = [answer]
    with capture_logs() as logs:
        run(limited(context, taking))
    told = [line for line in logs if line["event"] == "a domain gets no mail for a while"]
    assert [(line["domain"], line["seconds"]) for line in told] == [("not named in NOVALUNA_MAIL_LIMITS", 30)]
    assert mail_jobs(session) == [Job("mail_turn", "todo", 1, True)]
    pause_until(session, "infinity")
    turn_of(session, "p1@big.example")
    turn_of(session, "q@small.example")
    run(limited(context, taking))
    assert [address[0] for address in taking.recipients] == ["q"] and held(session) == [("mail_turn", "big.example")]
    pause_until(session, "-infinity")
    make_due(session)
    for _ in range(2):  # the first one tries the domain with one mail
        run(limited(context, taking))
    assert sorted(address[:2].rstrip("@-") for address in taking.recipients) == ["p0", "p1", "q"]
    assert session.scalar(text("SELECT failures FROM mail_domains")) == 0


@pytest.mark.parametrize("limits", ["", "big.example=100"])
def test_a_mail_that_another_worker_sends_ends_the_pause(
    session: Session, context: WorkerContext, taking: relays.Relay, limits: str
) -> None:
    mail_domains.fails(session, "big.example", 0)
    pause_until(session, "-infinity")
    turn_of(session, "p@big.example")
    run(limited(context, taking, limits))
    assert len(taking.recipients) == 1
    assert session.scalar(text("SELECT failures FROM mail_domains")) == 0


def test_a_greylisted_mail_pauses_nobody(session: Session, context: WorkerContext, taking: relays.Relay) -> None:
    turn_of(session, "p0@big.example")
    taking.answer_rcpt = ["450 4.7.1 <p0@big.example>: Recipient address rejected: Greylisted"]
    run(limited(context, taking))
    assert session.scalar(text("SELECT count(*) FROM mail_domains")) == 0


def test_pauses_grow_and_mails_sent_together_count_once(session: Session) -> None:
    lasting = [mail_domains.fails(session, "big.example", 0) for _ in range(8)]
    assert [round(seconds or 0) for seconds in lasting] == [30, 60, 120, 240, 480, 960, 1800, 1800]
    assert mail_domains.fails(session, "big.example", 60) is None
    mail_domains.works(session, "big.example", 60)  # it began before the pause
    assert session.scalar(text("SELECT failures FROM mail_domains")) == 7
    mail_domains.works(session, "big.example", 0)
    assert session.scalar(text("SELECT failures FROM mail_domains")) == 0


def test_a_domain_that_failed_gets_one_mail_to_try_it_with(session: Session) -> None:
    mail_domains.fails(session, "big.example", 0)
    pause_until(session, "-infinity")
    tried = [mail_domains.admit(session, "big.example", DomainLimit(), job, anyway=False) for job in (1, 2)]
    assert [each.admitted for each in tried] == [True, False]


_RUNNING = text("""
    INSERT INTO procrastinate_jobs (queue_name, task_name, args, status)
    VALUES ('default', 'mail_turn', '{}', 'doing') RETURNING id
""")


def test_the_number_at_once_holds_over_all_workers(session: Session) -> None:
    jobs = [session.execute(_RUNNING).scalar_one() for _ in range(3)]
    limit = DomainLimit(at_once=2)
    admitted = [mail_domains.admit(session, "big.example", limit, job, anyway=False).admitted for job in jobs]
    assert admitted == [True, True, False]
    session.execute(text("UPDATE procrastinate_jobs SET status = 'succeeded' WHERE id = :job"), {"job": jobs[0]})
    assert mail_domains.admit(session, "big.example", limit, jobs[2], anyway=False).admitted


def test_a_rate_admits_half_a_second_s_mails_at_once(session: Session) -> None:
    limit = DomainLimit(pace=timedelta(milliseconds=50))
    admitted = [mail_domains.admit(session, "big.example", limit, job, anyway=False).admitted for job in range(20)]
    assert 10 <= sum(admitted) < 20 and admitted[:10] == [True] * 10


def test_a_job_that_is_put_back_is_held_no_longer(session: Session) -> None:
    job = session.execute(_RUNNING).scalar_one()
    assert mail_domains.admit(session, "big.example", DomainLimit(), job, anyway=False).admitted
    session.execute(text("SELECT procrastinate_retry_job_v2(:job, now(), NULL, NULL, NULL)"), {"job": job})
    assert session.scalar(text("SELECT held_for FROM procrastinate_jobs")) is None


def test_a_mail_is_late_only_if_its_domain_fails(session: Session) -> None:
    job = session.execute(_RUNNING).scalar_one()
    session.execute(text("UPDATE procrastinate_jobs SET queued_at = now() - interval '49 hours'"))
    limit = DomainLimit(timedelta(hours=1))
    assert mail_domains.admit(session, "big.example", limit, 0, anyway=False).admitted
    waiting = mail_domains.admit(session, "big.example", limit, job, anyway=False)
    assert not waiting.admitted and not waiting.is_late, "it takes its mails, if slowly"
    mail_domains.fails(session, "big.example", 0)
    assert not mail_domains.admit(session, "big.example", limit, job, anyway=False).is_late, "it took them until now"
    fail_for(session, hours=49)
    assert mail_domains.admit(session, "big.example", limit, job, anyway=False).is_late


def test_a_mail_is_given_up_after_two_days_without_its_domain(
    session: Session, context: WorkerContext, taking: relays.Relay
) -> None:
    mail_domains.fails(session, "big.example", 0)
    pause_until(session, "infinity")
    turn_of(session, "p0@big.example")
    run(limited(context, taking))
    assert len(held(session)) == 1
    session.execute(text("UPDATE procrastinate_jobs SET queued_at = now() - interval '49 hours'"))
    assert mail_domains.release_late(session, datetime.now(UTC), 1000) == 0
    fail_for(session, hours=49)
    session.commit()
    assert mail_domains.release_late(session, datetime.now(UTC), 1000) == 1
    session.commit()
    run(limited(context, taking))
    assert [job.status for job in mail_jobs(session)] == ["failed"] and taking.recipients == []
    assert session.execute(text("SELECT state, reason FROM deliveries")).one() == ("refused", "given_up")


@pytest.mark.parametrize("is_held", [True, False])
def test_mails_that_nobody_tried_for_days_have_two_days_still(
    session: Session, context: WorkerContext, taking: relays.Relay, is_held: bool
) -> None:
    mail_domains.fails(session, "big.example", 0)
    pause_until(session, "infinity")
    turn_of(session, "p0@big.example")
    if is_held:
        run(limited(context, taking))
        assert len(held(session)) == 1
    # The workers were off for three days, in which time went on, or a backup of that age was restored.
    session.execute(text("UPDATE procrastinate_jobs SET queued_at = now() - interval '80 hours'"))
    fail_for(session, hours=80)
    session.execute(text("UPDATE mail_domains SET failed_at = now() - interval '72 hours'"))
    pause_until(session, "-infinity")
    assert mail_domains.release_late(session, datetime.now(UTC), 1000) == 0
    taking.answer_rcpt = ["421 too many"]
    run(limited(context, taking))
    assert [job.status for job in mail_jobs(session)] == ["todo"], "it was tried, and will be again"
    assert session.scalar(text("SELECT failing_since > now() - interval '1 minute' FROM mail_domains"))
    make_due(session)
    pause_until(session, "-infinity")
    run(limited(context, taking))
    assert len(taking.recipients) == 1


def test_domains_are_forgotten_after_a_day_without_mails(session: Session) -> None:
    mail_domains.admit(session, "big.example", DomainLimit(timedelta(hours=1)), 1, anyway=False)
    session.commit()
    assert mail_domains.purge(session, datetime.now(UTC) + timedelta(hours=24), 10) == 0
    assert mail_domains.purge(session, datetime.now(UTC) + timedelta(hours=26), 10) == 1
