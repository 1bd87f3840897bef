"""The worst mails: each unit in each place of a mail that something parses, and trees of parts."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator

from tests.drills.worst.units import filled, in_lines

_FIELDS = (
    b"Message-ID: <1@example.org>\r\nFrom: MAILER-DAEMON@example.org\r\nDate: Sat, 28 Nov 2026 12:00:00 +0000\r\n"
    b"Subject: Re: Your turn\r\n"
)
_HEAD = 250 * 1024
_REPORT = b"Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\n\r\nHi. This is the qmail. It failed.\r\n"
_SYSTEM = b"Hi. This is the qmail-send program. failed permanently\r\n"


def _typed(kind: bytes, *more: bytes) -> bytes:
    return b"".join((_FIELDS, b"Content-Type: ", kind, b"\r\n", *(field + b"\r\n" for field in more), b"\r\n"))


_PLAIN, _PAGE = _typed(b"text/plain; charset=utf-8"), _typed(b"text/html; charset=utf-8")
_CODED = _typed(b"text/plain", b"Content-Transfer-Encoding: quoted-printable")
_BASE64 = _typed(b"text/html", b"Content-Transfer-Encoding: base64")
_FLOWED = _typed(b"text/plain; format=flowed; delsp=yes")
_STATUS = _FIELDS + _REPORT + b"--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\n"
_FAILED = b"Final-Recipient: rfc822; ann@example.org\r\nAction: failed\r\nDiagnostic-Code: smtp; "


def _field(name: bytes) -> Callable[[bytes, int], bytes]:
    def made(unit: bytes, size: int) -> bytes:
        value = filled(unit, min(size, _HEAD)).replace(b"\r\n", b"\r\n ")
        return name + b": " + value + b"x\r\n" + _FIELDS + b"\r\n2 F\r\n"

    return made


def _fields_again(name: bytes) -> Callable[[bytes, int], bytes]:
    """Return a function that makes a mail with as many fields of this name as fit, each with the unit."""
    return lambda unit, size: filled(name + b": " + unit.strip(b"\r\n") + b"\r\n", min(size, _HEAD)) + _PLAIN


PLACES: dict[str, Callable[[bytes, int], bytes]] = {
    "nothing else": filled,
    "a line": lambda unit, size: _PLAIN + filled(unit, size) + b"!",
    "lines": lambda unit, size: _PLAIN + in_lines(unit, size, 76),
    "long lines": lambda unit, size: _PLAIN + in_lines(unit, size, 998),
    "lines of four thousand": lambda unit, size: _PLAIN + in_lines(unit, size, 3_990),
    "paragraphs": lambda unit, size: _PLAIN + filled(filled(unit, 60) + b"\r\n\r\n", size),
    "flowed lines": lambda unit, size: _FLOWED + in_lines(unit + b" ", size, 70),
    "quoted lines": lambda unit, size: _PLAIN + filled(b"> " + filled(unit, 70) + b"\r\n", size),
    "a page": lambda unit, size: _PAGE + filled(unit, size) + b"!",
    "a page of lines": lambda unit, size: _PAGE + filled(b"<p>" + filled(unit, 70) + b"</p>\r\n", size),
    "one element": lambda unit, size: _PAGE + b"<p style='" + filled(unit, size) + b"'>2 F",
    "elements": lambda unit, size: _PAGE + filled(b"<p style='" + filled(unit, 70) + b"' class=quote>x", size),
    "a comment": lambda unit, size: _PAGE + b"<!--" + filled(unit, size) + b"<p>2 F",
    "a quote": lambda unit, size: _PAGE + b"<blockquote>" + filled(unit, size) + b"<p>2 F",
    "quoted-printable": lambda unit, size: _CODED + filled(unit, size) + b"!",
    "base64": lambda unit, size: _BASE64 + filled(unit, size) + b"!",
    "in base64": lambda unit, size: _BASE64 + b64encode(filled(unit, size * 3 // 4)),
    "in lines of base64": lambda unit, size: _BASE64 + _wrapped(b64encode(filled(unit, size * 7 // 10))),
    "subject": _field(b"Subject"),
    "from": _field(b"From"),
    "to": _field(b"To"),
    "content type": _field(b"Content-Type: multipart/mixed; boundary="),
    "charset": _field(b"Content-Type: text/plain; charset="),
    "encoding": _field(b"Content-Transfer-Encoding"),
    "message id": _field(b"Message-ID"),
    "references": _field(b"References"),
    "results": _field(b"Authentication-Results: mx.example.org; spf"),
    "results of nobody": _field(b"Authentication-Results"),
    "received": _field(b"Received"),
    "return path": _field(b"Return-Path"),
    "auto-submitted": _field(b"Auto-Submitted"),
    "failed recipients": _field(b"X-Failed-Recipients"),
    "a field without a name": _field(b"x"),
    "fields": _fields_again(b"X"),
    "many received": _fields_again(b"Received"),
    "many results": _fields_again(b"Authentication-Results: mx.example.org; dmarc"),
    "many delivered": _fields_again(b"Delivered-To"),
    "many lists": _fields_again(b"List-Id"),
    "report in words": lambda unit, size: _FIELDS + b"\r\n" + _SYSTEM + filled(unit, size) + b"!",
    "report in lines": lambda unit, size: _FIELDS + b"\r\n" + _SYSTEM + in_lines(unit, size, 70),
    "status": lambda unit, size: _STATUS + filled(unit, size) + b"\r\n--b--\r\n",
    "diagnostic": lambda unit, size: (
        _STATUS + _FAILED + filled(unit, size).replace(b"\r\n", b"\r\n ") + b"\r\n--b--\r\n"
    ),
    "diagnostics": lambda unit, size: _STATUS + filled(_FAILED + unit.strip() + b"\r\n\r\n", size),
    "beside a report": lambda unit, size: (
        _FIELDS + _REPORT + filled(unit, size) + _STATUS[len(_FIELDS + _REPORT) :] + _FAILED
    ),
    "returned": lambda unit, size: (
        _STATUS + _FAILED + b"x\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n" + filled(unit, size)
    ),
}  # fmt: skip


def _wrapped(text: bytes) -> bytes:
    return b"\r\n".join(text[at : at + 76] for at in range(0, len(text), 76))


def _nested(kind: bytes, size: int) -> bytes:
    made, at, length = [_FIELDS], 0, 0
    while length < size:
        made.append(b"Content-Type: %s; boundary=b%d\r\n\r\n--b%d\r\n" % (kind, at, at))
        length += len(made[-1])
        at += 1
    return b"".join(made)


def trees(size: int) -> Iterator[tuple[str, bytes]]:
    """Yield mails of many parts, beside and inside each other."""
    for kind in (
        b"multipart/mixed",
        b"multipart/report",
        b"multipart/alternative",
        b"multipart/digest",
        b"multipart/signed",
    ):
        yield f"{kind.decode()} within each other", _nested(kind, size)
        head = _FIELDS + b"Content-Type: " + kind + b"; boundary=b\r\n\r\n"
        for name, part in (
            ("empty", b"--b\r\n"),
            ("small", b"--b\r\n\r\n2 F\r\n"),
            ("almost", b"--bb\r\n"),
            ("with a dash", b"--b-\r\n"),
            ("with spaces", b"--b" + b" " * 60 + b"x\r\n"),
            ("that are reports", b"--b\r\nContent-Type: message/delivery-status\r\n\r\nAction: failed\r\n\r\n"),
            ("that are mails", b"--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: a\r\n\r\nx\r\n"),
            ("that are multiparts", b"--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"),
            ("that end", b"--b--\r\n"),
            ("that are pages", b"--b\r\nContent-Type: text/html\r\n\r\n<p>2 F\r\n"),
            ("with fields", b"--b\r\n" + b"a: b\r\n" * 90 + b"\r\n"),
        ):
            yield f"{kind.decode()} of parts {name}", head + filled(part, size)
    one = b"Content-Type: message/rfc822\r\n\r\n"
    yield "mails within each other", _FIELDS + filled(one, size)
    yield "mails within each other at once", filled(one, size)
    guessed = b"Content-Type: multipart/mixed\r\n\r\n"
    yield "boundaries that nobody told", _FIELDS + guessed + filled(b"--x\r\nContent-Type: a/b\r\n\r\n--x", size)
    yield (
        "a boundary of spaces",
        _FIELDS + b'Content-Type: multipart/mixed; boundary=" "\r\n\r\n' + filled(b"--  \r\n", size),
    )
    yield (
        "a long boundary",
        _FIELDS
        + b"Content-Type: multipart/mixed; boundary=%s\r\n\r\n" % (b"-" * 3_000)
        + filled(b"-" * 3_001 + b"\r\n", size),
    )
    for codec in (
        "utf-7", "hz", "iso2022_jp", "iso2022_jp_2", "iso2022_kr", "utf-16", "utf-32", "gb18030", "big5", "cp949",
        "shift_jis", "euc_jp", "idna", "punycode", "unicode_escape", "charmap", "hz-gb-2312", "mac_arabic", "uu",
        "zlib", "rot13", "raw",
    ):  # fmt: skip
        for unit in (b"+", b"~{", b"\x1b$B", b"\xff", b"+AGE-", b"a", b"\x1b", b"\x81"):
            yield f"{codec} of {unit!r}", _typed(b"text/plain; charset=" + codec.encode()) + filled(unit, size)
    for unit in (b"\x30\x80", b"\x24\x80", b"\x30\x84\xff\xff\xff\xff", b"\x04\x00", b"\x24\x80\x04\x00", b"\xa0\x80"):
        oid = b"\x06\x09" + bytes.fromhex("2a864886f70d010702")
        yield f"signed {unit!r}", _typed(b"application/pkcs7-mime") + filled(unit, size)
        yield (
            f"signed data {unit!r}",
            (_typed(b"application/pkcs7-mime") + b"\x30\x80" + oid + b"\xa0\x80\x30\x80" + filled(unit, size)),
        )
