"""Bounced mails: their entries in the ledger, when mail to an address stops, and how it is resumed."""

from datetime import timedelta

from flask import Flask
from sqlalchemy import text
from sqlalchemy.orm import Session
from structlog.testing import capture_logs

from engine.record import stamp
from service.access import secrets, tokens
from service.access.address_hash import address_hashes
from service.access.return_path import references, return_path
from service.commands import accounts, sign_in
from service.commands.bounces import COUNTED, NOTED, OF_NOBODY, STOPPED, UNKNOWN, count, record
from service.commands.notifications import change, change_game
from service.ids import new_id
from service.jobs.worker_context import WorkerContext
from service.reading.bounces import Bounce
from service.store import deliveries
from service.store.accounts import Account, Token
from service.store.callers import KnownAccount
from service.store.deliveries import Mail, SentMail
from service.store.tables import Table
from tests.support import world
from tests.support.clock import NOW, Clock
from tests.support.world import KEYS
from tests.unit.jobs.test_delivery_preferences import became, mails, two
from tests.unit.jobs.test_outgoing_mail import a_code
from tests.unit.jobs.writing import SERVICE, Post, taking_mail


def hard(key: str, *, status: str = "5.1.1", action: str = "failed") -> Bounce:
    return Bounce(action, status, "550 no such user", None, references(KEYS, key)[0])


def sent(session: Session, account: str, number: int, address: str = "") -> str:
    """Record a mail to an account's address as sent, and return its key."""
    key = f"turn.G4mE8sWqKzRt.{number}.{account}"
    hashed = address_hashes(KEYS, address or str(session.get_one(Account, account).email))[0]
    mail, reference = Mail(key, account, "turn", "G4mE8sWqKzRt"), references(KEYS, key)[0]
    deliveries.record(session, mail, "sent", NOW, address_hash=hashed, reference=reference)
    return key


def came_back(session: Session, account: str, days: range) -> list[str]:
    return [record(session, KEYS, hard(sent(session, account, day)), NOW + timedelta(days=day)) for day in days]


def test_a_failure_of_an_account_that_is_gone_meanwhile_counts_for_nobody(session: Session) -> None:
    ann = world.account(session, "Ann")
    mail = SentMail("turn.G4mE8sWqKzRt.1.x", ann, address_hashes(KEYS, "ann@example.org")[0])
    assert count(session, KEYS, mail, "5.1.1", NOW) == COUNTED
    assert count(session, KEYS, mail._replace(account=new_id()), "5.1.1", NOW) == NOTED
    session.get_one(Account, ann).email = None
    session.flush()
    assert count(session, KEYS, mail, "5.1.1", NOW) == NOTED


def test_a_mail_that_was_sent_and_came_back(session: Session, context: WorkerContext) -> None:
    _, first, _ = two(session)
    (message,) = mails(context, session)
    key = str(message["Message-ID"])[1:].partition("@")[0]
    assert record(session, KEYS, hard(key, status="5.2.2"), NOW) == NOTED
    session.commit()
    assert became(session, first) == [("turn", "bounced", "came_back_for_now")]
    assert record(session, KEYS, hard(key), NOW) == COUNTED
    assert record(session, KEYS, hard(key, status="5.2.2"), NOW) == NOTED
    session.commit()
    assert became(session, first) == [("turn", "bounced", "came_back")]
    assert deliveries.listed(session, KnownAccount(first), None, 1).deliveries[0].answer == "550 no such user"


def test_three_on_three_days_stop_mail_and_everybody_at_the_tables_sees_it(session: Session, app: Flask) -> None:
    game, first, _ = two(session)
    before = world.loaded(session, game)
    assert came_back(session, first, range(3)) == [COUNTED, COUNTED, STOPPED]
    session.expire_all()
    account = session.get_one(Account, first)
    assert (account.mail_stopped_at, account.mail_stopped_because) == (NOW + timedelta(days=2), "5.1.1")
    after = world.loaded(session, game)
    assert after.table.revision == before.table.revision + 1
    session.commit()
    client = app.test_client()
    token = tokens.new_token()
    session.add(Token(id=new_id(), account=first, hash=tokens.hash_of(token), created_at=NOW))
    session.commit()
    me = client.get("/v1/me", headers={"Authorization": f"Bearer {token}"}).get_json()
    assert (me["mail_stopped_at"], me["mail_stopped_because"]) == (stamp(NOW + timedelta(days=2)), "5.1.1")
    shown = client.get(f"/v1/games/{game}").get_json()["players"]
    assert [player["reachable"] for player in shown] == [player.account != first for player in after.players]


