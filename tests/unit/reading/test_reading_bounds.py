"""Any bytes are read in bounded time.

These inputs would take minutes or hours if some step took time in the square of their length, or would end in an error
of too deep a recursion.
"""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.reading.incoming_mail import IncomingMail, read
from service.reading.reply_parser import ReplyCommands, parse_reply
from tests.unit.reading.eml import mail, page, plain

K = 500
LONG = 200_000


def _holds(raw: bytes) -> ReplyCommands:
    letter = read(raw, domain="example.org")
    assert isinstance(letter, IncomingMail)
    return parse_reply(letter)


@settings(max_examples=40)
@given(raw=st.binary(max_size=2_000))
def test_any_bytes(raw: bytes) -> None:
    _holds(raw)
    for head in (
        b"Content-Type: text/html\n\n",
        b"Content-Type: multipart/mixed; boundary=x\n\n--x\n",
        b"Content-Transfer-Encoding: base64\n\n",
    ):
        _holds(head + raw)


@settings(max_examples=40)
@given(text=st.text(max_size=300), html=st.text("<>/=\"'-! abp&#x;divspanhr2F\n", max_size=300))
def test_any_text_and_any_page(text: str, html: str) -> None:
    _holds(mail(plain(text, how="base64")))
    _holds(mail(page(html, how="base64")))


WORST = {
    "fields": b"a:b\n" * 90 * K,
    "folded": b"Content-Type: text/plain" + b";\n a=b" * 60 * K + b"\n\n2 F",
    "semicolons": b"Content-Type: multipart/mixed" + b";" * LONG + b"\n\n2 F",
    "quotation marks": b"Content-Type: multipart/mixed; boundary=" + b'"' * LONG + b"\n\n2 F",
    "an address": b"From: " + b"a@" * LONG + b"\n\n2 F",
    "comments": b"From: " + b"(" * LONG + b"\n\n2 F",
    "encoded words": b"Subject: " + b"=?utf-8?q?a?=" * 40 * K + b"\n\n2 F",
    "references": b"References: " + b"<a@b>" * 90 * K + b"\n\n2 F",
    "brackets": b"References: " + b"<" * LONG + b"\n\n2 F",
    "mails in mails": b"Content-Type: message/rfc822\n\n" * 20 * K,
    "parts in parts": b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3 * K)
    ),
    "parts": b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\n2 G\n" * 50 * K,
    "boundaries": b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b" * LONG,
    "lines": b"\n" * 1_000 * K,
    "spaces": b"\n" + b" " * LONG + b"\n2 F",
    "quotes": b"\n" + b">" * LONG + b"\n2 F",
    "one line": b"\n" + b"2 F " * 100 * K,
    "words": b"\n" + b"on at wrote " * 40 * K + b":\n",
    "attributions": b"\n" + b"On Sat, 28 Nov 2026 at 10:15,\n" * 10 * K,
    "glued": b"\n" + (b"a " + b"On 1 " * 118 + b"\n") * 900,
    "headers": b"\n" + b"From: a\n" * 3 + b"x\n" * 30 * K,
    "headers of quotes": b"\n" + (b"From: a\nTo: b\nSubject: c\n> d\n") * 6 * K,
    "dashes": b"\n" + b"-" * LONG,
    "dashed lines": b"\n" + b"---- a" * 90 * K,
    "underscores": b"\n" + b"_" * 40 + b"\n" + (b"_" * 40 + b"\n") * 9 * K,
    "numbers": b"\n" + b"1234567890" * 40 * K,
    "commands": b"\n" + b"2 F?\n" * 60 * K,
    "addresses": b"\nnew " + b"a@b.org," * 50 * K,
    "dots": b"\nnew " + b"a.a@" * 90 * K,
    "armor": b"\n" + b"-----BEGIN PGP SIGNED MESSAGE-----\n" * 10 * K,
    "base64": b"Content-Transfer-Encoding: base64\n\n" + b"=" * LONG + b"A" * 999,
    "quoted-printable": b"Content-Transfer-Encoding: quoted-printable\n\n" + b"=\n" * LONG,
    "flowed": b"Content-Type: text/plain; format=flowed\n\n" + b"a \n" * 90 * K,
    "a set of characters": b"Content-Type: text/plain; charset=idna\n\n" + b"xn--" * 90 * K,
    "punycode": b"Content-Type: text/plain; charset=punycode\n\n" + b"a-9" * 90 * K,
    "signed": b"Content-Type: application/pkcs7-mime\n\n" + b"\x30\x80" * 90 * K,
    "octets": b"Content-Type: application/pkcs7-mime\n\n" + b"\x24\x80\x24\x03" * 90 * K,
}  # fmt: skip

