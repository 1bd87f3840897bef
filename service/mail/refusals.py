"""What a mail server that takes a mail not means by it: its answers, and whether they are for good.

A 4xx passes, a 5xx is for good (RFC 5321, 4.2.1), but for one that is about the login: it says nothing against the mail,
and would else cost a host who forgot the password every mail of that time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.language.scrubbing import without_addresses
from service.mail.failures import PermanentFailure, TransientFailure
from service.reading.reply_status import refusal_status

LOGIN = "NOVALUNA_SMTP_URL"
"""Where the host says how to log in, and whether encrypted."""

_WANTS_LOGIN = frozenset({530, 534, 535, 538})
"""RFC 4954, 6; and 530 is the answer of one that wants STARTTLS first (RFC 3207, 4)."""

_MAY = r"(?:able|allowed|authori[sz]ed|available|configured|permitted|supported)"
_NO_RELAY = re.compile(
    rf"\brelay(?:ing)?\b[^.;]{{0,40}}?\b(?:denied|disallowed|forbidden|prohibited|refused|rejected|not {_MAY})\b"
    rf"|(?:\bunable|\bnot|n['’]t)\b(?: {_MAY})?(?: to)?(?: be)? relay(?:ed|ing)?\b(?![.-]\w)"
    r"|credentials for relay|my list of allowed rcpthosts",
    re.IGNORECASE,
)
"""By this it takes mail to others only of those who have logged in: Postfix, Exim, Sendmail, Exchange, qmail, Gmail."""

_NO_LOGIN = re.compile(
    r"\A(?!.*\bRESOLVER\.)"  # Exchange, of a recipient who takes no mail from outside
    r".*\b(?:auth\w* (?:is )?(?:first|needed|required)|(?:must|needs?|please|requires?) (?:\w+ )*auth\w*"
    r"|unauthenticated|not (?:authenticated|logged in))\b",
    re.IGNORECASE,
)
"""The same of one that says so in words alone, while it has seen the envelope only: later it may be about DMARC."""

_SENDER = re.compile(r"\b5\.(7\.\d|1\.[78])|sender", re.IGNORECASE)
"""By this an answer to RCPT is one about the sender: many relays wait so long with it."""

_SEND_AS = re.compile(r"send ?as|address is not verified|relaying disallowed as", re.IGNORECASE)
"""By this an answer to the content is one: there are large providers that look at the sender last."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a relay answered to a command, or to the content (``DATA``), that was no yes."""

    command: str
    code: int
    words: str

    @property
    def is_of_sender(self) -> bool:
        """Whether another sender may be taken."""
        if not self._is_5xx:
            return False
        told = {"RCPT": _SENDER, "DATA": _SEND_AS}.get(self.command)
        return told is None or told.search(self.words) is not None

    def failure(self) -> PermanentFailure | TransientFailure:
        """The same as a failure to send."""
        said = f"the relay answered {self.command} with {reply(self.code, self.words)}"
        if not self._is_5xx:
            return TransientFailure(said)
        if self._wants_login:
            return TransientFailure(f"{said}: it wants another login, or encryption", LOGIN)
        return PermanentFailure(said, refusal_status(self.words) if self.command == "RCPT" else None)

    @property
    def _is_5xx(self) -> bool:
        return 500 <= self.code <= 599

    @property
    def _wants_login(self) -> bool:
        words = without_addresses(self.words)
        return (
            self.code in _WANTS_LOGIN
            or _NO_RELAY.search(words) is not None
            or (self.command != "DATA" and _NO_LOGIN.search(words) is not None)
        )


def reply(code: int, words: str) -> str:
    """A relay's answer for the log: one line, without the addresses that relays like to repeat."""
    return f"{code} {without_addresses(words)}"
