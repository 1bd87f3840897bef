"""Encodings, character sets, structures and kinds of mail: what is read of each, and what is reported of the rest."""

import base64

import pytest

from service.reading.incoming_mail import IncomingMail, read
from service.reading.reply_parser import parse_reply
from tests.unit.reading.corpus import meant
from tests.unit.reading.eml import alternative, encoded, mail, page, part, plain, several

FLOWED = "; format=flowed"
PICTURE = b"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n" + encoded(b"\x89PNG" + bytes(500), "base64")


def says(raw: bytes) -> tuple[str, ...]:
    return meant(parse_reply(read(raw)))


@pytest.mark.parametrize("how", ["7bit", "8bit", "quoted-printable", "base64", "BASE64", "x-odd", ""])
def test_transfer_encodings(how: str) -> None:
    body = part("text/plain", "Grüß Gott!\n\n2 F\n", "utf-8", how.lower())
    assert says(mail(body.replace(b"Encoding: base64", b"Encoding: " + how.encode()))) == ("2 F",)


@pytest.mark.parametrize(
    "charset",
    ["utf-8", "iso-8859-1", "iso-8859-15", "windows-1252", "utf-16", "utf-16-le", "utf-7", "koi8-r", "gb18030",
    "shift_jis", "iso-2022-jp", "cp437", "mac-roman", "utf-8-sig", "big5", "euc-kr"],
)  # fmt: skip
def test_a_body_is_decoded_from_each_character_set(charset: str) -> None:
    assert says(mail(plain("Hello\n\n2 F\n\nsay now", charset, "base64"))) == ("2 F", "say now")


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("iso-8859-1", "schön"), ("iso-8859-15", "5 € für dich"), ("windows-1252", "“schön”"), ("koi8-r", "привет"),
        ("koi8-u", "привіт"), ("windows-1251", "привет"), ("shift_jis", "こんにちは"), ("iso-2022-jp", "こんにちは"),
        ("gb2312", "你好"), ("gbk", "你好"), ("gb18030", "你好"), ("big5", "你好"), ("euc-kr", "안녕하세요"),
        ("ks_c_5601-1987", "안녕하세요"), ("utf-16", "schön"), ("utf-16-le", "schön"), ("mac-roman", "schön"),
        ("iso-8859-2", "dziękuję"), ("windows-1253", "γειά"), ("iso-8859-9", "teşekkürler"), ("utf-7", "schön"),
    ],
)  # fmt: skip
def test_letters_are_those_of_the_character_set(charset: str, text: str) -> None:
    assert says(mail(plain(f"2 F\nsay {text}\n", charset, "base64"))) == ("2 F", f"say {text}")


@pytest.mark.parametrize(
    ("written", "label"),
    [("utf-8", "us-ascii"), ("utf-8", "iso-8859-1"), ("cp1252", "utf-8"), ("cp1252", "us-ascii"), ("utf-8",
    "x-unknown"), ("utf-8", "idna"), ("cp1252", "unknown-8bit"), ("utf-8", "hex"), ("utf-8", "é"), ("utf-8",
    "unicode_escape"), ("utf-8", "ANSI_X3.4-1968")],
)  # fmt: skip
def test_labels_that_are_wrong_or_unknown(written: str, label: str) -> None:
    text = "Grüß dich\n2 F\nsay schön!\n".encode(written)
    body = (
        f"Content-Type: text/plain; charset={label}\nContent-Transfer-Encoding: base64\n\n".encode()
        + base64.b64encode(text)
    )
    assert says(mail(body)) == ("2 F", "say schön!")


def test_a_mail_without_header_fields_is_read() -> None:
    assert says(b"\r\n2 F\r\n") == ("2 F",)
    assert says(b"2 F") == ("2 F",)
    assert says(b"From ann@example.net Sat Nov 28 10:20:30 2026\nFrom: ann@example.net\n\n2 F\n") == ("2 F",)


