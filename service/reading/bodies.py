"""Extract the text of a mail, both from its plain text and from its HTML, and note what else the mail contains."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from service.reading.charsets import label_in, text_of
from service.reading.commands import New, Note, Say
from service.reading.grammar import LONGEST, command
from service.reading.lines import CUT, Line
from service.reading.markup import lines_of
from service.reading.parts import Part, take_apart
from service.reading.plain_text import fixed, flowed, unarmored
from service.reading.smime import signed_content

_MOST_LINES = 3_000
_DEEPEST = 6
_LINE_END = re.compile("[\u2028\u2029\x85]")
"""Characters that some programs write at the end of a line."""

_WITH_ONE_TEXT = ("multipart/related", "multipart/signed")
"""The multiparts of which only the first part is a text to read."""

_SIGNATURES = (
    "application/pgp-signature",
    "application/pkcs7-signature",
    "application/x-pkcs7-signature",
    "application/pgp-keys",
)


@dataclass(slots=True)
class Body:
    """The text of a mail as lines, and what else it contains.

    `plain` comes from the text parts and `html` from the HTML parts. Where a part has only one of them, that one is
    used for both.
    """

    plain: list[Line] = field(default_factory=list)
    html: list[Line] = field(default_factory=list)
    is_encrypted: bool = False
    is_calendar: bool = False
    has_picture: bool = False
    has_file: bool = False


def bodies(mail: Part) -> Body:
    """Return the text of a mail, however deeply it is wrapped."""
    body = Body()
    _add(mail, body, True, True, 0)
    for lines in (body.plain, body.html):
        kept, encrypted = unarmored(lines[:_MOST_LINES])
        lines[:] = kept
        body.is_encrypted = body.is_encrypted or encrypted
    return body


def _add(part: Part, body: Body, plain: bool, html: bool, depth: int) -> None:
    """Add the content of a part to the plain text, to the HTML text, or to both."""
    kind = part.type
    match kind.partition("/")[0], kind:
        case _, "multipart/encrypted" | "application/pgp-encrypted":
            body.is_encrypted = True
        case _, "application/pkcs7-mime" | "application/x-pkcs7-mime":
            _add_smime(part, body, plain, html, depth)
        case _, "text/calendar":
            body.is_calendar = True
        case _, "multipart/alternative":
            _add_alternative(part, body, plain, html, depth)
        case "multipart", _:
            for at, within in enumerate(part.parts):
                is_shown = not at or kind not in _WITH_ONE_TEXT
                _add(within, body, plain and is_shown, html and is_shown, depth + 1)
        case _, "text/plain" | "text/html" if not (part.is_attached and depth):
            _add_text(part, body, plain, html)
        case "image", _:
            body.has_picture = True
        case _ if kind not in _SIGNATURES:
            body.has_file = True


def _add_alternative(part: Part, body: Body, plain: bool, html: bool, depth: int) -> None:
    """Add the first text alternative to the plain text, and the last other alternative (the richest) to the HTML."""
    body.is_calendar = body.is_calendar or any(within.type == "text/calendar" for within in part.parts)
    texts = [within for within in part.parts if within.type == "text/plain"][:1]
    pages = [within for within in part.parts if within.type not in ("text/plain", "text/calendar")][-1:]
    for within in texts:
        _add(within, body, plain, html and not pages, depth + 1)
    for within in pages:
        _add(within, body, plain and not texts, html, depth + 1)


def _add_text(part: Part, body: Body, plain: bool, html: bool) -> None:
    content = part.content()
    if part.type == "text/html":
        text = text_of(content, part.parameters.get("charset", "") or label_in(content))
        lines = lines_of(_LINE_END.sub("<br>", text))
    else:
        text = text_of(content, part.parameters.get("charset", "")).replace(CUT[0], "")
        lines = _plain_lines(_LINE_END.sub("\n", text), part.parameters)
    for wanted, found in ((plain, body.plain), (html, body.html)):
        if wanted:
            # Another part, such as a gateway's disclaimer, is another paragraph: it goes on with no message.
            found += [Line("")] * bool(found) + lines[:_MOST_LINES]


def _plain_lines(text: str, parameters: dict[str, str]) -> list[Line]:
    lines = text.split("\n", _MOST_LINES)[:_MOST_LINES]
    if parameters.get("format", "").lower() != "flowed":
        return fixed(lines)
    return flowed(lines, delete_space=parameters.get("delsp", "").lower() == "yes", stands=_stands)


def _stands(line: str) -> bool:
    """Return whether a line is a complete command, to which the next line can add nothing."""
    asked = command(line) if len(line) <= LONGEST else None
    return asked is not None and not isinstance(asked, Say | Note | New)


def _add_smime(part: Part, body: Body, plain: bool, html: bool, depth: int) -> None:
    within = signed_content(part.octets())
    if within is None or depth > _DEEPEST:
        body.is_encrypted = True
        return
    _add(take_apart(within), body, plain, html, depth + 1)
