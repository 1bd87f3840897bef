"""Which mail goes to whom, and which is no longer sent: from the commands, through the queue, to the Maildir."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest
from limits.storage import MemoryStorage
from sqlalchemy import update
from sqlalchemy.orm import Session

from engine.moves import RESIGN
from service.access import secrets
from service.access.address_hash import address_hashes
from service.access.limits import Limiter
from service.commands import erasure, invitations, notifications, tables
from service.commands.invitation_limits import InvitationLimits
from service.commands.play import play
from service.jobs.outgoing_mail import for_address_changed
from service.jobs.worker_context import WorkerContext
from service.mail.maildir import Maildir, address_of
from service.mail.message import key_in
from service.store import never_mail
from service.store.accounts import Account, Code
from service.store.invitations import Invitation
from service.store.queue import defer
from service.store.tables import Table
from tests.support import world
from tests.support.clock import NOW, Clock
from tests.support.mail.text import text_of
from tests.support.world import KEYS
from tests.unit.jobs.conftest import sending_by
from tests.unit.jobs.job_queue import mail_jobs, run

GUEST = "guest@example.org"
UNLIMITED = InvitationLimits(Limiter(MemoryStorage(), KEYS[0], lambda: NOW), per_account=0, per_recipient=0)


def sent(context: WorkerContext, session: Session) -> list[EmailMessage]:
    """Run the queue, and return the mails in the Maildir."""
    session.commit()
    run(context)
    assert isinstance(context.transport, Maildir)
    assert {job.status for job in mail_jobs(session)} <= {"succeeded"}
    return list(context.transport.messages())


def subjects(messages: list[EmailMessage]) -> list[tuple[str, str]]:
    return sorted((address_of(message), str(message["Subject"])) for message in messages)


def a_code(session: Session, address: str, purpose: str = "sign-in", **more: object) -> str:
    code = Code(
        id="CoDe23456789", purpose=purpose, email=address, created_at=NOW, expires_at=world.later(minutes=15), **more
    )
    session.add(code)
    session.flush()
    defer(session, "mail_code", {"code": code.id})
    return code.id


def list_never(session: Session, address: str) -> None:
    never_mail.add(session, address_hashes(KEYS, address), NOW)


def test_the_first_turn_is_mailed_in_a_thread_of_its_player_and_game(session: Session, context: WorkerContext) -> None:
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    table = world.match(session, ann, ben)
    seat = world.loaded(session, table).state.turn
    first, other = ("Ann", "Ben") if seat == 0 else ("Ben", "Ann")
    account = ann if seat == 0 else ben
    (message,) = sent(context, session)
    assert subjects([message]) == [(f"{first.lower()}@example.org", f"Your turn: Nova Luna with {other}")]
    assert str(message["Message-ID"]) == f"<turn.{table}.0.{account}+{world.loaded(session, table).head}@example.org>"
    assert message["References"] == f"<game.{table}.{account}@example.org>"
    assert f"https://nova-luna.example.org/games/{table}?link=" in text_of(message)
    assert '"expected_version": 0' in text_of(message)


def test_a_wait_is_mailed_once_however_many_moves_it_has(session: Session, context: WorkerContext) -> None:
    table = world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    waits: set[int | None] = {0}
    for _ in range(12):
        sent(context, session)
        world.move(session, table)
        progress = world.loaded(session, table).progress
        assert progress is not None
        waits.add(progress.wait_seq)
    found = [str(message["Message-ID"]).split(".")[2] for message in sent(context, session)]
    assert sorted(map(int, found)) == sorted(wait for wait in waits if wait is not None)
    assert len(found) > 3


def test_a_wait_that_is_over_sends_nothing(session: Session, context: WorkerContext) -> None:
    table = world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    while True:  # until it is the last mover's turn again, so that nobody waits
        world.move(session, table)
        progress = world.loaded(session, table).progress
        assert progress is not None
        if progress.wait_seq is None:
            break
    assert sent(context, session) == []


def test_a_leaving_out_of_turn_keeps_the_wait_and_the_mail_knows_of_it(
    session: Session, context: WorkerContext
) -> None:
    accounts = [world.account(session, name) for name in ("Ann", "Ben", "Cleo")]
    table = world.match(session, *accounts)
    loaded = world.loaded(session, table)
    gone = world.moon(loaded).order[-1]
    play(session, loaded, gone, RESIGN, None, NOW)
    (message,) = sent(context, session)
    assert str(message["Message-ID"]).startswith(f"<turn.{table}.0.")
    assert "left the game." in text_of(message) and '"expected_version": 1' in text_of(message)


def test_the_end_is_mailed_to_each_player(session: Session, context: WorkerContext) -> None:
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    table = world.match(session, ann, ben, goal_discs=5)
    game = world.play_out(session, table)
    messages = sent(context, session)
    assert [address for address, _ in subjects(messages)] == ["ann@example.org", "ben@example.org"]
    assert {str(message["Message-ID"]) for message in messages} == {
        f"<end.{table}.{account}+{game.head}@example.org>" for account in (ann, ben)
    }
    assert all(game.server_seed.hex() in text_of(message) for message in messages)


@pytest.mark.parametrize(("account", "subject"), [(None, "Ton code"), ("de", "Dein Code")])
def test_a_code_is_in_the_requested_or_the_accounts_own_language(
    session: Session, context: WorkerContext, account: str | None, subject: str
) -> None:
    address = GUEST
    if account is not None:
        found = session.get_one(Account, world.account(session, "Ann"))
        found.language, address = account, "ann@example.org"
    a_code(session, address, language="fr")
    (message,) = sent(context, session)
    assert str(message["Subject"]).startswith(subject)


def test_an_erased_player_gets_no_mail(session: Session, context: WorkerContext) -> None:
    ann, ben = world.account(session, "Annunziata"), world.account(session, "Ben")  # ids may contain three letters
    table = world.match(session, ann, ben)
    erasure.leave_everything(session, ann, NOW)
    erased = session.get_one(Account, ann)
    erased.email, erased.name, erased.erased_at = None, None, NOW
    (message,) = sent(context, session)
    assert address_of(message) == "ben@example.org"
    assert key_in(str(message["Message-ID"])) == f"end.{table}.{ben}"
    assert "Player 1" in text_of(message) and "Annunziata" not in text_of(message)


def test_a_table_that_never_started_is_told_to_everybody_at_it(session: Session, context: WorkerContext) -> None:
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    table = world.open_table(session, ann, seats=3)
    world.join(session, ben, table)
    assert tables.close_expired(session, NOW + tables.LIFETIME, 10) == 1
    messages = sent(context, session)
    assert [address for address, _ in subjects(messages)] == ["ann@example.org", "ben@example.org"]
    assert all("within 30 days" in text_of(message) for message in messages)
    assert str(messages[0]["Message-ID"]).startswith(f"<closed.{table}.")


def invite(session: Session) -> Invitation:
    ann = world.account(session, "Ann")
    table = world.open_table(session, ann, seats=3)
    return invitations.invite(session, ann, table, GUEST, UNLIMITED, NOW)


def test_an_invitation_brings_its_secret_alone_on_a_line(session: Session, context: WorkerContext) -> None:
    made = invite(session)
    (message,) = sent(context, session)
    assert subjects([message]) == [(GUEST, "Ann invites you to a game of Nova Luna")]
    assert text_of(message).splitlines().count(world.secret_of(made)) == 1
    assert "/never-mail?link=" in text_of(message)
    assert message["Message-ID"] == f"<invitation.{made.id}@example.org>"


@pytest.mark.parametrize("what", ["declined_at", "taken_back_at", "used_at", "erased", "expired", "closed", "never"])
def test_an_invitation_that_is_no_longer_open_is_not_mailed(
    session: Session, context: WorkerContext, clock: Clock, what: str
) -> None:
    made = invite(session)
    if what == "erased":
        made.email = None
    elif what == "expired":
        clock.now = made.expires_at
    elif what == "closed":
        session.execute(update(Table).values(closed_at=NOW))
    elif what == "never":
        list_never(session, GUEST.upper())
    else:
        setattr(made, what, NOW)
    assert sent(context, session) == []


def test_a_listed_address_is_not_invited_even_with_an_account(session: Session, context: WorkerContext) -> None:
    world.account(session, "Guest")
    invite(session)
    list_never(session, GUEST)
    assert sent(context, session) == []


def test_a_code_is_mailed_alone_on_a_line(session: Session, context: WorkerContext) -> None:
    code = a_code(session, GUEST)
    (message,) = sent(context, session)
    assert text_of(message).splitlines().count(secrets.code(KEYS, "sign-in", code)) == 1
    assert address_of(message) == GUEST and "/never-mail?link=" in text_of(message)
    assert message["Message-ID"] == f"<code.{code}@example.org>" and "List-Id" not in message


@pytest.mark.parametrize("what", ["used", "expired", "gone", "never"])
def test_a_code_that_is_of_no_use_is_not_mailed(
    session: Session, context: WorkerContext, clock: Clock, what: str
) -> None:
    code = session.get_one(Code, a_code(session, GUEST))
    if what == "used":
        code.used_at = NOW
    elif what == "expired":
        clock.now = code.expires_at
    elif what == "gone":
        session.delete(code)
    else:
        list_never(session, GUEST)
    assert sent(context, session) == []


def test_somebody_with_an_account_can_always_sign_in(session: Session, context: WorkerContext) -> None:
    world.account(session, "Guest")
    a_code(session, GUEST)
    list_never(session, GUEST)
    (message,) = sent(context, session)
    assert "never-mail" not in text_of(message)


def test_a_new_address_is_asked_and_the_old_one_is_told_once(session: Session, context: WorkerContext) -> None:
    ann = world.account(session, "Ann")
    code = a_code(session, "new@example.org", "email-change", account=ann)
    (asked,) = sent(context, session)
    assert address_of(asked) == "new@example.org"
    assert secrets.code(KEYS, "email-change", code) in text_of(asked).splitlines()
    session.get_one(Code, code).former_email = "ann@example.org"
    for _ in range(2):
        defer(session, "mail_address_changed", {"code": code})
        messages = sent(context, session)
    assert subjects(messages)[0] == ("ann@example.org", "Your address for Nova Luna by post was changed")
    assert len(messages) == 2
    session.expire_all()
    assert session.get_one(Code, code).former_email is None


def test_an_answer_of_the_old_address_goes_to_the_contact(session: Session, context: WorkerContext) -> None:
    code = a_code(session, "new@example.org", "email-change", account=world.account(session, "Ann"))
    for contact in ("help@example.org", None):
        session.get_one(Code, code).former_email = "ann@example.org"
        session.commit()
        settings = replace(context.settings, contact=contact)
        mail = for_address_changed(session, settings, NOW, code=code)
        assert mail is not None and mail.envelope.reply_to == contact


@pytest.mark.parametrize("over_http", ["off", "on"])
def test_the_code_for_a_new_address_has_commands_for_programs_alone(
    session: Session, context: WorkerContext, over_http: str
) -> None:
    ann = world.account(session, "Ann")
    notifications.change(session, ann, {"http_commands": over_http}, NOW)
    a_code(session, "new@example.org", "email-change", account=ann)
    (mail,) = sent(context, session)
    assert ("curl" in text_of(mail)) is (over_http == "on")


def test_a_listed_address_is_not_asked_to_confirm(session: Session, context: WorkerContext) -> None:
    a_code(session, "new@example.org", "email-change", account=world.account(session, "Ann"))
    list_never(session, "new@example.org")
    assert sent(context, session) == []


def forget(session: Session, address: str, account: str, until: datetime) -> None:
    hashed = address_hashes(KEYS, address)[0].hex()
    until_ms = int(until.timestamp() * 1000)
    defer(session, "forget_mail", {"address_hash": hashed, "account": account, "until_ms": until_ms})


def test_kept_mail_is_forgotten_by_the_hash_of_its_address(session: Session, context: WorkerContext) -> None:
    world.match(session, world.account(session, "Ann"), world.account(session, "Ben"))
    a_code(session, GUEST)
    before = {address_of(message) for message in sent(context, session)}
    assert GUEST in before and len(before) == 2
    forget(session, GUEST, "AcCt", datetime.now(UTC) - timedelta(days=1))  # until then it was the erased account's
    assert {address_of(message) for message in sent(context, session)} == before
    forget(session, GUEST, "AcCt", datetime.now(UTC) + timedelta(days=1))
    assert {address_of(message) for message in sent(context, session)} == before - {GUEST}


def test_mails_to_former_and_unconfirmed_addresses_go_with_the_account(
    session: Session, context: WorkerContext
) -> None:
    ann = world.account(session, "Ann")
    table = world.match(session, ann, world.account(session, "Ben"))
    play(session, world.loaded(session, table), 0, RESIGN, None, NOW)
    told = a_code(session, "second@example.org", "email-change", account=ann)
    session.get_one(Code, told).former_email = "first@example.org"
    defer(session, "mail_address_changed", {"code": told})
    assert {address_of(message) for message in sent(context, session)} == {
        "ann@example.org", "ben@example.org", "first@example.org", "second@example.org"
    }  # fmt: skip
    forget(session, "nobody@example.org", ann, NOW)
    assert {address_of(message) for message in sent(context, session)} == {"ben@example.org"}


def test_a_mail_that_is_kept_while_its_reader_is_erased_is_kept_no_longer(
    session: Session, context: WorkerContext
) -> None:
    ann, ben = world.account(session, "Ann"), world.account(session, "Ben")
    world.match(session, ann, ben)
    session.commit()

    class Slow:
        def deliver(self, message: EmailMessage, return_path: str | None = None, last_look: object = None) -> bool:
            context.transport.deliver(message)
            session.execute(update(Account).values(email=None, name=None, erased_at=NOW))
            session.commit()
            return True

    run(sending_by(context, Slow()))
    assert [job.status for job in mail_jobs(session)] == ["succeeded"]
    assert isinstance(context.transport, Maildir)
    assert list(context.transport.messages()) == []
