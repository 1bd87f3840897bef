"""Parse bounce messages: what a report says about a delivery, and which mail it is about.

A delivery report is a multipart/report (RFC 3462, RFC 6522) with a machine-readable part (RFC 3464; RFC 6533 for
addresses that are not ASCII). Some servers, such as qmail, write plain text that says what failed and ends with a copy
of the mail.

The reported mail is identified only by the address that the report was sent to, which was made for that one mail
(`service.access.return_path`). A Message-ID would prove nothing: everybody who received a copy knows it.

Parsing never fails, whatever the bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from service.access.return_path import reference_of
from service.language.scrubbing import without_addresses
from service.reading.charsets import text_of
from service.reading.headers import fields_of
from service.reading.parts import Part, take_apart
from service.reading.smtp_status import is_of_address, status

FAILED, DELAYED, DELIVERED, RELAYED, EXPANDED = ACTIONS = ("failed", "delayed", "delivered", "relayed", "expanded")
"""The actions that a report can state for a recipient (RFC 3464, 2.3.3), the worst first."""

LARGEST = 2 * 1024 * 1024
"""The number of bytes of a report that are examined."""

_MOST_RECIPIENTS = 50
"""The maximum of recipients read. Each of our mails has one; a list or a forwarding may add others."""

_LONGEST = 400
_STATUS = ("message/delivery-status", "message/global-delivery-status")

_ACTION = re.compile("|".join(ACTIONS), re.IGNORECASE)
_ADDRESS = re.compile(r"<([^<>\s@]{1,320}@[^<>\s@]{1,255})>")
_ENCODED = re.compile(r"\\x\{([0-9A-Fa-f]{1,6})\}")
_NAMED = re.compile(r"^[ \t]{0,20}([^<>\s:@]{1,320}@[^<>\s:@]{1,255}):?$", re.MULTILINE)
_DAEMON = re.compile(r"(?:mailer-daemon|postmaster)@", re.IGNORECASE)
_SYSTEM = re.compile(
    r"^hi\. this is the|^this is the (?:mail system|qmail)|^--- below this line"
    r"|^this message was created automatically by mail delivery",
    re.IGNORECASE | re.MULTILINE,
)
_FINAL = re.compile(
    r"permanent|giving\s+up|fatal\s+error|failed|could\s+not\s+be\s+delivered|undeliverable|unable\s+to\s+deliver",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"not\s+yet\s+been|will\s+be\s+(?:retried|tried)|will\s+continue|still\s+trying", re.IGNORECASE)
_COPY = re.compile(r"^-{3,}.*$|^-+ ?original message.*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Bounce:
    """A delivery report about one of our mails.

    Attributes:
        action: one of `ACTIONS`.
        status: the enhanced status code (RFC 3463); `5.0.0` if none is given.
        diagnostic: the server's own words, without addresses.
        recipient: the address that the report names, in its original form if given; None if it names none.
        reference: the reference in the return path that the report was sent to; None if it was sent to another address.
    """

    action: str
    status: str
    diagnostic: str
    recipient: str | None
    reference: str | None

    @property
    def is_hard(self) -> bool:
        """True if the delivery failed permanently because of the address."""
        return self.action == FAILED and is_of_address(self.status)


def parse(raw: bytes) -> Bounce | None:
    """Parse a report about a delivery; return None if the mail is no readable report.

    If the report covers several recipients, the worst result is returned.
    """
    mail = take_apart(raw[:LARGEST].lstrip(b"\r\n"))
    parts = list(mail.walk())
    reference = _reference(mail)
    if (report := next((part for part in parts if part.type in _STATUS), None)) is not None:
        beside = _words(_apart(_text(parts[: parts.index(report)]))[0])
        if (told := _of_report(report, beside)) is not None:
            return told.bounce(reference)
    if mail.type in ("text/plain", "multipart/mixed", "multipart/report"):
        return _of_text(mail, _text(parts), reference)
    return None


def _reference(mail: Part) -> str | None:
    """Return the reference in one of the addresses that the report was sent to, or None."""
    for name in ("delivered-to", "x-original-to", "envelope-to", "to"):
        for value in mail.all(name):
            if found := reference_of(value):
                return found
    return None


@dataclass(frozen=True, slots=True)
class _RecipientReport:
    """The report on one recipient; `words` is the server's own text."""

    action: str
    status: str
    words: str
    recipient: str | None

    @property
    def badness(self) -> tuple[int, bool]:
        """A sort key: the lower, the worse."""
        return ACTIONS.index(self.action), not is_of_address(self.status)

    def bounce(self, reference: str | None) -> Bounce:
        return Bounce(self.action, self.status, _said(self.words), self.recipient, reference)


