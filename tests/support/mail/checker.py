"""Check a delivered mail, byte for byte, against the standards for writing mail.

These are RFC 5322 (lines, headers), 2045 to 2047 and 2387 (parts, encodings, encoded words), 2369 and 8058
(unsubscribing). The checker uses nothing of the library that the service writes mails with.
"""

import base64
import binascii
import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass

_LONGEST_LINE = 998
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_DOTTED = rf"{_ATOM}(?:\.{_ATOM})*"
_ADDRESS = rf"(?:{_DOTTED}|\"[^\"\\\r\n]+\")@{_DOTTED}"
_WORD = re.compile(r"=\?([A-Za-z0-9-]+)\?([BbQq])\?([!->@-~]*)\?=")
_PHRASE = rf"(?:(?:{_ATOM}|\.|\"(?:[^\"\\\r\n]|\\.)*\"|=\?[^ ]+\?=)[ \r\n]*)+"
_ONCE = (
    *("from", "to", "reply-to", "subject", "date", "message-id", "in-reply-to", "references", "mime-version"),
    *("content-type", "content-disposition", "content-id", "list-id", "list-unsubscribe"),
    *("content-transfer-encoding", "list-unsubscribe-post", "auto-submitted"),
)
_NEEDED = ("from", "to", "subject", "date", "message-id", "mime-version", "auto-submitted")
_SYNTAX = {
    "from": rf"(?:{_PHRASE}<{_ADDRESS}>|{_ADDRESS})",
    "to": rf"(?:{_PHRASE}<{_ADDRESS}>|{_ADDRESS})",
    "date": r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d? (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} "
    r"\d\d:\d\d:\d\d [+-]\d{4}",
    "message-id": rf"<{_DOTTED}@{_DOTTED}>",
    "in-reply-to": rf"<{_DOTTED}@{_DOTTED}>",
    "references": rf"<{_DOTTED}@{_DOTTED}>(?: <{_DOTTED}@{_DOTTED}>)*",
    "content-id": rf"<{_DOTTED}@{_DOTTED}>",
    "mime-version": r"1\.0",
    "reply-to": rf"(?:{_PHRASE}<{_ADDRESS}>|{_ADDRESS})",
    "auto-submitted": "auto-generated|auto-replied",
    "list-id": rf"(?:{_PHRASE})?<{_DOTTED}>",
    "list-unsubscribe": r"<https?://[!-;=?-~]+>",
    "list-unsubscribe-post": "List-Unsubscribe=One-Click",
    "content-transfer-encoding": "7bit|quoted-printable|base64",
}


@dataclass(frozen=True)
class Part:
    """A part that contains no other parts: its type, its headers by lower-case name, and its decoded content."""

    kind: str
    headers: dict[str, str]
    content: bytes

    @property
    def text(self) -> str:
        """The text of the part."""
        assert 'charset="utf-8"' in self.headers["content-type"].lower(), "a text of no known charset"
        return self.content.decode()


def check(raw: bytes) -> list[Part]:
    """Return the parts of a mail in order; raise AssertionError for the first thing that is wrong."""
    _check_lines(raw)
    head, parts = _entity(raw, top=True)
    for name in _NEEDED:
        assert name in head, f"{name} is missing"
    _check_unsubscribing(raw, head)
    html = [part for part in parts if part.kind == "text/html"]
    assert [part.kind for part in parts[:2]] == ["text/plain", "text/html"], "text comes first, then HTML"
    shown = {f"<{cid}>" for part in html for cid in re.findall(r'"cid:([^"]+)"', part.text)}
    brought = [part.headers["content-id"] for part in parts if "content-id" in part.headers]
    assert shown == set(brought) and len(brought) == len(shown), "what HTML shows and what is there differ"
    loaded = re.findall(r'(?:src|background|poster)="(?!cid:)|url\(|@import|<link', "".join(part.text for part in html))
    assert not loaded, f"HTML loads something: {loaded}"
    return parts


def decoded(value: str) -> str:
    """Return a header's text with its encoded words decoded (RFC 2047)."""

    def word(found: re.Match[str]) -> str:
        charset, encoding, text = found.groups()
        if encoding in "Bb":
            return base64.b64decode(text, validate=True).decode(charset)
        return quopri.decodestring(text.replace("_", " ")).decode(charset)

    joined = re.sub(r"(\?=)\s+(?==\?)", r"\1", value)
    return _WORD.sub(word, joined)


def _check_lines(raw: bytes) -> None:
    assert raw.isascii() and b"\0" not in raw, "bytes that are no ASCII, or none at all"
    assert b"\r" not in raw.replace(b"\r\n", b"") and b"\n" not in raw.replace(b"\r\n", b""), "a bare CR or LF"
    assert raw.endswith(b"\r\n"), "the last line does not end"
    assert max(map(len, raw.split(b"\r\n"))) <= _LONGEST_LINE, "a line over 998 bytes"