@pytest.mark.parametrize(
    ("text", "more", "meaning"),
    [
        ("say this goes on \nand on\n", FLOWED, ("say this goes on and on",)),
        ("say this goes o \nn and on\n", FLOWED + "; DelSp=Yes", ("say this goes on and on",)),
        ("tile 17 \nat F\n", FLOWED, ("tile 17 F",)),
        ("2 F \n1 B \n", FLOWED, ("2 F", "1 B")),
        (" 2 F\n", FLOWED, ("2 F",)),
        ("> Your turn \n> is this\n2 F\n", FLOWED, ("2 F",)),
        ("-- \n2 F\n", FLOWED, ()),
        ("say first\nand second\n\nno more\n", "", ("say first\nand second",)),
        ("say first\nSent from my iPhone\n", "", ("say first",)),
        ("say first\n2 F\n", "", ("say first", "near 2 F")),
        ("note one\nsay two\n", "", ("note one", "say two")),
    ],
)
def test_paragraphs(text: str, more: str, meaning: tuple[str, ...]) -> None:
    assert says(mail(plain(text, how="8bit", more=more))) == meaning


@pytest.mark.parametrize(
    "html",
    [
        "2 F",
        "<p>2&nbsp;F</p>",
        "<div><b>2</b> F</div>",
        "<p>2\n\n   F</p>",
        "<table><tr><td>2 F</td></tr></table>",
        "<ul><li>2 F</li></ul>",
        "<html><head><title>5 G</title><style>p {}</style></head><body>2 F</body></html>",
        "<html><head><title>5 G</title><body>2 F",
        "<div style='display:none'>5 G</div><p>2 F</p>",
        "<p hidden>5 G</p><p>2 F</p>",
        "<!-- 5 G --><script>5 G</script>2 F",
        "<div id='x_Signature'><p>2 F</p></div>",
        "<div class=gmail_signature>2 F</div>",
        "<blockquote style='margin:0 0 0 40px;border:none;padding:0px'><div>2 F</div></blockquote>",
        "<pre>Hello\n2 F\nBye</pre>",
        "<p>2 F<p>",
        "<p>2 F</p></div></blockquote></td>",
        "<a title='>'>2 F</a>",
        '<p class="x>2 F</p>',
        "&#50; &#x46;",
        "<p>2 F</p><p>&#" + "9" * 5_000 + ";</p>",
        "<blockquote type=cite>5 G</blockquote>2 F",
        "<blockquote><div><blockquote>5 G</blockquote>6 H</div></blockquote><p>2 F</p>",
        "<div class='x_yahoo_quoted'>5 G</div>2 F",
        "2 F<div id='gmail-m_-47x_divRplyFwdMsg'>From</div><div>5 G</div>",
        "2 F<div style='border:none;border-top:solid #B5C4DF 1.0pt;padding:3.0pt 0cm 0cm 0cm'>Von</div><p>5 G</p>",
        "<div style='border-left:solid blue 1.5pt;padding:0cm'>5 G</div>2 F",
        "<table class='x_grid'><tr><td>t 2</td></tr></table><p>2 F</p>",
        "<p>2 F</p><![if !vml]><p>Hello</p><![endif]>",
        "<ol start='2'><li>F</li></ol>",
        "<ol start=2 style='list-style-type: decimal'><li><div>on F</div></li></ol>",
        "<ol><li value='2'>F</ol>",
        "<ol><li>2 F</li></ol>",
        "<ol start='5'><li>2 F</li></ol>",
    ],
)
def test_html(html: str) -> None:
    assert says(mail(page(html))) == ("2 F",)
    assert says(mail(alternative(plain(""), page(html, how="base64")))) == ("2 F",)


@pytest.mark.parametrize(
    "html",
    [
        "<ol start='2' type='a'><li>F</li></ol>",
        "<ol start='2' reversed><li>F</li></ol>",
        "<ol start='2' style='list-style: none'><li>F</li></ol>",
        "<ol start='2'><li hidden>G</li><li>F</li></ol>",
        "<ol start='2'><li style='list-style-type: lower-roman'>F</li></ol>",
        "<ol start='-2'><li>F</li></ol>",
        "<ol><li>thanks</li><li>F</li></ol>",
        "<ol start='2'><ul><li>F</li></ul></ol>",
    ],
)
def test_the_number_of_an_item_is_none_that_is_not_shown(html: str) -> None:
    assert parse_reply(read(mail(page(html)))).commands == ()


