"""Parse an incoming mail into the fields that matter to the service. Parsing never fails, whatever the bytes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from service.reading.automatic import is_reaction, why_automatic
from service.reading.bodies import Body, bodies
from service.reading.grammar import LONGEST, command
from service.reading.headers import addresses, bare_address, decoded, is_address, only_author
from service.reading.parts import Part, take_apart
from service.reading.quoting import WrittenText, written_text

Kind = Literal["text", "empty", "picture", "encrypted", "calendar", "attachment", "subject"]

_LONGEST = 1_000
_MOST_REFERENCES = 30
_ID = re.compile(r"<[^<>\s]{1,900}>")


@dataclass(frozen=True, slots=True)
class IncomingMail:
    """An incoming mail.

    Attributes:
        sender: the only address in From, or else the first in From or in Sender, as it is written; None if neither
            holds one.
        sender_name: the display name beside it, or None.
        subject: the decoded subject.
        message_id: the Message-ID with its angle brackets, as In-Reply-To needs it; None if there is none.
        references: the ids in References and In-Reply-To, with their angle brackets.
        automatic: in one word why the mail was written by a program; None if a person may have written it.
        texts: what the sender wrote, as the plain text has it and as the HTML has it, each if it can be read.
        kind: what to call the mail if it holds no command: `text`, unless it has nothing to read, mainly holds
            something else, or has a command in its subject, which is not read.
        languages: the tags of Content-Language (RFC 3282), which some programs set to the sender's language.
    """

    sender: str | None
    sender_name: str | None
    subject: str
    message_id: str | None
    references: tuple[str, ...]
    automatic: str | None
    texts: tuple[WrittenText, ...]
    kind: Kind
    languages: tuple[str, ...] = ()


def read(raw: bytes, *, domain: str | None = None, return_path: str | None = None) -> IncomingMail:
    """Parse the bytes of a mail.

    Args:
        raw: the mail as it was received.
        domain: the domain of the service's own Message-IDs; None if unknown.
        return_path: the envelope sender, empty for mail written by a program; None if unknown.
    """
    mail = take_apart(raw)
    name, address = _sender(mail)
    subject = decoded(mail.get("subject"))
    body = bodies(mail)
    readings = [
        written_text(lines) for lines in ((body.plain,) if body.plain == body.html else (body.plain, body.html))
    ]
    texts = tuple(reading for reading in readings if not reading.is_empty)
    automatic = why_automatic(mail, subject=subject, domain=domain, return_path=return_path)
    if automatic is None and is_reaction(mail, texts):
        automatic = "reaction"
    return IncomingMail(
        sender=address,
        sender_name=name or None,
        subject=subject,
        message_id=next(iter(_ID.findall(mail.get("message-id")[:_LONGEST])), None),
        references=_references(mail),
        automatic=automatic,
        texts=texts,
        kind=_kind(body, texts, subject),
        languages=tuple(re.split(r"[\s,]+", mail.get("content-language").strip()[:_LONGEST])),
    )


def _sender(mail: Part) -> tuple[str, str | None]:
    if (author := only_author(mail.all("from"))) is not None:
        return decoded(author[0])[:200], author[1]
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


def _kind(body: Body, texts: Sequence[WrittenText], subject: str) -> Kind:
    if body.is_encrypted:
        return "encrypted"
    if body.is_calendar:
        return "calendar"
    if len(subject) <= LONGEST and command(subject) is not None:
        return "subject"
    if texts:
        return "text"
    return "picture" if body.has_picture else "attachment" if body.has_file else "empty"
