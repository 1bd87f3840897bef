"""Every kind of mail in every language, as a real SMTP server receives it, checked against the standards."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.language.languages import CODES, language
from service.language.sanitize import one_line
from service.mail.message import Answered, Content, Envelope, build, to_bytes
from service.mail.relay import Relay
from service.queries.recipients import Recipient
from tests.support.mail import facts, kinds
from tests.support.mail import relay as relays
from tests.support.mail.checker import check, decoded

AT = datetime(2026, 11, 27, 20, 56, 3, tzinfo=UTC)
SENDER = "Nova Luna by post <nova-luna@play.example.org>"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 150
SCRIPTS = ("Łucja Ż.", "Ярослав Мудрый и ещё кое-кто", "山田 太郎 " * 4, "علی رضا")


def envelope(content: Content, name: str | None) -> Envelope:
    to_a_stranger = facts.NEVER in content.text
    stop = facts.NEVER if to_a_stranger else facts.STOP if facts.STOP in content.text else None
    table = facts.TABLE if facts.TABLE in content.text else None
    thread = f"game.{table}.AcCt" if table else None
    return Envelope(SENDER, "ann@example.org", "turn.TabLe2345678.7.AcCt", name, thread, table, stop)


@pytest.fixture(scope="module")
def relay() -> Iterator[relays.Relay]:
    with relays.running() as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize("kind", kinds.every_kind())
def test_every_kind_in_every_language_is_as_the_standards_have_it(kind: str, relay: relays.Relay) -> None:
    for code in CODES:
        content = kinds.every_kind(language(code), SCRIPTS, PNG)[kind]()
        relay.mails.clear()
        message = build(content, envelope(content, SCRIPTS[2]), AT)
        Relay.from_url(f"smtp://127.0.0.1:{relay.port}").deliver(message)
        (raw,) = relay.mails
        text, html, *pictures = check(raw)
        assert text.text.replace("\r\n", "\n") == content.text
        assert html.text.replace("\r\n", "\n").strip() == content.html.strip()
        assert [picture.content for picture in pictures] == [picture.png for picture in content.pictures]
        subject = re.search(rb"^Subject: (.*?)\r\n(?! )", raw, re.MULTILINE | re.DOTALL)
        assert subject is not None and decoded(subject[1].decode().replace("\r\n", "")) == one_line(content.subject)


@given(name=st.text(st.characters(), max_size=60), other=st.text(st.characters(), min_size=1, max_size=40))
@settings(max_examples=60)
def test_any_names_at_all(name: str, other: str) -> None:
    content = kinds.an_invitation(Recipient("ann@example.org", name, "AcCt"), (other, None, None))
    text, _ = check(to_bytes(build(content, envelope(content, name), AT)))
    assert one_line(other) in one_line(text.text)


def test_a_reply_joins_the_thread_and_passes_on_valid_ids_only() -> None:
    content = kinds.every_kind(language("de"), SCRIPTS, PNG)["answer"]()
    odd = ("<no id>", "<a@b>\r\nBcc: <x@example.org>", "<é@example.org>", f"<{'x' * 200}@example.org>")
    answers = Answered("<own@example.net>", (*(f"<{'r' * 100}{number}@example.net>" for number in range(30)), *odd))
    reply_to = f"nova-luna+play-{'a2' * 20}@play.example.org"
    raw = to_bytes(build(content, replace(envelope(content, SCRIPTS[1]), reply_to=reply_to, answers=answers), AT))
    check(raw)
    head = message_from_bytes(raw)
    references = str(head["References"]).split()
    assert references[0] == f"<game.{facts.TABLE}.AcCt@play.example.org>" and references[-2:] == [
        f"<{'r' * 100}29@example.net>", "<own@example.net>"
    ]  # fmt: skip
    assert head["In-Reply-To"] == "<own@example.net>" and head["Bcc"] is None
    assert head["Reply-To"] == f"Nova Luna by post <{reply_to}>" and head["Auto-Submitted"] == "auto-replied"


@pytest.mark.parametrize(
    "hidden",
    [
        "=?utf-8?q?a=0D=0ABcc=3A_x=40y.example?=",  # a header
        "a=?utf-8?b?DQoNCjxoMT4=?=",  # an empty line, and HTML
        "=?utf-8?q?=0A_folded?=",
        "=?utf-8?q?=E2=80=AE?=",  # right-to-left text
        "=?x-unknown?q?=FF?=",
        "=?utf-8?q?plain?= =?utf-8?q?_words?=",
    ],
)
def test_hidden_encoded_words_are_written_as_given_or_left_out(hidden: str) -> None:
    content = replace(kinds.every_kind(language("de"), SCRIPTS, PNG)["answer"](), subject=f"Re: {hidden}")
    id = f"<{hidden}@example.net>"
    to = replace(envelope(content, hidden), answers=Answered(id, ("<first@example.net>", id)))
    raw = to_bytes(build(content, to, AT))
    text, html, _ = check(raw)
    assert text.text.replace("\r\n", "\n") == content.text and "cid:" in html.text
    head = message_from_bytes(raw)
    assert decoded(str(head["Subject"]).replace("\r\n", "")) == f"Re: {hidden}" and head["Bcc"] is None
    assert decoded(str(head["To"]).replace("\r\n", "")) == f"{hidden} <ann@example.org>"
    thread = f"<game.{facts.TABLE}.AcCt@play.example.org>"
    assert str(head["References"]).split() == [thread, "<first@example.net>"]
    assert head["In-Reply-To"] == "<first@example.net>"


def test_a_field_that_would_be_two_is_not_written() -> None:
    content = kinds.every_kind(language("en"), SCRIPTS, PNG)["closed"]()
    for unsubscribe in ("https://x.example/\r\nBcc: y", "https://x.example/\n\n<h1>"):
        with pytest.raises(ValueError, match="line"):
            to_bytes(build(content, replace(envelope(content, None), unsubscribe=unsubscribe), AT))


def test_a_long_way_back_is_folded() -> None:
    content = kinds.every_kind(language("en"), SCRIPTS, PNG)["answer"]()
    ids = tuple(f"<{'r' * 120}{number:03}@example.net>" for number in range(9))
    sender = f"n@{'.'.join(['d' * 60] * 4)}.example"
    raw = to_bytes(build(content, replace(envelope(content, None), sender=sender, answers=Answered(ids[-1], ids)), AT))
    check(raw)
    assert str(message_from_bytes(raw)["References"]).split()[1:] == list(ids[-6:])


def tampert(change: Callable[[bytes], bytes]) -> bytes:
    content = kinds.every_kind(language("fr"), SCRIPTS, PNG)["end"]()
    raw = to_bytes(build(content, envelope(content, SCRIPTS[1]), AT))
    check(raw)
    changed = change(raw)
    assert changed != raw
    return changed


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda raw: raw.replace(b"\r\n", b"\n", 1), "bare CR or LF"),
        (lambda raw: raw.replace(b"Subject: ", b"Subject: " + b"x" * 999, 1), "998"),
        (lambda raw: b"Date: Fri, 27 Nov 2026 20:56:03 +0000\r\n" + raw, "twice"),
        (lambda raw: raw.replace(b"Message-ID: <", b"Message-ID: <a b", 1), "not well-formed"),
        (lambda raw: raw.replace(b"Auto-Submitted: auto-generated\r\n", b""), "auto-submitted is missing"),
        (lambda raw: raw.replace(b"?=\r\n =?", b"?==?", 1), "encoded word"),
        (lambda raw: raw.replace(b"List-Unsubscribe: <https:", b"List-Unsubscribe: <http:"), "8058"),
        (lambda raw: raw.replace(b"/unsubscribe?link=", b"/unsubscribe\r\n ?link=", 1), "not well-formed"),
        (lambda raw: raw.replace(b"Content-ID: <", b"Content-ID: <x", 1), "differ"),
        (lambda raw: raw.replace(b"cid:", b"ftp:", 1), "differ"),
        (lambda raw: raw.replace(b"=C3=A9", b"=c3=a9", 1), "quoted-printable"),
        (lambda raw: raw.replace(b"iVBORw", b"iVB*Rw", 1), "base64"),
        (lambda raw: raw.rstrip(b"-\r\n") + b"\r\n", "does not end"),
        (lambda raw: raw.replace(b'type="text/html"', b'type="text/plain"', 1), "root"),
    ],
)  # fmt: skip
def test_the_checker_finds_what_is_wrong(change: Callable[[bytes], bytes], what: str) -> None:
    with pytest.raises(AssertionError, match=what):
        check(tampert(change))