def test_text_and_html_that_say_different_things_are_asked_back() -> None:
    answer = parse_reply(read(mail(alternative(plain("2 F"), page("<p>3 G</p>")))))
    assert answer.commands == () and answer.suggestion is not None and len(answer.suggestion.meant) == 2


def test_what_only_one_of_them_has_is_left() -> None:
    assert says(mail(alternative(plain("2 F\n3 G\n"), page("<p>2 F</p>")))) == ("2 F",)


def test_parts_within_parts() -> None:
    text = several(
        "mixed",
        several("related", alternative(plain("2 F"), page("2 F")), PICTURE, boundary="rel"),
        PICTURE,
        boundary="out",
    )
    assert says(mail(text)) == ("2 F",)
    assert says(mail(several("mixed", plain("Hi\n"), plain("2 F\n")))) == ("2 F",)


def test_what_is_attached_or_forwarded_is_not_read() -> None:
    attached = part("text/plain", "5 G").replace(b"\n", b"\nContent-Disposition: attachment; filename=a.txt\n", 1)
    forwarded = b"Content-Type: message/rfc822\n\nFrom: ben@example.org\n\n5 G\n"
    assert says(mail(several("mixed", plain("Hello"), attached, forwarded))) == ()
    assert says(mail(several("mixed", plain("2 F"), attached, forwarded))) == ("2 F",)


def test_a_subject_never_plays() -> None:
    assert says(mail(plain("Hello"), subject="2 F")) == ()
    assert says(mail(plain(""), subject="Re: resign")) == ()


def test_a_command_in_the_subject_is_named_where_the_mail_has_none() -> None:
    for body in ("", "Sent from my iPhone\n", "Best,\nAnn\n"):
        assert read(mail(plain(body), subject="2 F")).kind == "subject"
    assert read(mail(plain(""), subject="Your turn")).kind == read(mail(plain(""), subject="Re: 2 F")).kind == "empty"
    assert read(mail(plain("2 F"), subject="Your turn")).kind == "text"


ENVELOPED = base64.b64encode(bytes.fromhex("308006092a864886f70d010703a0800000")) + b"\n"