def test_what_does_not_stop_it(session: Session, context: WorkerContext) -> None:
    _, first, _ = two(session)
    keys = [sent(session, first, number) for number in range(9)]
    # Several on one day, one mail several times, temporary ones, and others that report no failure
    assert {record(session, KEYS, hard(key), NOW) for key in keys[:4]} == {COUNTED}
    assert {record(session, KEYS, hard(keys[0]), world.later(days=day)) for day in range(1, 5)} == {COUNTED}
    assert {record(session, KEYS, hard(key, status="5.2.2"), world.later(days=1)) for key in keys[4:6]} == {NOTED}
    assert record(session, KEYS, hard(keys[6], action="delayed"), world.later(days=2)) == UNKNOWN
    # One long ago
    assert record(session, KEYS, hard(keys[7]), world.later(days=29)) == COUNTED
    assert record(session, KEYS, hard(keys[8]), world.later(days=31)) == COUNTED
    assert session.get_one(Account, first).mail_stopped_at is None
    session.rollback()


def test_a_mail_that_is_not_known_counts_for_nothing(session: Session, context: WorkerContext) -> None:
    ann = world.account(session, "Ann")
    assert record(session, KEYS, hard(f"turn.G4mE8sWqKzRt.1.{ann}"), NOW) == UNKNOWN
    assert record(session, KEYS, Bounce("failed", "5.1.1", "", None, None), NOW) == OF_NOBODY


REPORT = """From: MAILER-DAEMON@mx.example.net
To: {to}
Message-ID: <{id}@mx.example.net>
Subject: Undelivered Mail Returned to Sender
Content-Type: multipart/report; report-type=delivery-status; boundary=b

--b

Nobody lives here.

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; ann@example.org
Action: failed
Status: 5.1.1

--b
Content-Type: message/rfc822

Return-Path: <{about}>
To: ann@example.org
Message-ID: <{key}@example.org>

--b--
"""


def _report(context: WorkerContext, session: Session, to: str, key: str, clock: Clock, day: int) -> int:
    """Deliver a report of a failure to an address on that day, and return how many bounces are known then."""
    clock.now = NOW + timedelta(days=day)
    about = return_path(context.settings.mail_from, references(KEYS, key)[0])
    for number, head in enumerate((to, about)):  # whatever its own header says about its recipient
        raw = REPORT.format(to=head, id=f"{to}.{day}.{number}", about=about, key=key).encode()
        Post(taking_mail(context), session).put_raw(to, raw, "")
    Post(taking_mail(context), session).run()
    return int(session.scalar(text("SELECT count(*) FROM bounces")) or 0)


def test_reports_to_another_address_than_the_return_path_count_for_nothing(
    session: Session, context: WorkerContext, clock: Clock
) -> None:
    ann = world.account(session, "Ann")
    keys = [sent(session, ann, day) for day in range(3)]
    assert [_report(context, session, SERVICE, key, clock, day) for day, key in enumerate(keys)] == [0, 0, 0]
    session.expire_all()
    assert session.get_one(Account, ann).mail_stopped_at is None
    assert {
        (each.state, each.reason) for each in deliveries.listed(session, KnownAccount(ann), None, 9).deliveries
    } == {("sent", None)}
    paths = [return_path(context.settings.mail_from, references(KEYS, key)[0]) for key in keys]
    with capture_logs() as logs:
        took = [_report(context, session, *to, clock, day) for day, to in enumerate(zip(paths, keys, strict=True))]
    assert took == [1, 2, 3]
    told = [line["put_down"] for line in logs if line["event"] == "incoming mail processed"]
    assert told == [f"bounce: {COUNTED}"] * 4 + [f"bounce: {STOPPED}"] * 2
    session.expire_all()
    assert session.get_one(Account, ann).mail_stopped_at is not None


