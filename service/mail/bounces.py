"""Reads a mail that came back: which mail it is about, and whether it failed for good. Total: any bytes, never an error.

A report of a delivery is a multipart/report (RFC 3462, 6522) with a part for programs (RFC 3464; RFC 6533 where addresses
are not ASCII), and mostly the headers of what was sent. Some servers (qmail and its kind) write plain text, which says
what failed and ends with a copy of the mail. Which mail it was is told by the address that the report came to, made for
that one mail (`service.access.return_path`), else by its Message-ID in what was returned.
"""

from __future__ import annotations

import re
from base64 import b64decode
from dataclasses import dataclass
from email import policy
from email.message import Message
from email.parser import BytesParser, HeaderParser
from quopri import decodestring

from service.access.return_path import reference_of
from service.mail.refusals import without_addresses
from service.mail.reply_status import status
from service.reading.charsets import text_of

FAILED, DELAYED, DELIVERED, RELAYED, EXPANDED = ACTIONS = ("failed", "delayed", "delivered", "relayed", "expanded")
"""What a report can say of a recipient (RFC 3464, 2.3.3)."""

_LARGEST = 2 * 1024 * 1024
_MOST_PARTS = 100
_MOST_RECIPIENTS = 1_000
_LONGEST = 400

_ACTION = re.compile("|".join(ACTIONS), re.IGNORECASE)
_MESSAGE_ID = re.compile(r"^message-id:\s*<([^<>\s@]{1,200})@[^<>\s]+>", re.IGNORECASE | re.MULTILINE)
_ADDRESS = re.compile(r"<([^<>\s]{1,320}@[^<>\s]{1,255})>")
_ENCODED = re.compile(r"\\x\{([0-9A-Fa-f]{1,6})\}")
_NAMED = re.compile(r"^[ \t]{0,20}([^<>\s:]{1,320}@[^<>\s:]{1,255}):?$", re.MULTILINE)
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

#: What is wrong with the mailbox for the time being, or with the mail or the way to it, says nothing against the address:
#: full (x.2.2), too large (x.2.3, x.3.4), expired (x.4.7), systems (x.3), protocol (x.5), content (x.6), policy (x.7). Nor
#: does what is wrong with the sender (x.1.7, x.1.8).
_OF_ADDRESS = re.compile(r"5\.(?:0\.\d+|1\.(?![78]$)\d+|2\.(?!2$|3$)\d+|4\.(?!7$|0$)\d+)$")


@dataclass(frozen=True, slots=True)
class Bounce:
    """What a report says of a mail.

    `action` is one of `ACTIONS`; `status` the enhanced code (RFC 3463), `5.0.0` where none is given; `diagnostic` what
    the server said, without addresses; `recipient` whom the report names, as it was sent to if it says so. `reference` is
    that of the return path, `key` the left part of the Message-ID: either may be None.
    """

    action: str
    status: str
    diagnostic: str
    recipient: str | None
    reference: str | None
    key: str | None

    @property
    def is_hard(self) -> bool:
        """Whether it will always fail, because of the address."""
        return self.action == FAILED and is_of_address(self.status)


def is_of_address(status: str) -> bool:
    """Whether what failed with this enhanced code failed because of the address, and always will."""
    return _OF_ADDRESS.match(status) is not None


def parse(raw: bytes) -> Bounce | None:
    """What a mail says of a delivery; None if it is no such report, or can't be read. The worst is told, if it says
    something of several recipients."""
    try:
        return _parse(raw.lstrip(b"\r\n")[:_LARGEST])
    except Exception:  # noqa: BLE001  (anybody may send anything, and the package that reads mail raises what it likes)
        return None


def _parse(raw: bytes) -> Bounce | None:
    message = BytesParser(policy=policy.compat32).parsebytes(raw)
    parts = _parts(message)
    reference = _reference(message)
    for part in parts:
        if part.get_content_type() in ("message/delivery-status", "message/global-delivery-status"):
            told = _of_report(
                _fields(part), reference, _key(parts, part), _words(_split(_text(parts[: parts.index(part)]))[0])
            )
            if told is not None:
                return told
            break
    if message.get_content_type() in ("text/plain", "multipart/mixed", "multipart/report"):
        return _of_text(message, parts, reference)
    return None


def _parts(message: Message) -> list[Message]:
    """All parts, in their order; not for ever."""
    found: list[Message] = []
    for part in message.walk():
        found.append(part)
        if len(found) == _MOST_PARTS:
            break
    return found


def _reference(message: Message) -> str | None:
    """The reference in one of the addresses that the report was sent to."""
    for name in ("Delivered-To", "X-Original-To", "Envelope-To", "To", "X-Failed-Recipients"):
        for value in message.get_all(name, []):
            if found := reference_of(str(value)):
                return found
    return None


