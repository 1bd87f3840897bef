"""Build a mail's message from its content and headers (RFC 5322, 2045 to 2047, 2369, 2387, 2919, 3834, 8058).

Nothing that a person typed, or that their mail program sent, can add a header or a line to one: every text passes
`one_line`, none is read as an encoded header, and no field is written twice. A mail that is built twice from the same
content is identical to the byte, including Message-ID and boundary.
"""

from __future__ import annotations

import hashlib
import re
from base64 import encodebytes
from binascii import b2a_qp
from dataclasses import dataclass
from datetime import datetime
from email import policy
from email.errors import HeaderParseError
from email.header import Header
from email.headerregistry import Address, BaseHeader, HeaderRegistry, UnstructuredHeader
from email.message import EmailMessage, MIMEPart
from email.policy import EmailPolicy, Policy
from email.utils import parseaddr
from typing import Any

from service.language.sanitize import one_line
from service.mail.failures import PermanentFailure

_LINE = 76
_FOLD = "\r\n "
_AT_ENDS_OF_LINES = re.compile(r"[ \t](?<![ \t]{2})[ \t]*$", re.MULTILINE)
_MOST_REFERENCES = 6

_ONE_CLICK = "List-Unsubscribe=One-Click"
_SHOWN = 'inline; filename="nova-luna.png"'
_TEXT, _HTML = 'text/plain; charset="utf-8"', 'text/html; charset="utf-8"'
_PNG = 'image/png; name="nova-luna.png"'

# Headers whose values many mails share.
_ALIKE = {
    "MIME-Version": {"1.0"},
    "Content-Type": {_TEXT, _HTML, _PNG},
    "Content-Transfer-Encoding": {"quoted-printable", "base64"},
    "Content-Disposition": {_SHOWN},
    "Auto-Submitted": {"auto-generated", "auto-replied"},
    "List-Unsubscribe-Post": {_ONE_CLICK},
}

# Message-IDs of others are only passed on if they are well-formed and fit on a line.
_MESSAGE_ID = re.compile(r"(?=.{5,140}\Z)(?!.*=\?)<[\w!#$%&'*+/=?^`{|}~.-]+@[\w!#$%&'*+/=?^`{|}~.\[\]:-]+>", re.ASCII)

# One field with its continuation lines, and nothing else.
_FIELD = re.compile(r"[!-9;-~]+: [^\r\n]*(?:\r\n[ \t][^\r\n]+)*\r\n")


class _AsGiven(UnstructuredHeader, BaseHeader):
    """A header with exactly the given value; Python's own would decode encoded words in it, even line ends."""

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        kwds["parse_tree"], kwds["decoded"] = None, value

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {self}\r\n"


class _Wire(EmailPolicy):
    """SMTP's policy (`refold_source="none"`, lines up to 998 bytes), with headers that contain names folded here.

    At that length, Python's own folding writes encoded words longer than the 75 characters of RFC 2047. At a shorter
    one, it encodes long message ids, which is not allowed, and may start a subject with an extra space.
    """

    def fold(self, name: str, value: Any) -> str:
        folded = self._folded(name, value)
        if not _FIELD.fullmatch(folded):
            raise ValueError(f"{name} would not be written as one header")
        return folded

    def fold_binary(self, name: str, value: Any) -> bytes:
        return self.fold(name, value).encode("ascii")

    def _folded(self, name: str, value: Any) -> str:
        match name.lower():
            case "references":
                return f"{name}: {_FOLD.join(str(value).split())}\r\n"
            case "subject":
                return f"{name}: {_words(str(value), len(name) + 2)}\r\n"
            case "from" | "to" | "reply-to":
                (address,) = value.addresses
                return f"{name}: {_mailbox(address, len(name) + 2)}\r\n"
            case _:
                return str(super().fold(name, value))


class _Headers(HeaderRegistry):
    """A header registry that creates each kind's class once, and each header that all mails share once.

    Python's own creates and parses them anew for each mail.
    """

    def __init__(self) -> None:
        super().__init__(default_class=_AsGiven)
        self.map_to_type("subject", _AsGiven)
        self._made: dict[str, type[BaseHeader]] = {}
        self._parsed: dict[tuple[str, str], BaseHeader] = {}

    def __getitem__(self, name: str) -> type[BaseHeader]:
        if name not in self._made:
            self._made[name] = super().__getitem__(name)
        return self._made[name]

    def __call__(self, name: str, value: Any) -> BaseHeader:
        if name not in _ALIKE or value not in _ALIKE[name]:
            return super().__call__(name, value)
        if (name, value) not in self._parsed:
            self._parsed[name, value] = super().__call__(name, value)
        return self._parsed[name, value]


