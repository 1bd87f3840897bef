"""Mails as people want them: at once, in the digest, or not at all; and their entries in the ledger."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime, timedelta
from email.message import EmailMessage
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session
from structlog.testing import capture_logs

from service.commands import invitations, notifications, tables
from service.commands.invitation_limits import InvitationLimits
from service.commands.notifications import change, change_game, queue_due_digests
from service.jobs.digest import for_digest
from service.jobs.worker_context import WorkerContext
from service.mail.failures import PermanentFailure, TransientFailure
from service.mail.maildir import Maildir, address_of
from service.mail.message import key_in
from service.mail.relay import Relay
from service.queries.notifications import own_notifications
from service.store import deliveries
from service.store.accounts import Account
from service.store.callers import KnownAccount
from service.store.deliveries import FOR_DIGEST, QUEUED, Delivery, Mail
from service.store.delivery_preferences import locked
from service.store.purging import in_pieces
from service.store.queue import defer
from service.store.tables import Table
from tests.support import world
from tests.support.clock import NOW, Clock
from tests.support.mail import relay as relays
from tests.support.mail.text import text_of
from tests.support.running import eventually
from tests.unit.jobs.conftest import sending_by
from tests.unit.jobs.job_queue import make_due, run
from tests.unit.jobs.test_outgoing_mail import a_code
from tests.unit.jobs.worker_process import PATIENCE


def two(session: Session) -> tuple[str, str, str]:
    """Return the game of Ann and Ben, the account that is to move, and the other one."""
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    game = world.match(session, ann, ben, goal_discs=5)
    first = world.loaded(session, game).account_of(world.loaded(session, game).state.turn)
    assert first is not None
    return game, first, ben if first == ann else ann


def mails(context: WorkerContext, session: Session) -> list[EmailMessage]:
    session.commit()
    run(context)
    assert isinstance(context.transport, Maildir)
    return list(context.transport.messages())


def ledger(session: Session, account: str) -> list[Delivery]:
    session.rollback()
    return deliveries.listed(session, KnownAccount(account), None, 100).deliveries


def became(session: Session, account: str) -> list[tuple[str, str, str | None]]:
    return [(each.kind, each.state, each.reason) for each in ledger(session, account)]


def key(session: Session, game: str) -> int:
    return session.query(Table.key).filter(Table.id == game).scalar()  # type: ignore[no-any-return]


def pass_over(context: WorkerContext, clock: Clock, session: Session, at: datetime) -> list[EmailMessage]:
    """Send the digests that are due by then, and return all mails."""
    clock.now = at
    session.commit()
    in_pieces(context.sessions, queue_due_digests, at, 1)
    return mails(context, session)


def test_what_is_sent_at_once_is_in_the_ledger(session: Session, context: WorkerContext) -> None:
    game, first, other = two(session)
    session.commit()
    assert became(session, first) == [("turn", "queued", "in_queue")]
    (message,) = mails(context, session)
    (sent,) = ledger(session, first)
    assert (sent.kind, sent.game, sent.state, sent.reason) == ("turn", game, "sent", None)
    assert key_in(str(message["Message-ID"])) == sent.key
    assert abs(sent.queued_at - NOW) < timedelta(milliseconds=1) and sent.at == NOW
    assert ledger(session, other) == []


def test_what_is_in_the_queue_is_listed_before_a_worker_has_it(session: Session, context: WorkerContext) -> None:
    game, first, other = two(session)
    world.play_out(session, game)
    table = world.open_table(session, other, seats=3)
    world.join(session, first, table)
    tables.close(session, other, table, NOW)
    limits = InvitationLimits(context.limiter, 0, 0)
    address = session.get_one(Account, first).email
    assert address is not None
    invitations.invite(session, other, world.open_table(session, other), address, limits, NOW)
    session.commit()
    waiting = ledger(session, first)
    queued = {("end", "queued", "in_queue"), ("closed", "queued", "in_queue"), ("invitation", "queued", "in_queue")}
    assert set(became(session, first)) == queued
    assert [
        each.key
        for each in deliveries.listed(
            session, KnownAccount(first), (waiting[0].queued_at, waiting[0].key), 9
        ).deliveries
    ] == [each.key for each in waiting[1:]]
    mails(context, session)
    assert {each.key for each in waiting} == {each.key for each in ledger(session, first) if each.state == "sent"}


def test_what_a_relay_takes_its_time_for_is_listed_too(session: Session, context: WorkerContext) -> None:
    _, first, _ = two(session)
    session.commit()
    seen: list[list[tuple[str, str, str | None]]] = []

    class Hanging:
        def deliver(
            self, message: EmailMessage, return_path: str | None = None, last_look: Callable[[], bool] | None = None
        ) -> bool:
            seen.append(became(session, first))
            return True

    run(sending_by(context, Hanging()))
    assert seen == [[("turn", "queued", "in_queue")]]
    assert became(session, first) == [("turn", "sent", None)]


def test_every_kind_stands_under_the_key_of_its_message_id(session: Session, context: WorkerContext) -> None:
    game, first, other = two(session)
    world.play_out(session, game)
    table = world.open_table(session, first)
    tables.close(session, first, table, NOW)
    a_code(session, "ann@example.org")
    found = {key_in(str(message["Message-ID"])) for message in mails(context, session)}
    kept = {each.key for account in (first, other) for each in ledger(session, account) if each.state == "sent"}
    assert kept == found
    assert {each.partition(".")[0] for each in kept} >= {"end", "code"}


@pytest.mark.parametrize("by", ["kind", "game"])
def test_what_is_off_is_dropped_and_says_so(session: Session, context: WorkerContext, by: str) -> None:
    game, first, _ = two(session)
    if by == "kind":
        change(session, first, {"turn": "off"}, NOW)
    else:
        change_game(session, first, key(session, game), "off", NOW)
    with capture_logs() as logs:
        assert mails(context, session) == []
    assert [line["why"] for line in logs if line["event"] == "mail dropped"] == ["off"]
    assert became(session, first) == [("turn", "dropped", "off")]


def test_a_game_goes_before_the_kind_and_none_is_as_the_kind(session: Session, context: WorkerContext) -> None:
    game, first, _ = two(session)
    change(session, first, {"turn": "off"}, NOW)
    change_game(session, first, key(session, game), "at_once", NOW)
    assert len(mails(context, session)) == 1
    change_game(session, first, key(session, game), None, NOW)
    assert session.scalar(text("SELECT count(*) FROM game_notifications")) == 0


def test_a_code_comes_whatever_is_off(session: Session, context: WorkerContext) -> None:
    ann = world.account(session, "Ann")
    change(session, ann, dict.fromkeys(("turn", "end", "closed", "invitation"), "off"), NOW)
    a_code(session, "ann@example.org")
    assert len(mails(context, session)) == 1
    assert became(session, ann) == [("code", "sent", None)]


def test_a_turn_that_is_over_is_dropped_as_stale(session: Session, context: WorkerContext) -> None:
    game, first, _ = two(session)
    world.move(session, game)
    mails(context, session)
    assert ("turn", "dropped", "stale") in became(session, first)


def test_a_mail_is_not_sent_again_once_the_ledger_has_it(
    session: Session, context: WorkerContext, counted: list[tuple[object, ...]]
) -> None:
    """As when a worker is killed after the ledger was written, before the job is marked as done.

    A Maildir would store only one mail with this Message-ID anyway, so a relay is used.
    """
    _, first, _ = two(session)
    with relays.running() as relay:
        by_relay = sending_by(context, Relay("smtp", "127.0.0.1", relay.port, timeout=PATIENCE))
        with capture_logs() as logs:
            for _ in range(2):
                session.commit()
                run(by_relay)
                assert len(relay.mails) == 1
                session.execute(text("UPDATE procrastinate_jobs SET status = 'todo' WHERE task_name = 'mail_turn'"))
    assert [line["why"] for line in logs if line["event"] == "mail dropped"] == ["sent"]
    assert counted == [("mail", "mail_turn", "sent"), ("mail", "mail_turn", "dropped")]
    assert became(session, first) == [("turn", "sent", None)]


class Refusing:
    """A transport that accepts nothing."""

    def __init__(self, failure: Exception) -> None:
        self.failure = failure

    def deliver(self, message: EmailMessage, return_path: str | None = None, last_look: object = None) -> bool:
        raise self.failure


@pytest.mark.parametrize(
    ("failure", "state", "reason"),
    [
        (PermanentFailure('the relay answered RCPT with 550 "no such user"'), "refused", "refused"),
        (TransientFailure('the relay answered RCPT with 451 "greylisted"'), "queued", "mail_server"),
    ],
)
def test_what_the_relay_does_not_take_says_why(
    session: Session, context: WorkerContext, failure: Exception, state: str, reason: str
) -> None:
    _, first, _ = two(session)
    session.commit()
    run(sending_by(context, Refusing(failure)))
    (kept,) = ledger(session, first)
    assert (kept.state, kept.reason, kept.answer) == (state, reason, str(failure))
    if state == "queued":
        make_due(session)
        assert len(mails(context, session)) == 1
        assert became(session, first) == [("turn", "sent", None)]


@pytest.mark.parametrize(("status", "stops"), [("5.1.1", True), ("5.7.1", False), (None, False)])
def test_an_address_that_the_relay_itself_knows_to_be_wrong_gets_no_more(
    session: Session, context: WorkerContext, clock: Clock, status: str | None, stops: bool
) -> None:
    ann = world.account(session, "Ann")
    failure = PermanentFailure('the relay answered RCPT with 550 "…"', status)
    for day in range(3):
        clock.now = world.later(days=day)
        table = world.open_table(session, ann)
        tables.close(session, ann, table, clock.now)
        defer(session, "mail_closed", {"game": table, "account": ann})
        session.commit()
        run(sending_by(context, Refusing(failure)))
    session.expire_all()
    assert (session.get_one(Account, ann).mail_stopped_at is not None) == stops
    assert became(session, ann) == [("closed", "refused", "refused")] * 3


def test_after_the_last_try_it_is_given_up(session: Session, context: WorkerContext) -> None:
    _, first, _ = two(session)
    session.execute(text("UPDATE procrastinate_jobs SET attempts = 100"))
    session.commit()
    run(sending_by(context, Refusing(TransientFailure("the conversation with the relay broke off"))))
    assert became(session, first) == [("turn", "refused", "given_up")]


def test_mail_that_does_not_arrive_is_not_sent(session: Session, context: WorkerContext) -> None:
    _, first, _ = two(session)
    session.get_one(Account, first).mail_stopped_at = NOW
    assert mails(context, session) == []
    assert became(session, first) == [("turn", "dropped", "address")]


def test_a_digest_tells_what_was_left_for_it_once(session: Session, context: WorkerContext, clock: Clock) -> None:
    game, first, _ = two(session)
    change(session, first, {"turn": "digest", "end": "digest", "digest_hour": 7, "zone": "Europe/Berlin"}, NOW)
    due = datetime.fromisoformat("2026-11-28T06:00:00+00:00")
    assert own_notifications(session, first).next_digest_at == due
    assert mails(context, session) == []
    assert became(session, first) == [("turn", "queued", "for_digest")]
    assert pass_over(context, clock, session, due - timedelta(minutes=1)) == []
    (message,) = pass_over(context, clock, session, due)
    assert key_in(str(message["Message-ID"])) == f"digest.{first}.2026-11-28"
    assert address_of(message) == session.get_one(Account, first).email
    assert str(message["Subject"]) == "1 game waits for you: Nova Luna today"
    assert f"/games/{game}?link=" in text_of(message) and "since 27 November 2026, 21:56 CET." in text_of(message)
    assert became(session, first) == [("digest", "sent", None), ("turn", "sent", "in_digest")]
    # The wait is the same, and there is no news.
    assert len(pass_over(context, clock, session, due + timedelta(days=1))) == 1
    # The end is news.
    world.play_out(session, game)
    mails(context, session)
    last = pass_over(context, clock, session, due + timedelta(days=2))
    (ended,) = [each for each in last if f"digest.{first}.2026-11-30" in str(each["Message-ID"])]
    assert str(ended["Subject"]) == "What happened: Nova Luna today"
    assert f"/games/{game}?link=" in text_of(ended) and "No game waits for you." in text_of(ended)


def test_a_digest_brings_the_secret_of_an_invitation(session: Session, context: WorkerContext, clock: Clock) -> None:
    _, first, other = two(session)
    change(session, first, {"turn": "off", "invitation": "digest"}, NOW)
    address = str(session.get_one(Account, first).email)
    table = world.open_table(session, other)
    made = invitations.invite(session, other, table, address, InvitationLimits(context.limiter, 0, 0), NOW)
    assert mails(context, session) == []
    (message,) = pass_over(context, clock, session, world.later(days=1))
    assert text_of(message).count(world.secret_of(made)) == 1


def test_wishes_may_be_changed_while_a_digest_is_put_down(
    session: Session, context: WorkerContext, clock: Clock
) -> None:
    _, first, _ = two(session)
    change(session, first, {"turn": "digest"}, NOW)
    mails(context, session)
    clock.now = world.later(days=1)
    with context.session() as reading:
        mail = for_digest(reading, context.settings, clock.now, account=first, day="2026-11-28")
    assert mail is not None and mail.after is not None
    after = mail.after

    def put_down() -> None:
        with context.sessions.begin() as other:
            after(other)

    locked(session, first)
    with ThreadPoolExecutor(1) as beside:
        sent = beside.submit(put_down)
        eventually(lambda: _one_waits(session))
        change(session, first, {"turn": "off"}, clock.now)
        session.commit()
        sent.result(PATIENCE)
    assert became(session, first) == [("turn", "dropped", "off")]


def test_mail_held_while_an_empty_digest_is_recorded_goes_into_the_next(
    session: Session, context: WorkerContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = world.account(session, "Ann")
    notifications.hold_for_digest(session, account, NOW)
    defer(session, "mail_digest", {"account": account, "day": "2026-11-28"}, queueing_lock="digest")
    mail = Mail(f"end.TaBLe2345678.{account}", account, "end")
    has_digest = notifications._has_digest

    def leave() -> None:
        with context.sessions.begin() as other:
            notifications.hold_for_digest(other, account, NOW)
            deliveries.record(other, mail, QUEUED, NOW, reason=FOR_DIGEST)

    with ThreadPoolExecutor(1) as beside:
        left: list[Future[None]] = []

        def looking(*asked: Any) -> bool:
            found = has_digest(*asked)
            if not left:
                left.append(beside.submit(leave))
                eventually(lambda: left[0].done() or _one_waits(session))
            return found

        with monkeypatch.context() as patched:
            patched.setattr(notifications, "_has_digest", looking)
            assert mails(context, session) == []
        left[0].result(PATIENCE)
    assert became(session, account) == [("end", "queued", "for_digest")]
    assert locked(session, account).digest_due_at is not None


def test_a_digest_that_is_due_now_is_not_delayed_by_a_change(session: Session) -> None:
    _, first, _ = two(session)
    change(session, first, {"turn": "digest"}, NOW)
    row = locked(session, first)
    due = row.digest_due_at
    assert due is not None and due > NOW
    change(session, first, {"end": "digest"}, due)
    assert row.digest_due_at == due
    change(session, first, {"digest_hour": 12}, due - timedelta(seconds=1))
    assert row.digest_due_at != due, "it was not due yet"


def _one_waits(session: Session) -> bool:
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    session.execute(text("SELECT pg_stat_clear_snapshot()"))  # otherwise the transaction goes on seeing the first state
    return bool(session.execute(text(waiting)).scalar())


def test_what_is_over_by_the_hour_is_no_digest(session: Session, context: WorkerContext, clock: Clock) -> None:
    game, first, _ = two(session)
    change(session, first, {"turn": "digest"}, NOW)
    mails(context, session)
    while world.loaded(session, game).account_of(world.loaded(session, game).state.turn) == first:
        world.move(session, game)
    found = pass_over(context, clock, session, world.later(days=1))
    assert not [each for each in found if "digest." in str(each["Message-ID"])]
    assert ("turn", "dropped", "stale") in became(session, first)


def test_the_digest_of_a_day_comes_once_whatever_the_hour_is_changed_to(
    session: Session, context: WorkerContext, clock: Clock
) -> None:
    _, first, _ = two(session)
    change(session, first, {"turn": "digest", "digest_hour": 21}, NOW)
    mails(context, session)
    assert len(pass_over(context, clock, session, world.later(minutes=5))) == 1
    change(session, first, {"digest_hour": 23}, clock.now)
    other = world.match(session, first, world.account(session, "Cleo"))
    if world.loaded(session, other).account_of(world.loaded(session, other).state.turn) != first:
        change_game(session, first, key(session, other), "digest", clock.now)
        world.move(session, other)
    found = pass_over(context, clock, session, world.later(hours=3))
    assert len([each for each in found if f"digest.{first}" in str(each["Message-ID"])]) == 1


def test_a_due_digest_keeps_its_day_when_the_hour_is_changed(
    session: Session, context: WorkerContext, clock: Clock
) -> None:
    _, first, _ = two(session)
    change(session, first, {"turn": "digest", "digest_hour": 21}, NOW)
    mails(context, session)
    change(session, first, {"digest_hour": 7}, world.later(minutes=5))
    (message,) = pass_over(context, clock, session, world.later(minutes=6))
    assert key_in(str(message["Message-ID"])) == f"digest.{first}.2026-11-27"


def test_what_was_held_for_a_digest_is_sent_though_it_is_wanted_no_more(
    session: Session, context: WorkerContext, clock: Clock
) -> None:
    game, first, _ = two(session)
    change_game(session, first, key(session, game), "digest", NOW)
    mails(context, session)
    change_game(session, first, key(session, game), "at_once", NOW)
    assert own_notifications(session, first).next_digest_at is not None
    assert len(pass_over(context, clock, session, world.later(days=1))) == 1
    session.expire_all()
    assert own_notifications(session, first).next_digest_at is None


@pytest.mark.parametrize(
    ("kind", "about_game", "left"),
    [("turn", True, "digest"), ("turn", False, "off"), ("digest", False, "off")],
)
def test_stopping_what_a_mail_is_of(session: Session, kind: str, about_game: bool, left: str) -> None:
    game, first, _ = two(session)
    change(session, first, {"turn": "digest", "end": "at_once"}, NOW)
    notifications.stop(session, first, kind, key(session, game) if about_game else None, NOW)
    wishes = own_notifications(session, first)
    assert (wishes.turn, wishes.end) == (left, "at_once")
    off = session.scalar(text("SELECT count(*) FROM game_notifications WHERE mail = 'off'"))
    assert off == (1 if about_game else 0)
    session.rollback()


def test_the_ledger_is_kept_for_90_days(session: Session, context: WorkerContext) -> None:
    _, first, _ = two(session)
    mails(context, session)
    assert in_pieces(context.sessions, deliveries.purge, world.later(days=89)) == 0
    assert in_pieces(context.sessions, deliveries.purge, world.later(days=91)) == 1
    assert ledger(session, first) == []