def _fields(part: Message) -> list[dict[str, str]]:
    """The groups of fields of a delivery status: that of the mail, and one for each recipient."""
    payload = part.get_payload()
    if isinstance(payload, list):  # taken apart by the parser, which knows nothing of encodings and of RFC 6533
        raw = b"\n".join(group.as_bytes() for group in payload[: _MOST_RECIPIENTS + 1] if isinstance(group, Message))
        match str(part.get("Content-Transfer-Encoding", "")).strip().lower():
            case "base64":
                raw = b64decode(raw)
            case "quoted-printable":
                raw = decodestring(raw)
        text = text_of(raw, str(part.get_param("charset", "")))
    else:
        text = _decoded(part)
    blocks = re.split(r"(?:\r?\n[ \t]*){2,}", text.strip(), maxsplit=_MOST_RECIPIENTS)
    return [_group(HeaderParser().parsestr(block)) for block in blocks]


def _group(message: Message) -> dict[str, str]:
    return {name.lower(): " ".join(str(value).split()) for name, value in message.items()}


def _of_report(groups: list[dict[str, str]], reference: str | None, key: str | None, beside: str) -> Bounce | None:
    """What the part for programs says; `beside` is what stands beside it for people."""
    told = [bounce for group in groups if (bounce := _of_recipient(group, reference, key, beside))]
    return min(told, key=lambda bounce: (ACTIONS.index(bounce.action), not bounce.is_hard), default=None)


def _of_recipient(group: dict[str, str], reference: str | None, key: str | None, beside: str) -> Bounce | None:
    found = _ACTION.match(group.get("action", ""))
    if found is None:
        return None
    action, diagnostic = found[0].lower(), group.get("diagnostic-code", "")
    unknown = {FAILED: "5.0.0", DELAYED: "4.0.0"}.get(action, "2.0.0")
    words = diagnostic or (beside if action == FAILED else "")
    code = status(group.get("status", ""), words, unknown)
    named = group.get("original-recipient") or group.get("final-recipient")
    return Bounce(action, code, _said(diagnostic), _recipient(named), reference, key)


def _recipient(field: str | None) -> str | None:
    """`rfc822; ann@example.org` or `utf-8; …` with its characters beyond ASCII as `\\x{e9}` (RFC 6533, 3)."""
    if field is None:
        return None
    kind, _, address = field.partition(";")
    address = (address or kind).strip().strip("<>")
    if kind.strip().lower() == "utf-8":
        address = _ENCODED.sub(lambda code: chr(int(code[1], 16)), address)
    return address if "@" in address and address.isprintable() else None


def _key(parts: list[Message], report: Message) -> str | None:
    """The left part of the Message-ID of what was returned: headers, or all of a mail, behind the report."""
    for part in parts[parts.index(report) + 1 :]:
        if part.get_content_type() == "message/rfc822" or part.get_content_type() == "message/global":
            continue  # its content is the next part
        if found := _MESSAGE_ID.search(f"Message-ID: {part['Message-ID']}" if part["Message-ID"] else _decoded(part)):
            return found[1]
    return None


def _of_text(message: Message, parts: list[Message], reference: str | None) -> Bounce | None:
    """A report in words alone. It has to be sent by a mail system, and to say that something failed."""
    text = _text(parts)
    head, _, returned = _split(text)
    is_system = str(message.get("Return-Path", "<>")).strip() == "<>" and re.match(
        r".*(?:mailer-daemon|postmaster)@", str(message.get("From", "")), re.IGNORECASE
    )
    if not is_system or not (_SYSTEM.search(text) or message.get("X-Failed-Recipients")) or not _FINAL.search(head):
        return None
    named = _recipient(str(message.get("X-Failed-Recipients", "")).split(",")[0])
    named = named or next(iter(_ADDRESS.findall(head) or _NAMED.findall(head)), None)
    found = _MESSAGE_ID.search(returned) or next(
        (at for part in parts[1:] if (at := _MESSAGE_ID.search(f"Message-ID: {part.get('Message-ID', '')}"))), None
    )
    action = DELAYED if _GOES_ON.search(head) else FAILED
    return Bounce(action, status("", head, "5.0.0"), _said(_words(head)), named, reference, found[1] if found else None)


def _split(text: str) -> tuple[str, str, str]:
    """What a plain report says, and the copy behind it."""
    for line in re.finditer(r"^-{3,}.*$|^-+ ?original message.*$", text, re.IGNORECASE | re.MULTILINE):
        return text[: line.start()], line[0], text[line.end() :]
    return text, "", ""


def _words(head: str) -> str:
    """The paragraph of a plain report that says why: the one that names the address, or the last."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", head) if paragraph.strip()]
    return next((each for each in paragraphs if _ADDRESS.search(each)), paragraphs[-1] if paragraphs else "")


def _text(parts: list[Message]) -> str:
    """What a report says to people."""
    return next((_decoded(part) for part in parts if part.get_content_type() == "text/plain"), "")


def _decoded(part: Message) -> str:
    """The text of a part."""
    payload = part.get_payload(decode=True)
    label = str(part.get_param("charset", ""))
    return text_of(payload, label).replace("\r\n", "\n") if isinstance(payload, bytes) else ""


def _said(diagnostic: str) -> str:
    """`smtp; 550 …` without what kind of server it is from."""
    kind, mark, words = diagnostic.partition(";")
    is_kind = mark and re.fullmatch(r"[A-Za-z0-9-]{1,20}", kind.strip())
    return without_addresses(words.strip() if is_kind else diagnostic, _LONGEST)
