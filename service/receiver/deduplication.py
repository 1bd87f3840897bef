"""Recognize repeated deliveries, so that a mail that a relay sends again, or two relays send, takes effect once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from service.access.reply_addresses import Recipient
from service.reading.headers import Field, values

_TELLING = ("message-id", "from", "date", "subject")
_BLANK_ENDS = re.compile(rb"(?<![ \t\r])[ \t\r]++\n")
"""White space at the end of a line.

It is matched only from its beginning; otherwise every position in a long run of spaces would be tried.
"""


def digests(recipients: Sequence[Recipient], fields: Sequence[Field], body: bytes) -> list[bytes]:
    """Compute one SHA-256 for each recipient, of the recipient, the identifying header fields and the body.

    What relays add on the way is left out, and so is white space at the ends of lines and of the body, which they
    change.
    """
    parts = []
    for name in _TELLING:
        parts += [name.encode(), *values(fields, name)]
    parts.append(_BLANK_ENDS.sub(b"\n", body.replace(b"\r\n", b"\n")).rstrip(b"\r\n\t "))
    # The digests are stored, so renaming a recipient's class or field would make a repeated mail look new.
    return [_digest([type(to).__name__.encode(), *(str(part).encode() for part in to), *parts]) for to in recipients]


def _digest(parts: Sequence[bytes]) -> bytes:
    said = hashlib.sha256()
    for part in parts:
        said.update(len(part).to_bytes(8))
        said.update(part)
    return said.digest()
