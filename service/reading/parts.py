"""Split a mail into its parts (RFC 5322, RFC 2045, RFC 2046), in one pass and within fixed limits.

The standard library's parser is not used, because some headers and nestings take it quadratic time, and anybody may
send them. Damaged mail never fails. It is read as a person would see it: the headers end at the first line that is no
header, a part ends where the mail ends, and a missing boundary is guessed from the first line of a part.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from service.reading.headers import MOST_LINES, fields_of, line_feeds, lines_of

MOST_BYTES = 8 * 1024 * 1024
MOST_PARTS = 60
DEEPEST = 12
"""The greatest depth of nested parts. Deeper parts are left out, as are those beyond `MOST_PARTS`."""

_LONGEST_BODY = 512 * 1024

_PARAMETER = re.compile(r';\s*([\w!#$&+.^-]{1,60})(\*[\d*]{0,4})?\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;"]+)')
_GUESS = re.compile(rb"--([!-~](?:[ -~]{0,198}[!-~])?)\s*")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a mail.

    Attributes:
        fields: its header fields in order, with names in lower case.
        type: the media type, such as `text/plain`.
        parameters: the parameters of the type, with names in lower case.
        body: its lines without line ends; empty for a multipart.
        parts: the parts inside it.
    """

    fields: tuple[tuple[str, str], ...]
    type: str
    parameters: dict[str, str]
    body: tuple[bytes, ...]
    parts: tuple[Part, ...]

    def all(self, name: str) -> list[str]:
        """Return the values of all fields of a name, unfolded."""
        return [value for found, value in self.fields if found == name]

    def get(self, name: str) -> str:
        """Return the value of the first field of a name, or an empty string."""
        return next(iter(self.all(name)), "")

    def walk(self) -> Iterator[Part]:
        """Yield this part and all parts inside it."""
        yield self
        for part in self.parts:
            yield from part.walk()

    @property
    def is_attached(self) -> bool:
        """True if the part is a file attached to the text."""
        return self.get("content-disposition").strip().lower().startswith("attachment")

    def octets(self) -> bytes:
        """Return the decoded body (RFC 2045, 6)."""
        raw = b"\n".join(self.body)
        match self.get("content-transfer-encoding").strip().strip('"').lower():
            case "base64":
                letters = _NOT_BASE64.sub(b"", raw)
                return binascii.a2b_base64(letters[: len(letters) // 4 * 4] + _rest(letters))
            case "quoted-printable":
                return binascii.a2b_qp(raw)
            case _:
                return raw

    def content(self) -> bytes:
        """Return the decoded body of a text, with bare line feeds and cut to a maximum length."""
        return line_feeds(self.octets()[:_LONGEST_BODY])


def take_apart(raw: bytes) -> Part:
    """Parse the bytes of a mail; a mail that is too long is cut off."""
    return _Parts().part(lines_of(raw[:MOST_BYTES])[:MOST_LINES], 0)


class _Parts:
    """The parts of one mail while they are built, up to a maximum number."""

    def __init__(self) -> None:
        self._left = MOST_PARTS

    def part(self, lines: list[bytes], depth: int, default: str = "text/plain") -> Part:
        self._left -= 1
        found, body = fields_of(lines)
        fields = tuple((field.name, field.text) for field in found)
        value = next((value for name, value in fields if name == "content-type"), "")
        kind, parameters = _type(value, default)
        parts: tuple[Part, ...] = ()
        if kind.startswith("multipart/"):
            bodies = _split(body, parameters.get("boundary", ""))
            if bodies is None:
                kind = "text/plain"  # mail programs show it as text
            else:
                within = "message/rfc822" if kind == "multipart/digest" else "text/plain"
                body = []
                parts = tuple(self._within(bodies, depth + 1, within))
        return Part(fields, kind, parameters, tuple(body), parts)

    def _within(self, bodies: list[list[bytes]], depth: int, default: str) -> Iterator[Part]:
        for body in bodies:
            if depth > DEEPEST or self._left <= 0:
                return
            yield self.part(body, depth, default)


def _type(value: str, default: str) -> tuple[str, dict[str, str]]:
    """Return the media type of a Content-Type in lower case, and its parameters."""
    kind = value.partition(";")[0].partition("(")[0].strip().strip('"').lower()
    if not re.fullmatch(r"[\w.+-]+/[\w.+-]+", kind):
        kind = "text/plain" if kind in ("", "text") else "application/octet-stream" if value else default
    found: dict[str, str] = {}
    for name, _, given in _PARAMETER.findall(value):
        found.setdefault(name.lower(), re.sub(r"\\(.)", r"\1", given[1:-1]) if given[:1] == '"' else given)
    return (kind if value else default), found


def _split(lines: list[bytes], boundary: str) -> list[list[bytes]] | None:
    """Return the lines between the boundary lines, or None if no boundary is found, declared or guessed."""
    told = boundary.encode("utf-8", "replace")
    for mark in (told, _guessed(lines)):
        if mark and (bodies := _between(lines, b"--" + mark)):
            return bodies
    return None


def _between(lines: list[bytes], mark: bytes) -> list[list[bytes]]:
    bodies: list[list[bytes]] = []
    start = None
    for at, line in enumerate(lines):
        if line.startswith(mark) and (rest := line[len(mark) :].strip()) in (b"", b"--"):
            if start is not None:
                bodies.append(lines[start:at])
            start = at + 1
            if rest:
                return bodies
    if start is not None:
        bodies.append(lines[start:])
    return bodies


def _guessed(lines: list[bytes]) -> bytes:
    """Return the likely boundary: the first line of two dashes and more that a header field follows."""
    for line, following in pairwise(lines[:200]):
        if (found := _GUESS.fullmatch(line)) and following.lower().startswith(b"content-"):
            return found[1]
    return b""


def _rest(letters: bytes) -> bytes:
    """Return the incomplete last group of a base64 body, padded; a single character holds no byte."""
    rest = letters[len(letters) // 4 * 4 :]
    return rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b""