_BUILT = policy.SMTP.clone(header_factory=_Headers(), max_line_length=_LINE)
"""The policy for building, with encoded lines of at most 76 characters as in RFC 2045; SMTP's policy uses 78."""

WIRE = _Wire(linesep="\r\n", max_line_length=998, refold_source="none")
"""The policy for writing a message: CRLF, every byte ASCII, no line over 998 bytes."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG that the HTML part shows by its `cid`; `alt` is the text for those who do not see it."""

    png: bytes
    alt: str

    @property
    def cid(self) -> str:
        """The picture's Content-ID, which differs for every picture."""
        return f"{hashlib.sha256(self.png).hexdigest()[:24]}@nova-luna-by-post"


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a mail: subject, the same text as plain text and as HTML, and the pictures that the HTML shows.

    These are one of the table and, at the end of a game, the plots of its course; None: there is none.
    """

    subject: str
    text: str
    html: str
    picture: Picture | None = None
    plots: Picture | None = None

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures that there are, in the order in which they are shown."""
        return tuple(picture for picture in (self.picture, self.plots) if picture is not None)


@dataclass(frozen=True, slots=True)
class Answered:
    """The mail that is answered: its Message-ID and its References, with their angle brackets, as received."""

    message_id: str | None
    references: tuple[str, ...] = ()


