"""When two deliveries are the same mail: so that one which a relay brings again, or two relays at once, acts once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from service.access.reply_addresses import Recipient
from service.reading.headers import Field, values

_TELLING = ("message-id", "from", "date", "subject")
_BLANK_ENDS = re.compile(rb"(?<![ \t\r])[ \t\r]++\n")
"""White space at the end of a line. It is looked for from its beginning alone, as each place within a long run of spaces
would else be tried for itself."""


def digests(recipients: Sequence[Recipient], fields: Sequence[Field], body: bytes) -> list[bytes]:
    """Compute for each recipient the SHA-256 of whom a mail is for, who says that it wrote what when, and its body.

    What relays add on the way is left out, and what they do to white space at the ends of lines and of the body.
    """
    parts = []
    for name in _TELLING:
        parts += [name.encode(), *values(fields, name)]
    parts.append(_BLANK_ENDS.sub(b"\n", body.replace(b"\r\n", b"\n")).rstrip(b"\r\n\t "))
    return [_digest([type(to).__name__.encode(), *(str(part).encode() for part in to), *parts]) for to in recipients]


def _digest(parts: Sequence[bytes]) -> bytes:
    said = hashlib.sha256()
    for part in parts:
        said.update(len(part).to_bytes(8))
        said.update(part)
    return said.digest()