def test_one_return_path_on_three_days_counts_once(session: Session, context: WorkerContext, clock: Clock) -> None:
    ann = world.account(session, "Ann")
    key = sent(session, ann, 1)
    path = return_path(context.settings.mail_from, references(KEYS, key)[0])
    assert [_report(context, session, path, key, clock, day) for day in range(4)] == [1, 1, 1, 1]
    assert session.get_one(Account, ann).mail_stopped_at is None


def test_what_came_back_30_days_ago_counts_no_more(session: Session) -> None:
    ann = world.account(session, "Ann")
    assert came_back(session, ann, range(0, 31, 15)) == [COUNTED] * 3
    assert came_back(session, ann, range(44, 45)) == [STOPPED]


def test_a_former_address_counts_for_nothing(session: Session, context: WorkerContext) -> None:
    ann = world.account(session, "Ann")
    key = sent(session, ann, 1, "former@example.org")
    assert record(session, KEYS, hard(key), NOW) == NOTED
    assert session.scalar(text("SELECT count(*) FROM bounces")) == 0


def test_signing_in_by_a_mailed_code_lets_mail_go_on(session: Session, context: WorkerContext) -> None:
    ann = world.account(session, "Ann")
    game = world.match(session, ann, world.account(session, "Ben"))
    assert came_back(session, ann, range(3))[-1] == STOPPED
    revision = world.loaded(session, game).table.revision
    code = a_code(session, "ann@example.org")
    assert any("code" in mail["Subject"] for mail in mails(context, session)), "a code comes all the same"
    sign_in.redeem(
        session,
        KEYS,
        email="ann@example.org",
        code=secrets.code(KEYS, "sign-in", code),
        name=None,
        language=None,
        label=None,
        lifetime=None,
        now=NOW,
    )
    session.expire_all()
    assert session.get_one(Account, ann).mail_stopped_at is None
    assert world.loaded(session, game).table.revision == revision + 1, "everybody at the tables sees it"
    assert came_back(session, ann, range(3, 6)) == [COUNTED, COUNTED, STOPPED], "what came back before counts no more"
    session.rollback()


def test_a_new_address_lets_mail_go_on(session: Session, context: WorkerContext) -> None:
    ann = world.account(session, "Ann")
    came_back(session, ann, range(3))
    code = a_code(session, "new@example.org", "email-change", account=ann)
    typed = secrets.code(KEYS, "email-change", code)
    assert accounts.confirm_email(session, KEYS, ann, typed, now=NOW)
    session.expire_all()
    assert session.get_one(Account, ann).mail_stopped_at is None
    session.rollback()


def test_what_is_known_of_mails_goes_with_the_account(session: Session, context: WorkerContext, clock: Clock) -> None:
    game, first, _ = two(session)
    mails(context, session)
    change(session, first, {"turn": "digest", "zone": "Europe/Paris"}, NOW)
    change_game(session, first, session.query(Table.key).filter(Table.id == game).scalar(), "off", NOW)
    came_back(session, first, range(3))
    session.commit()
    accounts.delete_account(session, KEYS, first, NOW)
    deliveries.record(session, Mail("turn.x", first, "turn"), "sent", NOW)
    for table in ("notifications", "game_notifications", "deliveries"):
        assert session.scalar(text(f"SELECT count(*) FROM {table} WHERE account = :account"), {"account": first}) == 0
    assert session.scalar(text("SELECT count(*) FROM bounces")) == 0
    erased = session.get_one(Account, first)
    assert (erased.zone, erased.mail_stopped_at, erased.mail_stopped_because) == ("UTC", None, None)
    session.rollback()


def test_a_bounced_mail_stays_so_when_a_late_worker_finds_it_stale(session: Session) -> None:
    ann = world.account(session, "Ann")
    key = sent(session, ann, 0)
    assert record(session, KEYS, hard(key), NOW) == COUNTED
    deliveries.record(session, Mail(key, ann, "turn", "G4mE8sWqKzRt"), "dropped", NOW, reason="stale")
    session.commit()
    assert became(session, ann) == [("turn", "bounced", "came_back")]
