"""A mail as it came, read into what of it matters. Total: any bytes, never an error."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from service.reading.automatic import why_automatic
from service.reading.bodies import Body, bodies
from service.reading.headers import addresses, bare_address, decoded, is_address
from service.reading.parts import Part, take_apart
from service.reading.quoting import Reading, own

Kind = Literal["text", "empty", "picture", "encrypted", "calendar", "attachment"]

_LONGEST = 1_000
_MOST_REFERENCES = 30
_ID = re.compile(r"<[^<>\s]{1,900}>")


@dataclass(frozen=True, slots=True)
class Letter:
    """What a mail is.

    `sender` is the address in From (else in Sender) as it is written, None if there is none that could be one;
    `sender_name` the name beside it. `message_id` and `references` are with their angle brackets, as an In-Reply-To needs
    them. `automatic` says in a word why a program wrote it, None if a person may have. `texts` are what somebody wrote
    themselves, once as its plain text has it and once as its HTML has it, each where there is one that can be read. `kind`
    is what to say of the mail if it asks for nothing: `text` unless there is nothing to read, or something else is its
    matter. `languages` are the tags of Content-Language (RFC 3282), which some programs set to that of the person.
    """

    sender: str | None
    sender_name: str | None
    subject: str
    message_id: str | None
    references: tuple[str, ...]
    automatic: str | None
    texts: tuple[Reading, ...]
    kind: Kind
    languages: tuple[str, ...] = ()


def read(raw: bytes, *, domain: str | None = None, return_path: str | None = None) -> Letter:
    """The letter in these bytes. `domain` is that of the service's own Message-IDs; `return_path` the sender in the
    envelope, of which "" is that of a program (None: not known)."""
    mail = take_apart(raw)
    name, address = _sender(mail)
    subject = decoded(mail.get("subject"))
    body = bodies(mail)
    readings = [own(lines) for lines in ((body.plain,) if body.plain == body.html else (body.plain, body.html))]
    texts = tuple(reading for reading in readings if not reading.is_empty)
    return Letter(
        sender=address,
        sender_name=name or None,
        subject=subject,
        message_id=next(iter(_ID.findall(mail.get("message-id")[:_LONGEST])), None),
        references=_references(mail),
        automatic=why_automatic(mail, subject=subject, domain=domain, return_path=return_path),
        texts=texts,
        kind=_kind(body, texts),
        languages=tuple(re.split(r"[\s,]+", mail.get("content-language").strip()[:_LONGEST])),
    )


def _sender(mail: Part) -> tuple[str, str | None]:
    for field in ("from", "sender"):
        value = mail.get(field)[:_LONGEST]
        for name, address in addresses([value]):
            if is_address(address):
                return decoded(name)[:200], address
        if (bare := bare_address(value)) is not None:
            return "", bare
    return "", None


def _references(mail: Part) -> tuple[str, ...]:
    ids = _ID.findall(" ".join(mail.all("references"))) + _ID.findall(mail.get("in-reply-to"))
    return tuple(dict.fromkeys(ids))[-_MOST_REFERENCES:]


def _kind(body: Body, texts: Sequence[Reading]) -> Kind:
    if body.is_encrypted:
        return "encrypted"
    if body.is_calendar:
        return "calendar"
    if texts:
        return "text"
    return "picture" if body.has_picture else "attachment" if body.has_file else "empty"
