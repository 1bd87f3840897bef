"""A mail as it came, read into what of it matters. Total: any bytes, never an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "empty", "picture", "encrypted", "calendar", "attachment"]


@dataclass(frozen=True, slots=True)
class Letter:
    """What a mail is.

    `sender` is the address in From (else in Sender) in lower case as far as its domain goes, None if there is none that
    could be one; `sender_name` the name beside it. `message_id` and `references` are with their angle brackets, as an
    In-Reply-To needs them. `automatic` says why a program wrote it, None if a person may have. `texts` are the readings of
    what was written, best first, each without quoted mails, footers and signatures as far as they can be told: lines that
    a person wrote, None where something that is not theirs stood between. `kind` is `text` if there is anything to read,
    else what there is instead.
    """

    sender: str | None
    sender_name: str | None
    subject: str
    message_id: str | None
    references: tuple[str, ...]
    automatic: str | None
    texts: tuple[tuple[str | None, ...], ...]
    kind: Kind


def read(raw: bytes, *, domain: str | None = None, return_path: str | None = None) -> Letter:
    """The letter in these bytes. `domain` is that of the service's own Message-IDs; `return_path` the sender in the
    envelope, of which "" is that of a program (None: not known)."""
    raise NotImplementedError
