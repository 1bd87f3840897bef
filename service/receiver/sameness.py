"""When two deliveries are the same mail: so that one which a relay brings again, or two relays at once, acts once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from service.access.reply_addresses import Recipient
from service.receiver.heading import Field, values

_TELLING = ("message-id", "from", "date", "subject")
_LINE_END = re.compile(rb"[ \t\r]*\n")


def digest(to: Recipient, fields: Sequence[Field], body: bytes) -> bytes:
    """SHA-256 of whom a mail is for, who says that it wrote what when, and its body.

    What relays add on the way is left out, and what they do to white space at the ends of lines and of the body.
    """
    said = hashlib.sha256()
    parts = [type(to).__name__.encode(), *(str(part).encode() for part in to)]
    for name in _TELLING:
        parts += [name.encode(), *values(fields, name)]
    parts.append(_LINE_END.sub(b"\n", body).rstrip(b"\r\n\t "))
    for part in parts:
        said.update(len(part).to_bytes(8))
        said.update(part)
    return said.digest()