def _entity(raw: bytes, *, top: bool = False) -> tuple[dict[str, str], list[Part]]:
    head, parted, body = raw.partition(b"\r\n\r\n")
    assert parted, "headers without an empty line after them"
    headers = _headers(head.decode("ascii"))
    assert top or "mime-version" not in headers
    kind, parameters = _type(headers["content-type"])
    encoding = headers.get("content-transfer-encoding", "7bit")
    if not kind.startswith("multipart/"):
        return headers, [Part(kind, headers, _content(body, encoding))]
    assert encoding == "7bit", "an encoded multipart"
    parts = [part for piece in _pieces(body, parameters["boundary"]) for part in _entity(piece)[1]]
    if kind == "multipart/related":
        assert parameters["type"] == parts[0].kind, "the type of what is related is not that of its root"
    return headers, parts


def _headers(head: str) -> dict[str, str]:
    headers: dict[str, str] = {}
    for field in re.split(r"\r\n(?![ \t])", head):
        found = re.fullmatch(r"([!-9;-~]+): (\S.*)", field, re.DOTALL)
        assert found, f"no header: {field!r}"
        name, value = found[1].lower(), found[2]
        assert name not in headers or name not in _ONCE, f"{name} is there twice"
        assert all(line.strip() for line in value.split("\r\n")), f"{name} has a line of white space alone"
        _check_words(name, field)
        unfolded = re.sub(r"\r\n(?=[ \t])", "", value)
        if name in _SYNTAX:
            assert re.fullmatch(_SYNTAX[name], unfolded), f"{name} is not well-formed: {unfolded!r}"
        headers[name] = unfolded
    return headers


def _check_words(name: str, field: str) -> None:
    """Fail unless encoded words stand alone, are short enough and can be decoded.

    A word may have 75 characters, and a line with one 76.
    """
    for line in field.split("\r\n"):
        for token in re.findall(r"\S*=\?\S*", line):
            assert name in ("subject", "from", "to", "reply-to", "list-id"), f"an encoded word in {name}"
            assert _WORD.fullmatch(token) and len(token) <= 75, f"no encoded word, or too long a one: {token!r}"
            assert len(line) <= 76, f"a line with encoded words over 76: {line!r}"
            decoded(token)


def _type(value: str) -> tuple[str, dict[str, str]]:
    kind, *given = (piece.strip() for piece in value.split(";"))
    assert re.fullmatch(r"[a-z]+/[a-z.+-]+", kind), f"no media type: {kind!r}"
    parameters = {}
    for one in given:
        found = re.fullmatch(rf'([a-z-]+)=(?:"([^"\\]+)"|({_ATOM}))', one)
        assert found, f"no parameter: {one!r}"
        parameters[found[1]] = found[2] or found[3]
    return kind, parameters


def _pieces(body: bytes, boundary: str) -> Iterator[bytes]:
    assert re.fullmatch(r"[A-Za-z0-9'()+_,./:=? -]{0,69}[A-Za-z0-9'()+_,./:=?-]", boundary), f"boundary {boundary!r}"
    mark = f"--{boundary}".encode()
    body = b"\r\n" + body
    first, *pieces = body.split(b"\r\n" + mark)
    assert not first.strip() and len(pieces) >= 2, "a multipart without parts"
    assert pieces[-1].startswith(b"--") and not pieces[-1][2:].strip(), "a multipart that does not end"
    for piece in pieces[:-1]:
        assert piece.startswith(b"\r\n"), "text behind a boundary"
        yield piece[2:]


def _content(body: bytes, encoding: str) -> bytes:
    lines = body.split(b"\r\n")
    if encoding == "7bit":
        return body
    assert max(map(len, lines)) <= 76, f"a line over 76 in {encoding}"
    if encoding == "base64":
        try:
            return base64.b64decode(b"".join(lines), validate=True)
        except binascii.Error as error:
            raise AssertionError("no base64") from error
    for line in lines:
        assert re.fullmatch(rb"(?:[!-<>-~ \t]|=[0-9A-F]{2})*=?", line), f"no quoted-printable: {line!r}"
        assert not line.endswith((b" ", b"\t")), "white space at the end of a line"
    return quopri.decodestring(body)


def _check_unsubscribing(raw: bytes, head: dict[str, str]) -> None:
    """Fail unless the link is on one line, and programs may POST to it exactly if it is encrypted."""
    link = head.get("list-unsubscribe")
    assert ("list-unsubscribe-post" in head) == (link is not None and link.startswith("<https:")), "RFC 8058"
    if link is not None:
        assert f"\r\nList-Unsubscribe: {link}\r\n".encode() in raw, "List-Unsubscribe is not on one line"
