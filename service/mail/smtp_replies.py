"""The meaning of a mail server's negative replies, and whether they are permanent.

A 4xx is temporary and a 5xx permanent (RFC 5321, 4.2.1), except one about the login, or about all mails from here: it
says nothing against the mail or its recipient. Treating it as permanent would lose every mail while the operator's
password is wrong, or while one of several relays refuses this host.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.language.scrubbing import without_addresses
from service.mail.failures import (
    DomainOverloaded,
    PermanentFailure,
    RecipientDeferred,
    RelayUnavailable,
    TransientFailure,
)
from service.reading.smtp_status import refusal_status

LOGIN = "NOVALUNA_SMTP_URL"
"""The setting with the login and the encryption."""

_WANTS_LOGIN = frozenset({530, 534, 535, 538})
"""Codes that ask for a login (RFC 4954, 6); 530 is also the reply of one that wants STARTTLS first (RFC 3207, 4)."""

_MAY = r"(?:able|allowed|authori[sz]ed|available|configured|permitted|supported)"
_NO_RELAY = re.compile(
    rf"\brelay(?:ing)?\b[^.;]{{0,40}}?\b(?:denied|disallowed|forbidden|prohibited|refused|rejected|not {_MAY})\b"
    rf"|(?:\bunable|\bnot|n['’]t)\b(?: {_MAY})?(?: to)?(?: be)? relay(?:ed|ing)?\b(?![.-]\w)"
    r"|credentials for relay|my list of allowed rcpthosts",
    re.IGNORECASE,
)
"""Texts by which a server relays only for those who have logged in: Postfix, Exim, Sendmail, Exchange, qmail, Gmail."""

_NO_LOGIN = re.compile(
    r"\A(?!.*\bRESOLVER\.)"  # Exchange, of a recipient who takes no mail from outside
    r".*\b(?:auth\w* (?:is )?(?:first|needed|required)|(?:must|needs?|please|requires?) (?:\w+ )*auth\w*"
    r"|unauthenticated|not (?:authenticated|logged in))\b",
    re.IGNORECASE,
)
"""Texts that say so without a code, while only the envelope was sent; later they may be about DMARC."""

_SENDER = re.compile(r"\b5\.(7\.\d|1\.[78])|sender", re.IGNORECASE)
"""Texts by which a reply to RCPT is about the sender, since many relays report that late."""

_SEND_AS = re.compile(r"send ?as|address is not verified|relaying disallowed as", re.IGNORECASE)
"""Texts by which a reply to the content is about the sender, since some large providers check that last."""

_CLOSING = 421
"""The code by which a server ends the conversation (RFC 5321, 4.2.3), as large providers do if there are too many."""

_POLICY = re.compile(r"\s*4\.7\.\d{1,3}\b")
"""The enhanced status by which they put off whatever comes from here (RFC 3463, 3.8)."""

_OF_SERVICE = re.compile(
    r"\A(?!.*\brecipient address rejected)(?:\s*[45]\.(?:7\.25|1\.[78])\b"
    r"|.*\b(?:client host|helo command|sender address) rejected|.*\bclient host \S+ blocked"
    r"|.*\bcannot find your (?:reverse )?hostname|.*\bservice unavailable - try again later)",
    re.IGNORECASE | re.DOTALL,
)
"""Texts by which a server refuses all mails from here, in its reply to the sender or the recipient.

Postfix delays what it has against a client or a sender until the recipient, and so it does with a filter that is away.
Where it asks the recipient's own server first, it repeats what that one says as a reason to reject the recipient.
"""

_GREYLISTED = re.compile(r"gr[ae]y-?\s?list", re.IGNORECASE)
"""Texts by which a server puts off one recipient alone, with the same status."""

_OF_RECIPIENT = re.compile(r"\s*4\.[124]\.\d{1,3}\b")
"""The enhanced status of a fault of the address, its mailbox, or the way to its domain (RFC 3463, 3.2, 3.3, 3.5)."""

_STATUS = re.compile(r"\s*4\.\d{1,3}\.\d{1,3}\b")

_OF_MAILBOX = frozenset({450, 452})
"""Codes that are about the mailbox (RFC 5321, 4.2.3) as replies to RCPT without an enhanced status."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A negative reply of a relay to a command or to the content (``DATA``)."""

    command: str
    code: int
    words: str

    @property
    def is_of_sender(self) -> bool:
        """True if the relay might accept the mail from another sender."""
        if not self._is_5xx:
            return False
        told = {"RCPT": _SENDER, "DATA": _SEND_AS}.get(self.command)
        return told is None or told.search(self.words) is not None

    def failure(self) -> PermanentFailure | TransientFailure:
        """Return the exception for this reply."""
        said = f"the relay answered {self.command} with {reply(self.code, self.words)}"
        if not self._is_5xx:
            return self._kind(said)
        if self._wants_login:
            return RelayUnavailable(f"{said}: it wants another login, or encryption", LOGIN)
        if self.command != "DATA" and self._is_of_service:
            return RelayUnavailable(said)
        return PermanentFailure(said, refusal_status(self.words) if self.command == "RCPT" else None)

    @property
    def _kind(self) -> type[TransientFailure]:
        """The kind of failure of a 4xx: about the relay, the recipient or its domain, or about this mail alone."""
        if self.command == "MAIL":
            return RelayUnavailable
        if _GREYLISTED.search(self.words):
            return RecipientDeferred
        if self._is_of_service:
            return RelayUnavailable
        asks_for_fewer = self.code == _CLOSING or _POLICY.match(self.words) is not None
        if asks_for_fewer:
            return DomainOverloaded
        return RecipientDeferred if self._is_of_recipient else TransientFailure

    @property
    def _is_of_recipient(self) -> bool:
        if _STATUS.match(self.words):
            return _OF_RECIPIENT.match(self.words) is not None
        return self.command == "RCPT" and self.code in _OF_MAILBOX

    @property
    def _is_5xx(self) -> bool:
        return 500 <= self.code <= 599

    @property
    def _is_of_service(self) -> bool:
        return _OF_SERVICE.match(self.words) is not None

    @property
    def _wants_login(self) -> bool:
        words = without_addresses(self.words)
        return (
            self.code in _WANTS_LOGIN
            or _NO_RELAY.search(words) is not None
            or (self.command != "DATA" and _NO_LOGIN.search(words) is not None)
        )


def reply(code: int, words: str) -> str:
    """Return a relay's reply for the log: one line, without the addresses that relays often repeat."""
    return f"{code} {without_addresses(words)}"