def _of_report(report: Part, beside: str) -> _RecipientReport | None:
    """Read the machine-readable part of a report; `beside` is the text for people that stands beside it."""
    told = [each for group in _groups(report) if (each := _of_recipient(group, beside))]
    return min(told, key=lambda each: each.badness, default=None)


def _groups(report: Part) -> Iterator[dict[str, str]]:
    """Yield the field groups of a delivery status: one for the mail, then one for each recipient."""
    lines = [line.encode("utf-8", "replace") for line in _decoded(report).split("\n")]
    group: list[bytes] = []
    count = 0
    for line in [*lines, b""]:
        if line.strip():
            group.append(line)
        elif group:
            fields, _ = fields_of(group)
            yield {field.name: " ".join(field.text.split()) for field in fields}
            group = []
            count += 1
            if count > _MOST_RECIPIENTS:
                return


def _of_recipient(group: dict[str, str], beside: str) -> _RecipientReport | None:
    found = _ACTION.match(group.get("action", ""))
    if found is None:
        return None
    action, diagnostic = found[0].lower(), group.get("diagnostic-code", "")
    unknown = {FAILED: "5.0.0", DELAYED: "4.0.0"}.get(action, "2.0.0")
    words = diagnostic or (beside if action == FAILED else "")
    named = group.get("original-recipient") or group.get("final-recipient")
    return _RecipientReport(action, status(group.get("status", ""), words, unknown), diagnostic, _recipient(named))


def _recipient(field: str | None) -> str | None:
    r"""Return the address in a recipient field, or None.

    The field is `rfc822; ann@example.org`, or `utf-8; …` with other characters written as `\x{e9}` (RFC 6533, 3).
    """
    if field is None:
        return None
    kind, _, address = field.partition(";")
    address = (address or kind).strip().strip("<>")
    if kind.strip().lower() == "utf-8":
        address = _ENCODED.sub(_character, address)
    return address if "@" in address and address.isprintable() else None


def _character(code: re.Match[str]) -> str:
    number = int(code[1], 16)
    return chr(number) if number <= 0x10FFFF else code[0]


def _of_text(mail: Part, text: str, reference: str | None) -> Bounce | None:
    """Read a report that consists of text only. It must come from a mail system and say that a delivery failed."""
    head, _ = _apart(text)
    sender, failed = mail.all("return-path")[:1] or ["<>"], mail.get("x-failed-recipients")
    is_system = sender[0].strip() == "<>" and _DAEMON.search(mail.get("from"))
    if not is_system or not (_SYSTEM.search(text) or failed) or not _FINAL.search(head):
        return None
    named = _recipient(failed.split(",")[0])
    if named is None and (found := _ADDRESS.search(head) or _NAMED.search(head)):
        named = found[1]
    action = DELAYED if _GOES_ON.search(head) else FAILED
    return _RecipientReport(action, status("", head, "5.0.0"), _words(head), named).bounce(reference)


def _apart(text: str) -> tuple[str, str]:
    """Split a plain-text report into what it says and the copy of the mail behind it."""
    line = _COPY.search(text)
    return (text, "") if line is None else (text[: line.start()], text[line.end() :])


def _words(head: str) -> str:
    """Return the paragraph that gives the reason: the one that names the address, or else the last."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", head) if paragraph.strip()]
    return next((each for each in paragraphs if _ADDRESS.search(each)), paragraphs[-1] if paragraphs else "")


def _text(parts: list[Part]) -> str:
    """Return the part of a report that is written for people."""
    return next((_decoded(part) for part in parts if part.type == "text/plain"), "")


def _decoded(part: Part) -> str:
    """Return the text of a part."""
    return text_of(part.content(), part.parameters.get("charset", ""))


def _said(diagnostic: str) -> str:
    """Return a diagnostic (`smtp; 550 …`) without the type prefix and without addresses."""
    kind, mark, words = diagnostic.partition(";")
    is_kind = mark and re.fullmatch(r"[A-Za-z0-9-]{1,20}", kind.strip())
    return without_addresses(words.strip() if is_kind else diagnostic, _LONGEST)