PAGES = {
    "tags": b"<a" * LONG,
    "open": b"<div>" * 90 * K,
    "open quotes": b"<blockquote>" * 40 * K,
    "closed": b"</div>" * 90 * K,
    "open and closed": b"<div>" * 900 + b"</p>" * 90 * K,
    "comments": b"<!--" * 90 * K,
    "comments within": b"<blockquote>" + b"<!--x--><p>" * 40 * K,
    "declarations": b"<![" * 90 * K,
    "marks": b"<!" * LONG,
    "attributes": b"<p " + b"a=" * LONG,
    "quotation marks": b"<p a='" * 90 * K,
    "two kinds": b"<p a=\"'" * 60 * K,
    "entities": b"&" * LONG,
    "numbers": b"&#" + b"9" * LONG + b";",
    "styles": b"<p style='" + b"border-left:" * 300 + b"'>2 G</p>" * 5,
    "spaces in styles": b"<div style='border-left:" + (b" " * 3_900 + b"'><div style='border-left:") * 133,
    "letters in styles": b"<div style='border-left:" + (b"a" * 3_900 + b"'><div style='border-left:") * 133,
    "many styles": b"<p style='border-left: solid; display : none'>a" * 9 * K,
    "scripts": b"<script>" * 50 * K,
    "titles": b"<title></titl" * 30 * K,
    "breaks": b"<br>" * 90 * K,
    "rows": b"<tr><td>2 G" * 40 * K,
    "spaces": b"<p>" + b" " * LONG,
    "lines kept": b"<pre>" + b"\n" * LONG,
    "sets": b"<meta charset=" * 30 * K,
    "struck": b"<s>" * 90 * K,
    "struck lines": b"<s>1 A</s><br>" * 30 * K,
    "struck words": b"1 <s>A</s> " * 30 * K,
    "signatures": b"<br id=signature>a" * 20 * K,
    "items": b"<ol start=2><li>B" * 20 * K,
    "lists": b"<ol style='list-style:list-style:" + b"list-style:" * 300 + b"'>" * 5,
}


@pytest.mark.parametrize("name", WORST)
def test_the_worst_mails(name: str) -> None:
    _holds(WORST[name])


@pytest.mark.parametrize("name", PAGES)
def test_the_worst_pages(name: str) -> None:
    _holds(b"Content-Type: text/html\n\n" + PAGES[name])


@pytest.mark.parametrize(
    "codec", ["uu", "zlib", "bz2", "hex", "rot13", "base64", "quopri", "undefined", "idna", "unicode_escape"]
)
def test_a_codec_that_gives_no_text_is_no_set_of_characters(codec: str) -> None:
    for content in (b"2 F\n", b"2 F \xff\n"):
        assert _holds(f"Content-Type: text/plain; charset={codec}\n\n".encode() + content + b"\n").commands


def test_noise() -> None:
    random = Random(3)
    for size in (1, 100, 10_000, 100_000):
        _holds(random.randbytes(size))
        _holds(b"Content-Type: text/html\n\n" + random.randbytes(size))


def test_an_answer_before_much_else_is_read() -> None:
    assert len(_holds(mail(plain("2 F\n\n" + "> and so on\n" * 20_000))).commands) == 1
    assert len(_holds(mail(page("<p>2 F</p><blockquote>" + "<div>" * 9_000))).commands) == 1


def test_a_page_is_read_up_to_a_number_of_tags() -> None:
    assert _holds(mail(page("<p>3 B</p>" + "<b></b>" * 90_000))).commands
