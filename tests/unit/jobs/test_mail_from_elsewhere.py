"""Mails that somebody else sends to a player's secret address, and mails to people who want none: who is told what."""

from email.message import EmailMessage
from email.utils import parseaddr

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.access.address_hash import address_hashes
from service.commands import accounts, sign_in
from service.jobs.worker_context import WorkerContext
from service.store import deliveries, delivery_preferences, never_mail, talk
from service.store.accounts import Account
from service.store.callers import KnownAccount
from tests.support import world
from tests.support.clock import NOW
from tests.support.mail.text import text_of
from tests.support.world import KEYS
from tests.unit.jobs.matches import Match
from tests.unit.jobs.writing import SERVICE, Post, lines_of, taking_mail

VICTIM = "Victim <victim@elsewhere.example>"


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    return Post(taking_mail(context), session)


@pytest.fixture
def match(post: Post) -> Match:
    return Match(post)


def list_never(post: Post, address: str) -> None:
    never_mail.add(post.session, address_hashes(KEYS, address), NOW)
    post.session.commit()


def told(post: Post, match: Match) -> list[EmailMessage]:
    """Return the replies to the player whose secret address it is."""
    return [mail for mail in post.got(match.address) if mail["Auto-Submitted"] == "auto-replied"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "said", ["note {spam}", "say {spam}", "{spam}", "help", "history", "choice 1 A", "2 Z {spam}", ""]
)
@pytest.mark.parametrize("sender", [VICTIM, "", "no address", "undisclosed-recipients:;"])
def test_only_the_account_hears_of_a_mail_to_its_secret(match: Match, post: Post, said: str, sender: str) -> None:
    to = str(match.mail["Reply-To"])
    for number in range(3):
        raw = f"From: {sender}\r\nTo: {to}\r\nSubject: Buy pills {number}\r\n"
        raw += f"Message-ID: <{number}@elsewhere.example>\r\n\r\n"
        post.put_raw(to, (raw + said.format(spam="Buy our pills") + "\r\n").encode(), "victim@elsewhere.example")
    post.run()
    assert {parseaddr(str(mail["To"]))[1] for mail in post.sent} <= {"ann@example.org", "ben@example.org"}
    for mail in told(post, match):
        assert "pills" not in str(mail["Subject"]) and "elsewhere.example" not in str(mail["References"])
        assert "If you did not write it, somebody reads your mail." in text_of(mail)
    assert len(told(post, match)) == 3


def test_a_move_from_elsewhere_counts_and_the_account_is_told(match: Match, post: Post) -> None:
    assert post.answer(match.mail, "choice 1 A", sender="Ann <ann@work.example>") == []
    assert len(match.moves()) == 1
    (mail,) = told(post, match)
    assert "came from ann@work.example, and counted as yours" in text_of(mail) and "You placed tile " in text_of(mail)


@pytest.mark.slow
def test_a_hundred_mails_from_elsewhere_are_told_ten_times(match: Match, post: Post) -> None:
    for number in range(100):
        post.put(str(match.mail["Reply-To"]), f"note {number}", VICTIM)
    post.run()
    assert post.got("victim@elsewhere.example") == [] and len(told(post, match)) == 10
    assert len(post.answer(match.mail, "choice 1 A")) == 1


@pytest.mark.parametrize(("said", "done"), [("stop", (True, False)), ("mute", (False, True))])
def test_silencing_from_elsewhere_is_asked_back(match: Match, post: Post, said: str, done: tuple[bool, bool]) -> None:
    account, key = match.accounts[match.seat], match.table.table.key

    def silenced() -> tuple[bool, bool]:
        return delivery_preferences.of_game(post.session, account, key) == "off", talk.is_muted(
            post.session, account, key
        )

    post.answer(match.mail, said, sender=VICTIM)
    (asked,) = told(post, match)
    assert silenced() == (False, False) and "A mail that did not come from your address asks" in lines_of(asked)[0]
    post.answer(match.mail, "yes")
    assert silenced() == (False, False)
    post.answer(asked, "yes")
    assert silenced() == done


def test_stop_in_the_accounts_name_is_asked_back_where_dmarc_fails(match: Match, post: Post) -> None:
    post.dmarc = "fail"
    post.answer(match.mail, "stop")
    (asked,) = told(post, match)
    assert "asks that you get no more mails" in lines_of(asked)[0]
    assert delivery_preferences.of_game(post.session, match.accounts[match.seat], match.table.table.key) is None


