"""Builds the message of a mail from its content and its headers (RFC 5322, 2045 to 2047, 2369, 2387, 2919, 3834,
8058). Pure.

Nothing that a person typed, or their mail program, can add a header or a line of one: every text passes `one_line`, none
is read as a header that is encoded already, and no field is written that would be two. A mail that is built twice
from the same content is the same to the byte, Message-ID and boundary included.
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
_AT_ENDS_OF_LINES = re.compile(r"(?<![ \t])[ \t]+$", re.MULTILINE)
_MOST_REFERENCES = 6

_ONE_CLICK = "List-Unsubscribe=One-Click"
_SHOWN = 'inline; filename="nova-luna.png"'
_TEXT, _HTML = 'text/plain; charset="utf-8"', 'text/html; charset="utf-8"'
_PNG = 'image/png; name="nova-luna.png"'

#: The headers that many mails have alike, to the letter.
_ALIKE = {
    "MIME-Version": {"1.0"},
    "Content-Type": {_TEXT, _HTML, _PNG},
    "Content-Transfer-Encoding": {"quoted-printable", "base64"},
    "Content-Disposition": {_SHOWN},
    "Auto-Submitted": {"auto-generated", "auto-replied"},
    "List-Unsubscribe-Post": {_ONE_CLICK},
}

#: What others made up is only passed on if it is well-formed, and not so long that the line would be.
_MESSAGE_ID = re.compile(r"(?=.{5,140}\Z)(?!.*=\?)<[\w!#$%&'*+/=?^`{|}~.-]+@[\w!#$%&'*+/=?^`{|}~.\[\]:-]+>", re.ASCII)

#: One field with its further lines, and nothing else.
_FIELD = re.compile(r"[!-9;-~]+: [^\r\n]*(?:\r\n[ \t][^\r\n]+)*\r\n")


class _AsGiven(UnstructuredHeader, BaseHeader):
    """A header that says what it was given. Python's own reads encoded words in it, line ends too, and writes them out."""

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        kwds["parse_tree"], kwds["decoded"] = None, value

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {self}\r\n"


class _Wire(EmailPolicy):
    """SMTP's policy (`refold_source="none"`, lines up to 998 bytes), with the headers that hold names folded here.

    Python's own folding writes encoded words longer than the 75 characters of RFC 2047 at that length; at a shorter
    one it encodes long message ids, which it must not, and may begin a subject with a space that nobody wrote.
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
    """Makes the class of each kind of header once, and each header that all mails have alike; Python's own makes and
    parses them anew for each mail."""

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
"""With parts encoded in lines of at most 76, as RFC 2045 has it; SMTP's own policy makes them 78 long."""

WIRE = _Wire(linesep="\r\n", max_line_length=998, refold_source="none")
"""The policy that a message is written with: CRLF, every byte ASCII, no line over 998 bytes."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG that the HTML part shows by ``cid:`` and its `cid`; `alt` is for those who do not see it."""

    png: bytes
    alt: str

    @property
    def cid(self) -> str:
        """The name that the mail's parts know it by, another one for every other picture."""
        return f"{hashlib.sha256(self.png).hexdigest()[:24]}@nova-luna-by-post"


@dataclass(frozen=True, slots=True)
class Content:
    """What a mail says: its subject, the same content as plain text and as HTML, and the picture that the HTML shows."""

    subject: str
    text: str
    html: str
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """Somebody's mail that is answered: its Message-ID and its References, with their angle brackets, as they came."""

    message_id: str | None
    references: tuple[str, ...] = ()


