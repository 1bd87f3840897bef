"""Replies to strangers who ask for nothing: a description of the service, once a week, and nothing of theirs."""

from email.utils import formataddr

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.access.address_hash import address_hashes
from service.jobs.incoming_mail import take_in
from service.jobs.worker_context import WorkerContext
from service.store import never_mail
from service.store.accounts import Code
from tests.support import world
from tests.support.clock import NOW, Clock
from tests.support.mail.text import text_of
from tests.support.world import KEYS
from tests.unit.jobs.writing import SERVICE, Post, taking_mail

CLEO = "Cleo <cleo@example.org>"
SUBJECTS = {
    "en": "What Nova Luna by post is",
    "fr": "Nova Luna par courrier, c’est quoi ?",
    "es": "Qué es Nova Luna por correo",
    "de": "Was Nova Luna per Post ist",
}


@pytest.fixture
def post(session: Session, context: WorkerContext) -> Post:
    world.account(session, "Ann")
    return Post(taking_mail(context), session)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("What is this?", "en"),
        ("", "en"),
        ("Buy our pills!", "en"),
        ("2 F", "en"),
        ("say hello", "en"),
        ("Dzień dobry", "en"),
        ("Bonjour, qu'est-ce que c'est ?", "fr"),
        ("français", "fr"),
        ("Hola, ¿cómo se juega?", "es"),
        ("Hallo, was ist das und wie geht es?", "de"),
        ("auf Deutsch, bitte", "de"),
    ],
)
def test_a_question_is_answered_in_its_language(post: Post, said: str, code: str) -> None:
    post.write(SERVICE, said, CLEO, subject="?")
    (mail,) = post.sent
    assert mail["To"] == "cleo@example.org" and str(mail["Subject"]).replace("\u00a0", " ") == SUBJECTS[code]
    assert mail["Auto-Submitted"] == "auto-replied" and mail["Reply-To"] is None
    assert f"/rules?language={code}" in text_of(mail) and SERVICE in text_of(mail)
    assert "/never-mail?" in text_of(mail) and "/never-mail?" in str(mail["List-Unsubscribe"])
    assert post.session.scalar(select(Code.id)) is None, "its address is forgotten once it is told"


def test_nothing_of_what_was_sent_goes_back(post: Post) -> None:
    raw = (
        f"From: =?utf-8?q?Xyzzy_Name?= <cleo@example.org>\nTo: {SERVICE}\nSubject: Xyzzy subject\nMessage-ID: "
        f"<xyzzy@xyzzy.example>\n"
        "References: <xyzzy.2@xyzzy.example>\nReply-To: victim@xyzzy.example\nX-Xyzzy: xyzzy\n\nXyzzy? Buy at "
        "xyzzy.example\n"
    )
    post.put_raw(SERVICE, raw.encode(), "cleo@example.org")
    post.run()
    (mail,) = post.sent
    assert "xyzzy" not in mail.as_string().lower() and "xyzzy" not in text_of(mail).lower()
    assert mail["In-Reply-To"] is None and mail["References"] is None and mail["To"] == "cleo@example.org"


def test_a_sender_with_a_domain_beyond_ascii_is_answered(post: Post) -> None:
    raw = f"From: Jürgen <juergen@müller.example>\nTo: {SERVICE}\nSubject: ?\n\nWas ist das?\n"
    post.put_raw(SERVICE, raw.encode(), "juergen@müller.example")
    post.run()
    assert [mail["To"] for mail in post.sent] == ["juergen@xn--mller-kva.example"]


def test_stranger_is_answered_once_a_week(post: Post, clock: Clock) -> None:
    for days, mails in ((0, 1), (0, 1), (1, 1), (6, 1), (8, 2), (9, 2), (16, 3)):
        clock.now = world.later(days=days, minutes=5)
        post.write(SERVICE, "What is this?", CLEO)
        assert len(post.sent) == mails, days


def test_stranger_is_answered_once_whether_proven_or_not(post: Post) -> None:
    for dmarc in ("pass", None, "fail", "pass"):
        post.dmarc = dmarc
        post.write(SERVICE, "What is this?", CLEO)
    assert len(post.sent) == 1


def test_a_question_spends_no_code(post: Post) -> None:
    post.write(SERVICE, "What is this?", CLEO)
    post.write(SERVICE, "solo", CLEO)
    assert [str(mail["Subject"]) for mail in post.sent] == [SUBJECTS["en"], "Answer “yes” to begin a solo"]


def test_only_so_many_strangers_are_answered(post: Post) -> None:
    few = Post(taking_mail(post.context, limit_strangers=2), post.session, dmarc=None)
    for name in ("dora", "eve", "fay", "gus"):
        few.write(SERVICE, "What is this?" if name != "eve" else "solo", f"{name}@example.org")
    assert len(few.sent) == 2
    more = Post(taking_mail(post.context, limit_strangers=60), post.session, dmarc=None)
    more.write(SERVICE, "What is this?", "gus@example.org")
    assert len(more.sent) == 1, "what all together had spent is not put down to one of them"


@pytest.mark.parametrize(
    "sender",
    ["no-reply@example.org", "noreply+x@example.org", "do_not_reply@example.org", "bounces-12@example.org", SERVICE],
)
def test_an_address_that_nobody_reads_is_not_answered(post: Post, sender: str) -> None:
    post.write(SERVICE, "What is this?", sender)
    assert post.sent == []


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"List_Id": "<a.list.example>"},
        {"Return_Path": "<>"},
        {"X_Autoreply": "yes"},
    ],
)
def test_what_a_program_wrote_is_not_answered(post: Post, headers: dict[str, str]) -> None:
    if "Return_Path" in headers:
        post.put_raw(SERVICE, f"From: {CLEO}\nTo: {SERVICE}\n\nWhat is this?\n".encode(), "")
        post.run()
    else:
        post.write(SERVICE, "What is this?", CLEO, **headers)
    assert post.sent == []