@pytest.mark.parametrize(
    "field", ["Auto-Submitted: auto-replied", "List-Id: <x.example>", "Precedence: bulk", "X-Autoreply: yes", ""]
)
def test_no_door_answers_a_program(match: Match, post: Post, field: str) -> None:
    post.write(SERVICE, "new 2, cleo@example.org", match.player)
    post.write(SERVICE, "solo", "dora@example.org")
    before = len(post.sent)
    doors = [str(mail["Reply-To"]) for mail in (*post.sent, match.mail) if mail["Reply-To"]]
    for number, to in enumerate([SERVICE, *doors]):
        for sender in (match.address, "cleo@example.org", "dora@example.org", "eve@example.org"):
            head = f"From: {sender}\r\nTo: {to}\r\nMessage-ID: <{number}.{sender}>\r\n"
            head += f"{field}\r\n" if field else ""
            said = f"{head}\r\nhelp\r\nsolo\r\nyes\r\nstop\r\n"
            post.put_raw(to, said.encode(), sender if field else "")
    post.run()
    assert len(post.sent) == before and len({to.partition("-")[2].partition("-")[0] for to in doors}) >= 3


def test_only_one_question_is_asked_by_a_mail(match: Match, post: Post) -> None:
    post.answer(match.mail, "resign\nstop\nmute", sender=VICTIM)
    (asked,) = told(post, match)
    assert "Do you really want to leave" in lines_of(asked)[0]
    assert ["Answer first what is asked" in line for line in lines_of(asked)] == [False, True, True]
    post.answer(asked, "yes")
    assert (
        match.moves() == ["resign"]
        and delivery_preferences.of_game(post.session, match.accounts[match.seat], match.table.table.key) is None
    )


def test_stop_from_the_accounts_own_address_is_done_at_once(match: Match, post: Post) -> None:
    (answer,) = post.answer(match.mail, "stop")
    assert "You get no more mails of this game" in text_of(answer)


@pytest.mark.parametrize("said", ["choice 1 A", "help", "note x", "stop"])
def test_a_listed_address_is_not_answered(match: Match, post: Post, said: str) -> None:
    list_never(post, match.address)
    for sender in (None, VICTIM):
        post.answer(match.mail, said, sender=sender)
    post.write(SERVICE, "solo", match.player)
    assert told(post, match) == [] and len(post.got(match.address)) == 1
    assert post.session.scalar(text("SELECT count(*) FROM incoming WHERE outcome IS NOT NULL")) == 0


def test_mail_from_elsewhere_is_not_answered_where_mails_come_back(match: Match, post: Post) -> None:
    for sender, replies in ((None, 1), (VICTIM, 1)):
        post.session.get_one(Account, match.accounts[match.seat]).mail_stopped_at = NOW
        post.answer(match.mail, "help", sender=sender)
        assert len(told(post, match)) == replies
    # Nobody was to be told, so that nothing is kept, and no mail was dropped.
    assert post.session.scalar(text("SELECT count(*) FROM incoming WHERE outcome IS NOT NULL")) == 0
    noted = deliveries.listed(post.session, KnownAccount(match.accounts[match.seat]), None, 200).deliveries
    assert [each.state for each in noted if each.kind == "answer"] == ["sent"]


def test_a_listed_address_gets_no_mail_of_its_own_games(post: Post, match: Match) -> None:
    list_never(post, match.address)
    list_never(post, match.other_address)
    before = len(post.sent)
    match.move()
    world.play_out(post.session, match.id)
    closing = world.open_table(post.session, match.accounts[0], seats=3)
    world.join(post.session, match.accounts[1], closing)
    accounts.change(post.session, match.accounts[0], {"email": "new@example.org"}, NOW)
    list_never(post, "new@example.org")
    post.run()
    assert len(post.sent) == before
    noted = deliveries.listed(post.session, KnownAccount(match.accounts[0]), None, 200).deliveries
    assert ("end", "dropped", "never_mail") in [(each.kind, each.state, each.reason) for each in noted]


def test_a_listed_address_is_written_to_again_after_a_sign_in(post: Post, match: Match) -> None:
    list_never(post, match.address)
    sign_in.send_code(post.session, match.address, "en", NOW)
    post.run()
    code = text_of(post.got(match.address)[-1])
    typed = next(line for line in code.splitlines() if len(line) == 11 and line[5] == "-")
    made = sign_in.redeem(
        post.session,
        KEYS,
        email=match.address,
        code=typed,
        name=None,
        language=None,
        label=None,
        lifetime=None,
        now=NOW,
    )
    assert made is not None and post.session.get_one(Account, made.account.id).email == match.address
    assert len(post.answer(match.mail, "choice 1 A")) == 1