_HISTORY = "+"
"""What parts a mail's key from its history in a Message-ID."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """Who a mail is for and how it is known.

    `sender` is a From header's value, `recipient` a bare address, `name` the recipient's display name. `key` names this
    mail for ever (kind and ids, as in `turn.G4mE.7.AcCt`), as long as no restore undoes what it tells: so `history` is the
    head of the game's log, or the epoch (`service.store.epoch`), and both become the Message-ID. `thread` names the thread that it
    belongs to, None: none. `table` is the id of the table that it is about, for List-Id. `unsubscribe` is the link by
    which its reader gets no more like it, None: there is nothing to unsubscribe from. `reply_to` is the address that it
    is answered to, None: the sender's. `answers` is the mail that it is an answer to, None: it is none.
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
        """What stands before the @ of the Message-ID, and makes the return path."""
        return f"{self.key}{_HISTORY}{self.history}" if self.history else self.key


def key_in(message_id: str) -> str:
    """Return the key of the mail with this Message-ID."""
    return message_id.strip("<>").rpartition("@")[0].partition(_HISTORY)[0]


def build(content: Content, envelope: Envelope, date: datetime) -> EmailMessage:
    """The message; `date` is aware and becomes its Date. Raises PermanentFailure if the recipient is no address."""
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
        if envelope.unsubscribe.startswith("https:"):  # RFC 8058 has it for no other link
            message["List-Unsubscribe-Post"] = _ONE_CLICK
    message["Auto-Submitted"] = "auto-generated" if envelope.answers is None else "auto-replied"
    text, html = _written(_TEXT, content.text), _written(_HTML, content.html)
    if content.picture is not None:
        html = _together("related", f"{envelope.key} picture", html, _drawn(content.picture))
    message["MIME-Version"] = "1.0"
    _fill(message, "alternative", envelope.key, text, html)
    return message


def to_bytes(message: EmailMessage) -> bytes:
    """The message as it goes over the wire or into a Maildir: ASCII with CRLF line ends."""
    return message.as_bytes(policy=WIRE)


def _thread(envelope: Envelope, domain: str) -> list[str]:
    """The ids of the mails that this one follows, the one before it last (RFC 5322, 3.6.4): the thread's own first, then
    those of the mail that is answered, the newest of them, in a line that is short enough."""
    first = [] if envelope.thread is None else [f"<{envelope.thread}@{domain}>"]
    if envelope.answers is None:
        return first
    given = [*envelope.answers.references, envelope.answers.message_id or ""]
    known = dict.fromkeys(id for id in given if _MESSAGE_ID.fullmatch(id) and id not in first)
    return [*first, *list(known)[-_MOST_REFERENCES:]]


def _written(content_type: str, text: str) -> MIMEPart:
    """A part with a text, in quoted-printable (RFC 2045, 6.7). White space at the end of a line means nothing there, and
    the library would encode it beyond the 76th character."""
    part = MIMEPart(_BUILT)
    part["Content-Type"] = content_type
    part["Content-Transfer-Encoding"] = "quoted-printable"
    part.set_payload(b2a_qp(_AT_ENDS_OF_LINES.sub("", text).encode(), istext=True).decode("ascii"))
    return part


def _drawn(picture: Picture) -> MIMEPart:
    """The part with a picture, which another part shows by its cid (RFC 2392)."""
    part = MIMEPart(_BUILT)
    part["Content-Type"] = _PNG
    part["Content-Transfer-Encoding"] = "base64"
    part["Content-Disposition"] = _SHOWN
    part["Content-ID"] = f"<{picture.cid}>"
    part.set_payload(encodebytes(picture.png).decode("ascii"))
    return part


def _together(kind: str, name: str, *parts: MIMEPart) -> MIMEPart:
    """Parts as one; its `name` makes its boundary."""
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
    """A text as a header has it: as it is if it is ASCII, else in encoded words (RFC 2047); folded at 76. Encoded too is
    one whose first word would leave the first line empty."""
    plain = text.isascii() and "=?" not in text and len(text.split(" ", 1)[0]) <= _LINE - indent
    return Header(text, "us-ascii" if plain else "utf-8", _LINE, header_name=" " * (indent - 2)).encode(
        " ", linesep="\r\n"
    )


def _mailbox(address: Address, indent: int) -> str:
    """An address with its name, which is quoted or encoded where that is needed."""
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
