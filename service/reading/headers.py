"""Parse the header of a mail: its fields, and the text and the addresses in them (RFC 5322, 2.2; RFC 2047).

This is the only header parser. The receiver and the reader of mail see the same fields, so no header can mean one thing
to one and another thing to the other. Parsing never fails, whatever the bytes. The standard library's parser is not
used, because some headers take it quadratic time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.errors import HeaderParseError
from email.header import decode_header
from email.utils import getaddresses
from typing import NamedTuple

from service.reading.charsets import text_of

MOST_LINES = 150_000
"""The number of lines of a mail that are examined."""

MOST_HEAD = 256 * 1024
"""The number of bytes of a header that are examined. The rest, like fields beyond the maximum, counts as body."""

_MOST_FIELDS = 500
_LONGEST_FIELD = 8 * 1024
"""Bytes of a value. The Authentication-Results field of a relay that checks several signatures has two thousand."""

_LONGEST_TEXT = 1_000
"""The number of characters of a subject or a name that are decoded."""

_FIELD = re.compile(rb"([!-9;-~]{1,100})[ \t]*:(.*)", re.DOTALL)
_ADDRESS = re.compile(r"[^\s<>@\"(),:;\\\[\]]{1,64}@[^\s<>@\"(),:;\\\[\]]{1,255}")


class Field(NamedTuple):
    """A header field: its name in lower case, and its value with its lines joined by spaces."""

    name: str
    value: bytes

    @property
    def text(self) -> str:
        """The value decoded as UTF-8, or else as Latin-1."""
        try:
            return self.value.decode("utf-8")
        except UnicodeDecodeError:
            return self.value.decode("latin-1")


def split(raw: bytes) -> tuple[list[Field], bytes]:
    """Split a mail into its header fields, in order from the top, and its body with line feeds as line ends."""
    fields, body = fields_of(lines_of(raw))
    return fields, b"\n".join(body)


def lines_of(raw: bytes) -> list[bytes]:
    """Return the lines of a mail, up to `MOST_LINES` of them and then the rest.

    In the header a carriage return without a line feed ends no line, as for relays: a field that follows one would
    otherwise be the sender's to us, and part of another field to the relay that checks what it adds.
    """
    head, blank, body = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    return (head.replace(b"\r", b" ") + blank + line_feeds(body)).split(b"\n", MOST_LINES)


def line_feeds(raw: bytes) -> bytes:
    """Return the bytes with every line end as a single line feed."""
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def fields_of(lines: list[bytes]) -> tuple[list[Field], list[bytes]]:
    """Split lines into the header fields at the top and the lines after them.

    The header ends at the first line that is not part of a field.
    """
    fields: list[Field] = []
    name, value, size = "", [b""], 0
    at = 1 if lines and lines[0].startswith((b"From ", b">From ")) else 0  # the separator of a mailbox file
    left = MOST_HEAD
    for line in lines[at:]:
        left -= len(line) + 1
        if left < 0:
            break
        if line[:1] in (b" ", b"\t") and name and line.strip():
            if size < _LONGEST_FIELD:
                value.append(line[:_LONGEST_FIELD])
                size += len(line)
        elif (found := _FIELD.match(line)) and len(fields) < _MOST_FIELDS:
            if name:
                fields.append(Field(name, _unfolded(value)))
            name, value = found[1].decode("ascii").lower(), [found[2][:_LONGEST_FIELD]]
            size = len(value[0])
        else:
            break
        at += 1
    if name:
        fields.append(Field(name, _unfolded(value)))
    if at < len(lines) and not lines[at].strip():
        at += 1
    return fields, lines[at:]


def _unfolded(value: list[bytes]) -> bytes:
    return b" ".join(line.strip() for line in value).strip()[:_LONGEST_FIELD]


def values(fields: Sequence[Field], name: str) -> list[bytes]:
    """Return the values of all fields of a name, given in lower case, with each run of white space as one space."""
    return [b" ".join(field.value.split()) for field in fields if field.name == name]


def decoded(value: str) -> str:
    """Decode the encoded words (RFC 2047) in a header's text, and return it on one line."""
    value = value[:_LONGEST_TEXT]
    if "=?" in value:
        try:
            value = "".join(
                part if isinstance(part, str) else text_of(part, label or "us-ascii")
                for part, label in decode_header(value)
            )
        except (HeaderParseError, ValueError, LookupError, AssertionError):
            pass
    return " ".join("".join(c if c.isprintable() else " " for c in value).split())


def addresses(values: Sequence[str]) -> list[tuple[str, str]]:
    """Parse the values of fields such as From into pairs of name and address.

    Invalid entries are included, with whatever text stands in place of the address.
    """
    try:
        return getaddresses(values)
    except (ValueError, IndexError, TypeError, RecursionError):
        return []


def only_author(values: Sequence[str]) -> tuple[str, str] | None:
    """Return the name and the address in the From fields of a mail, if these are one field with one address.

    This is whom a relay's DMARC result is about. Whoever checks that result and whoever acts on the mail must use this,
    or a From could mean one address to one and another to the other. None for a From that is very long, as it may have
    been cut.
    """
    if len(values) != 1 or len(values[0]) > _LONGEST_TEXT:
        return None
    match addresses(values):
        case [(name, address)] if is_address(address):
            return name, address
        case _:
            return None


def is_address(text: str) -> bool:
    """Return whether a text is a plain address and nothing else."""
    return _ADDRESS.fullmatch(text) is not None


def bare_address(value: str) -> str | None:
    """Return the first text in a field that could be an address, or None. For fields that cannot be parsed."""
    found = _ADDRESS.search(value)
    return found[0] if found else None
