"""The message around a mail: its headers, which nothing that a person typed can break."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.utils import parseaddr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.language.sanitize import one_line
from service.mail.failures import PermanentFailure
from service.mail.message import Content, Envelope, Picture, build, to_bytes
from tests.support.mail.checker import check

SENDER = "Nova Luna by post <nova-luna@play.example.org>"
AT = datetime(2026, 11, 27, 20, 56, 3, tzinfo=UTC)
TURN = Envelope(
    SENDER, "ann@example.org", "turn.TabLe2345678.7.AcCt", "Ann", thread="game.TabLe2345678.AcCt", table="TabLe2345678"
)
SIMPLE = Content("Your turn", "Text\n", "<p>HTML</p>")
PICTURE = Picture(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, "The table")
STOP = "https://play.example.org/unsubscribe?link=" + "WyJBYyIsbnVsbCwidHVybiJd." + "s" * 43


def wire(content: Content = SIMPLE, envelope: Envelope = TURN) -> bytes:
    return to_bytes(build(content, envelope, AT))


def parsed(raw: bytes) -> EmailMessage:
    return message_from_bytes(raw, _class=EmailMessage, policy=policy.default)


def test_the_headers_of_a_turn_mail() -> None:
    head = wire().split(b"\r\n\r\n")[0].decode()
    assert head.splitlines()[:9] == [
        "From: Nova Luna by post <nova-luna@play.example.org>",
        "To: Ann <ann@example.org>",
        "Subject: Your turn",
        "Date: Fri, 27 Nov 2026 20:56:03 +0000",
        "Message-ID: <turn.TabLe2345678.7.AcCt@play.example.org>",
        "In-Reply-To: <game.TabLe2345678.AcCt@play.example.org>",
        "References: <game.TabLe2345678.AcCt@play.example.org>",
        "List-Id: Nova Luna table TabLe2345678 <TabLe2345678.play.example.org>",
        "Auto-Submitted: auto-generated",
    ]


def test_a_mail_of_no_thread_and_no_table_has_no_headers_for_them() -> None:
    message = parsed(wire(envelope=Envelope(SENDER, "ann@example.org", "code.CoDe")))
    assert message["Message-ID"] == "<code.CoDe@play.example.org>"
    assert message["To"] == "ann@example.org"
    assert not {"In-Reply-To", "References", "List-Id"} & set(message.keys())
    assert message["Auto-Submitted"] == "auto-generated"


def test_text_comes_before_html() -> None:
    message = parsed(wire())
    assert message.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in message.iter_parts()] == ["text/plain", "text/html"]


def test_a_picture_comes_with_the_html_that_shows_it() -> None:
    raw = wire(replace(SIMPLE, picture=PICTURE))
    message = parsed(raw)
    text, shown = message.iter_parts()
    assert isinstance(shown, EmailMessage)
    assert (text.get_content_type(), shown.get_content_type()) == ("text/plain", "multipart/related")
    assert shown.get_param("type") == "text/html"
    html, picture = shown.iter_parts()
    assert isinstance(picture, EmailMessage)
    assert html.get_content_type() == "text/html" and picture.get_content_type() == "image/png"
    assert picture["Content-ID"] == f"<{PICTURE.cid}>" and picture.get_content_disposition() == "inline"
    assert picture.get_content() == PICTURE.png
    assert message.get_body(("plain",)) is not None and message.get_body(("html",)) is not None
    assert wire(replace(SIMPLE, picture=PICTURE)) == raw


def test_a_link_to_unsubscribe_stands_whole_on_one_line() -> None:
    raw = wire(envelope=replace(TURN, unsubscribe=STOP))
    assert f"\r\nList-Unsubscribe: <{STOP}>\r\n".encode() in raw
    assert b"\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in raw


def test_programs_may_not_post_to_a_link_without_encryption() -> None:
    raw = wire(envelope=replace(TURN, unsubscribe="http://127.0.0.1:8080/unsubscribe?link=a.b"))
    assert b"\r\nList-Unsubscribe: <http://127.0.0.1:8080/unsubscribe?link=a.b>\r\n" in raw
    assert b"List-Unsubscribe-Post" not in raw and b"List-Unsubscribe" not in wire()


def test_the_same_mail_is_the_same_to_the_byte() -> None:
    for content in (SIMPLE, replace(SIMPLE, picture=PICTURE)):
        for envelope in (TURN, replace(TURN, unsubscribe=STOP)):
            assert wire(content, envelope) == wire(content, envelope)


@given(name=st.text(st.characters(), max_size=60), subject=st.text(st.characters(), max_size=200))
def test_any_name_and_subject_keep_the_headers_whole(name: str, subject: str) -> None:
    raw = wire(Content(subject, "Text\n", ""), Envelope(SENDER, "ann@example.org", "code.CoDe", name))
    head, _, body = raw.partition(b"\r\n\r\n")
    assert raw.isascii() and b"\n" not in raw.replace(b"\r\n", b"") and b"\r" not in raw.replace(b"\r\n", b"")
    assert all(len(line) <= 998 for line in raw.split(b"\r\n"))
    assert all(len(word) <= 75 for word in re.findall(rb"=\?\S+?\?=", head))
    message = parsed(raw)
    assert list(message.keys()) == [
        "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type"
    ]  # fmt: skip
    (to,) = message["To"].addresses
    assert to.addr_spec == "ann@example.org"
    assert parsed(body_only(body)).get_content_type() == "text/plain"


def body_only(body: bytes) -> bytes:
    """Return the first part of a multipart body with its headers."""
    boundary = body.split(b"\r\n", 1)[0]
    return body.split(boundary + b"\r\n")[1]


@pytest.mark.parametrize(
    "name",
    ["Łucja Ż.", "Ярослав Мудрый и ещё кое-кто", "山田 太郎", "علی رضا", "O'Neill, Jr.", "Zoë \U0001f319", "a@b <c>"],
)
def test_names_in_any_script_arrive_as_they_are(name: str) -> None:
    content = Content(f"Your turn: Nova Luna with {name} and {name} and {name}", f"Hello {name}\n", f"<p>{name}</p>")
    raw = wire(content, Envelope(SENDER, "ann@example.org", "code.CoDe", name))
    message = parsed(raw)
    # Python's newer parser puts a space between the encoded words of a name, so the name is read by the older one.
    to = str(make_header(decode_header(message_from_bytes(raw)["To"])))
    assert parseaddr(to) == (name, "ann@example.org")
    assert message["Subject"] == content.subject
    text, html = (str(part.get_content()) for part in message.iter_parts())
    assert text.strip() == content.text.strip() and html.strip() == content.html


@pytest.mark.parametrize("bad", ["Ann\r\nBcc: eve@example.org", "Ann\nX: y", "Ann\u2028Bcc: z", "\u202eAnn"])
def test_line_ends_and_direction_characters_bend_nothing(bad: str) -> None:
    message = parsed(wire(Content(bad, "Text\n", ""), Envelope(SENDER, "ann@example.org", "code.CoDe", bad)))
    assert "Bcc" not in message and "X" not in message
    assert message["Subject"] == one_line(bad) == message["To"].addresses[0].display_name


@pytest.mark.parametrize("length", [66, 67, 68, 80, 300])
def test_a_subject_that_begins_with_a_long_word_begins_on_the_first_line(length: int) -> None:
    subject = "Re:" + "x" * (length - 3) + " and more"
    raw = wire(replace(SIMPLE, subject=subject))
    assert re.search(rb"\r\nSubject: \S", raw)
    assert str(make_header(decode_header(parsed(raw)["Subject"]))) == subject


@pytest.mark.parametrize("length", [73, 74, 75, 76, 77])
@pytest.mark.parametrize("end", ["", " ", "\t", "é \t"])
def test_no_line_of_a_text_is_over_76_whatever_it_ends_with(length: int, end: str) -> None:
    line = "x" * length + end
    raw = wire(replace(SIMPLE, text=f"{line}\nmore\n"))
    assert check(raw)[0].text.replace("\r\n", "\n") == f"{line.rstrip()}\nmore\n"


def test_long_ids_are_not_encoded() -> None:
    host = "a-rather-long-name-of-a-host-that-somebody-chose.of-an-equally-long-domain.example.org"
    raw = wire(envelope=Envelope(f"N <n@{host}>", "ann@example.org", TURN.key, thread=TURN.thread, table=TURN.table))
    assert f"\r\nReferences: <{TURN.thread}@{host}>\r\n".encode() in raw
    assert f"\r\nMessage-ID: <{TURN.key}@{host}>\r\n".encode() in raw


@pytest.mark.parametrize("bad", ["", "ann", "ann@", "ann@example.org, eve@example.org", "a b@example.org"])
def test_what_is_no_address_is_refused_for_good(bad: str) -> None:
    with pytest.raises(PermanentFailure):
        build(SIMPLE, Envelope(SENDER, bad, "code.CoDe"), AT)