def test_a_question_from_a_listed_address_is_not_answered(post: Post) -> None:
    never_mail.add(post.session, address_hashes(KEYS, "cleo@example.org"), NOW)
    post.write(SERVICE, "What is this?", CLEO)
    assert post.sent == []


@pytest.mark.parametrize("said", ["stop", "Please never write to me again", "Bitte nehmt mich von der Liste"])
def test_a_stranger_who_wants_no_mail_is_never_invited(post: Post, said: str) -> None:
    post.write(SERVICE, said, CLEO)
    post.write(SERVICE, "new 2, cleo@example.org", "Ann <ann@example.org>")
    assert post.got("cleo@example.org") == []
    post.write(SERVICE, "solo", CLEO)
    (code,) = post.got("cleo@example.org")  # who begins something wants mail again
    post.answer(code, "yes", sender=CLEO)
    assert post.got("cleo@example.org")[-1]["Subject"] == "Nova Luna: your solo"


@pytest.mark.parametrize("dmarc", [None, "fail"])
def test_an_unproven_wish_for_no_mail_is_answered_with_the_link(post: Post, dmarc: str | None) -> None:
    post.dmarc = dmarc
    post.write(SERVICE, "unsubscribe", CLEO)
    (told,) = post.got("cleo@example.org")
    assert "/never-mail?" in text_of(told)
    hashes = address_hashes(KEYS, "cleo@example.org")
    assert not never_mail.is_listed(post.session, hashes)
    never_mail.add(post.session, hashes, NOW)
    post.write(SERVICE, "solo", CLEO)
    assert len(post.got("cleo@example.org")) == 1, "nobody is taken off the list by a mail that anybody may have sent"


@pytest.mark.parametrize(("name", "told"), [("Müller, Uwe", False), ("\U0001f3b2", True), (None, True)])
def test_a_player_without_a_name_is_told_where_to_set_one(post: Post, name: str | None, told: bool) -> None:
    sender = "cleo@example.org" if name is None else formataddr((name, "cleo@example.org"))
    post.write(SERVICE, "solo", sender)
    post.answer(post.got("cleo@example.org")[-1], "yes", sender=sender)
    answer = " ".join(text_of(post.got("cleo@example.org")[-1]).split())
    assert "You have an account now" in answer
    assert ("set one at https://nova-luna.example.org/settings," in answer) is told


def test_stop_in_answer_to_a_code_ends_all_mail(post: Post) -> None:
    post.write(SERVICE, "solo", CLEO)
    (code,) = post.got("cleo@example.org")
    post.answer(code, "stop", sender=CLEO)
    post.write(SERVICE, "new 2, cleo@example.org", "Ann <ann@example.org>")
    assert post.got("cleo@example.org") == [code]


def test_an_address_that_is_listed_before_the_answer_left_gets_none(post: Post) -> None:
    take_in(post.context, post.put(SERVICE, "What is this?", CLEO))
    never_mail.add(post.session, address_hashes(KEYS, "cleo@example.org"), NOW)
    post.run()
    assert post.sent == []


@pytest.mark.parametrize("account", [True, False])
def test_an_invited_person_who_asks_is_told_what_this_is(post: Post, account: bool) -> None:
    if account:
        world.account(post.session, "Cleo")
    post.write(SERVICE, "new 2, cleo@example.org", "Ann <ann@example.org>")
    (invited,) = post.got("cleo@example.org")
    post.answer(invited, "Wer bist du und was ist das?", sender=CLEO)
    last = post.got("cleo@example.org")[-1]
    if not account:
        assert str(last["Subject"]) == "Re: Ann lädt dich zu einer Partie Nova Luna ein"
        told = " ".join(text_of(last).split())
        assert "Du hast an Nova Luna per Post geschrieben." in told and "/never-mail?" in told
    post.answer(invited, "yes", sender=CLEO)
    assert "Nova Luna with Ann" in [mail["Subject"] for mail in post.got("cleo@example.org")] or account


def test_a_question_to_a_code_is_answered_and_the_code_stays_good(post: Post) -> None:
    post.write(SERVICE, "solo", CLEO)
    (code,) = post.got("cleo@example.org")
    post.answer(code, "What is this?", sender=CLEO)
    told = post.got("cleo@example.org")[-1]
    assert told["Subject"] == f"Re: {code['Subject']}" and "It is a service on which people play" in text_of(told)
    post.answer(code, "yes", sender=CLEO)
    assert post.got("cleo@example.org")[-1]["Subject"] == "Nova Luna: your solo"


def test_a_kept_address_is_good_for_no_sign_in(post: Post) -> None:
    take_in(post.context, post.put(SERVICE, "What is this?", CLEO))
    (kept,) = post.session.scalars(select(Code))
    assert kept.email == "cleo@example.org" and kept.used_at is not None and kept.asked is None


def test_a_stranger_who_writes_in_no_known_language_is_sent_english(post: Post) -> None:
    take_in(post.context, post.put(SERVICE, "solo", CLEO, subject="solo"))
    take_in(post.context, post.put(SERVICE, "Hvad er det?", "Dora <dora@example.org>", subject="Spil"))
    assert {code.email: code.language for code in post.session.scalars(select(Code))} == {
        "cleo@example.org": "en",
        "dora@example.org": "en",
    }