def cms(content: bytes, *, pieces: bool) -> bytes:
    """Return signed data (RFC 5652) around a content, without signatures: in DER, or in BER as it is streamed."""

    def item(tag: int, value: bytes) -> bytes:
        size = len(value)
        length = (
            bytes([size])
            if size < 128
            else bytes([0x80 | (size.bit_length() + 7) // 8]) + size.to_bytes((size.bit_length() + 7) // 8, "big")
        )
        return bytes([tag]) + length + value

    def endless(tag: int, value: bytes) -> bytes:
        return bytes([tag, 0x80]) + value + b"\0\0"

    data, signed = bytes.fromhex("06092a864886f70d010701"), bytes.fromhex("06092a864886f70d010702")
    version = bytes.fromhex("020101") + item(0x31, b"")
    if not pieces:
        within = item(0x30, data + item(0xA0, item(0x04, content)))
        return item(0x30, signed + item(0xA0, item(0x30, version + within + item(0x31, b""))))
    octets = endless(0x24, b"".join(item(0x04, content[at : at + 40]) for at in range(0, len(content), 40)))
    within = endless(0x30, data + endless(0xA0, octets))
    return endless(0x30, signed + endless(0xA0, endless(0x30, version + within + item(0x31, b""))))


def smime(content: bytes, kind: str) -> bytes:
    return (
        f"Content-Type: application/pkcs7-mime; smime-type={kind}; name=smime.p7m\nContent-Transfer-Encoding: "
        f"base64\n\n".encode()
        + content
    )


@pytest.mark.parametrize("pieces", [False, True])
def test_signed_mails_are_read(pieces: bool) -> None:
    inner = plain("Hello!\n\n2 F\n")
    opaque = base64.encodebytes(cms(inner, pieces=pieces))
    assert says(mail(smime(opaque, "signed-data"))) == ("2 F",)
    seal = (
        b"Content-Type: application/pgp-signature\n\n-----BEGIN PGP SIGNATURE-----\n5 G\n-----END PGP SIGNATURE-----\n"
    )
    assert says(mail(several("signed", plain("2 F"), seal, more='; protocol="application/pgp-signature"'))) == ("2 F",)
    detached = smime(base64.encodebytes(b"\x30\x80"), "x").replace(b"pkcs7-mime", b"pkcs7-signature")
    assert says(mail(several("signed", alternative(plain("2 F"), page("2 F")), detached, boundary="sig"))) == ("2 F",)
    clear = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n2 F\n- -- \nAnn\n"
    clear += "-----BEGIN PGP SIGNATURE-----\n\niQEz5G\n-----END PGP SIGNATURE-----\n"
    assert says(mail(plain(clear))) == ("2 F",)


def _mail(body: bytes) -> IncomingMail:
    return read(mail(body))


def test_kinds() -> None:
    enc = several(
        "encrypted",
        b"Content-Type: application/pgp-encrypted\n\nVersion: 1\n",
        b"Content-Type: application/octet-stream\n\nx\n",
    )
    armor = "-----BEGIN PGP MESSAGE-----\n\nhQEMA\n2 F\n-----END PGP MESSAGE-----\n"
    calendar = part("text/calendar", "BEGIN:VCALENDAR\nMETHOD:REPLY\nEND:VCALENDAR\n", more="; method=REPLY")
    tnef = b"Content-Type: application/ms-tnef; name=winmail.dat\nContent-Transfer-Encoding: base64\n\neJ8+Ig==\n"
    assert _mail(enc).kind == "encrypted"
    assert _mail(plain(armor)).kind == "encrypted" and says(mail(plain(armor))) == ()
    assert _mail(smime(ENVELOPED, "enveloped-data")).kind == "encrypted"
    assert _mail(calendar).kind == "calendar"
    assert _mail(several("alternative", plain("Accepted: Your turn"), calendar)).kind == "calendar"
    assert _mail(PICTURE).kind == "picture"
    assert _mail(several("mixed", plain("\n \n"), PICTURE)).kind == "picture"
    assert _mail(several("related", page("<img src=cid:1>"), PICTURE)).kind == "picture"
    assert _mail(tnef).kind == "attachment"
    assert says(mail(several("mixed", plain("2 F"), tnef))) == ("2 F",)
    assert _mail(plain("")).kind == _mail(plain("> quoted\n")).kind == _mail(page("<br>")).kind == "empty"
    assert read(b"").kind == "empty"
    assert _mail(plain("Hello")).kind == "text"


def test_sender_and_thread_are_read_from_encoded_fields() -> None:
    letter = read(
        mail(
            plain("2 F"),
            sender="=?utf-8?q?J=C3=B6rg?= Example <Joerg@Example.NET>",
            subject="=?utf-8?b?UmU6IEdyw7zDn2U=?=",
        )
    )
    assert (letter.sender, letter.sender_name, letter.subject) == ("Joerg@Example.NET", "Jörg Example", "Re: Grüße")
    assert letter.message_id == "<CAF4711.abc@mail.example.net>"
    assert letter.references == ("<game.G4mE8sWqKzRt@example.org>", "<turn.G4mE8sWqKzRt.7.AcCtAnn23456@example.org>")
    assert read(b"From: \xe4 <a@b.org\n\n").sender == "a@b.org"
    assert read(b"From: undisclosed\nSender: a@b.org\n\n").sender == "a@b.org"
    assert read(b"From: \n\n").sender is None
    assert read(b'From: "a@b.org" <c@d.org>\n\n').sender == "c@d.org"


def test_a_boundary_that_nobody_told_is_guessed() -> None:
    raw = mail(alternative(plain("2 F"), page("2 F")))
    assert says(raw.replace(b'; boundary="000000000000a1b2c3d4e5f6"', b"")) == ("2 F",)
    assert says(raw.replace(b"--000000000000a1b2c3d4e5f6--", b"")) == ("2 F",)