_HISTORY = "+"
"""The separator between a mail's key and its history in a Message-ID."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """The recipient of a mail, and the ids by which it is known.

    Attributes:
        sender: the value of the From header.
        recipient: a bare address.
        name: the recipient's display name.
        key: the permanent name of this mail (kind and ids, as in `turn.G4mE.7.AcCt`), as long as no restore undoes what
            it reports.
        history: the head of the game's log, or the epoch (`service.store.epoch`). Key and history form the Message-ID.
        thread: the thread that it belongs to; None: none.
        table: the id of the table that it is about, for List-Id.
        unsubscribe: the link to stop such mails; None: they cannot be stopped.
        reply_to: the address that it is answered at; None: the sender's.
        answers: the mail that it is a reply to; None: it is none.
    """

    sender: str
    recipient: str
    key: str
    name: str | None = None
    thread: str | None = None
    table: str | None = None
    unsubscribe: str | None = None
    reply_to: str | None = None
    answers: Answered | None = None
    history: str = ""

    @property
    def id(self) -> str:
        """The part of the Message-ID before the @, from which the return path is made."""
        return f"{self.key}{_HISTORY}{self.history}" if self.history else self.key


def key_in(message_id: str) -> str:
    """Return the key of the mail with this Message-ID."""
    return message_id.strip("<>").rpartition("@")[0].partition(_HISTORY)[0]


def build(content: Content, envelope: Envelope, date: datetime) -> EmailMessage:
    """Build the message.

    Args:
        date: an aware time, which becomes the Date header.

    Raises:
        PermanentFailure: the recipient is not an address.
    """
    sender_name, sender_address = parseaddr(envelope.sender)
    domain = sender_address.rpartition("@")[2] or "localhost"
    message = EmailMessage(policy=_BUILT)
    message["From"] = _address(sender_name, sender_address)
    message["To"] = _address(envelope.name or "", envelope.recipient)
    message["Subject"] = one_line(content.subject)
    message["Date"] = date
    message["Message-ID"] = f"<{envelope.id}@{domain}>"
    if envelope.reply_to is not None:
        message["Reply-To"] = _address(sender_name, envelope.reply_to)
    if thread := _thread(envelope, domain):
        message["In-Reply-To"] = thread[-1]
        message["References"] = " ".join(thread)
    if envelope.table is not None:
        message["List-Id"] = f"Nova Luna table {envelope.table} <{envelope.table}.{domain}>"
    if envelope.unsubscribe is not None:
        message["List-Unsubscribe"] = f"<{envelope.unsubscribe}>"
        if envelope.unsubscribe.startswith("https:"):  # RFC 8058 allows it for no other link
            message["List-Unsubscribe-Post"] = _ONE_CLICK
    message["Auto-Submitted"] = "auto-generated" if envelope.answers is None else "auto-replied"
    text, html = _written(_TEXT, content.text), _written(_HTML, content.html)
    if content.pictures:
        html = _together("related", f"{envelope.key} picture", html, *map(_drawn, content.pictures))
    message["MIME-Version"] = "1.0"
    _fill(message, "alternative", envelope.key, text, html)
    return message


def to_bytes(message: EmailMessage) -> bytes:
    """Return the message as sent over SMTP or stored in a Maildir: ASCII with CRLF line ends."""
    return message.as_bytes(policy=WIRE)


def _thread(envelope: Envelope, domain: str) -> list[str]:
    """Return the Message-IDs for References; the last is that of the mail which this one follows (RFC 5322, 3.6.4).

    The thread's own id comes first, then the newest of those of the mail that is answered, as far as a line allows.
    """
    first = [] if envelope.thread is None else [f"<{envelope.thread}@{domain}>"]
    if envelope.answers is None:
        return first
    given = [*envelope.answers.references, envelope.answers.message_id or ""]
    known = dict.fromkeys(id for id in given if _MESSAGE_ID.fullmatch(id) and id not in first)
    return [*first, *list(known)[-_MOST_REFERENCES:]]


def _written(content_type: str, text: str) -> MIMEPart:
    """Return a text part in quoted-printable (RFC 2045, 6.7).

    White space at line ends is removed: it has no meaning, and the library would encode it beyond the 76th character.
    """
    part = MIMEPart(_BUILT)
    part["Content-Type"] = content_type
    part["Content-Transfer-Encoding"] = "quoted-printable"
    part.set_payload(b2a_qp(_AT_ENDS_OF_LINES.sub("", text).encode(), istext=True).decode("ascii"))
    return part


def _drawn(picture: Picture) -> MIMEPart:
    """Return the part with a picture, which another part shows by its cid (RFC 2392)."""
    part = MIMEPart(_BUILT)
    part["Content-Type"] = _PNG
    part["Content-Transfer-Encoding"] = "base64"
    part["Content-Disposition"] = _SHOWN
    part["Content-ID"] = f"<{picture.cid}>"
    part.set_payload(encodebytes(picture.png).decode("ascii"))
    return part


def _together(kind: str, name: str, *parts: MIMEPart) -> MIMEPart:
    """Combine parts to one multipart; its `name` determines its boundary."""
    whole = MIMEPart(_BUILT)
    _fill(whole, kind, name, *parts)
    return whole


def _fill(whole: MIMEPart, kind: str, name: str, *parts: MIMEPart) -> None:
    root = f'; type="{parts[0].get_content_type()}"' if kind == "related" else ""  # RFC 2387, 3.1
    boundary = "nova-luna-" + hashlib.sha256(name.encode()).hexdigest()[:32]
    whole["Content-Type"] = f'multipart/{kind}{root}; boundary="{boundary}"'
    for part in parts:
        whole.attach(part)


def _words(text: str, indent: int) -> str:
    """Return a text as a header value folded at 76: unchanged if it is ASCII, else in encoded words (RFC 2047).

    A text whose first word would leave the first line empty is encoded too.
    """
    plain = text.isascii() and "=?" not in text and len(text.split(" ", 1)[0]) <= _LINE - indent
    return Header(text, "us-ascii" if plain else "utf-8", _LINE, header_name=" " * (indent - 2)).encode(
        " ", linesep="\r\n"
    )


def _mailbox(address: Address, indent: int) -> str:
    """Return an address with its name, quoted or encoded if needed."""
    if address.display_name.isascii() and "=?" not in address.display_name:
        return str(address)
    words = _words(address.display_name, indent)
    last = len(words.rpartition("\n")[2]) + (0 if "\n" in words else indent)
    between = " " if last + len(f" <{address.addr_spec}>") <= _LINE else "\r\n "
    return f"{words}{between}<{address.addr_spec}>"


def _address(name: str, address: str) -> Address:
    try:
        return Address(display_name=one_line(name), addr_spec=address)
    except (ValueError, IndexError, HeaderParseError):
        raise PermanentFailure("the address is not one that mail can be sent to") from None
