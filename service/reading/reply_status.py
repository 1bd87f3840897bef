"""Parse what a mail server says of a mail that it does not take: the enhanced status code (RFC 3463), and what that means.

Many servers answer with the three digits of SMTP alone, and whoever reports that writes `5.0.0`, which says nothing. Then
the words decide, as far as they say plainly that it is not the address that is wrong: else a full mailbox or a filter
would stop mail for good.
"""

from __future__ import annotations

import re

_LONGEST = 10_000
"""Of what is said, so much is looked at; no server says more."""

_STATUS = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
_REPLY = re.compile(r"(?<![\d.])([45])\d\d[ :-]")

_REFUSED = re.compile(r"5\.\d{1,3}\.\d{1,3}(?![\d.])")

#: What is wrong with the mailbox for the time being, or with the mail or the way to it, says nothing against the address:
#: full (x.2.2), too large (x.2.3, x.3.4), expired (x.4.7), systems (x.3), protocol (x.5), content (x.6), policy (x.7). Nor
#: does what is wrong with the sender (x.1.7, x.1.8).
_OF_ADDRESS = re.compile(r"5\.(?:0\.\d+|1\.(?![78]$)\d+|2\.(?!2$|3$)\d+|4\.(?!7$|0$)\d+)$")

#: Nobody is there. `5.5.0` is what Outlook.com says it with.
_NOBODY = re.compile(
    r"mailbox (?:is )?unavailable|(?:user|recipient|mailbox|account|"
    r"address)\W{1,3}(?:\S{1,300} )?(?:is )?(?:unknown|not found)"
    r"|(?:no such|unknown|invalid) (?:user|recipient|mailbox|account|address|person)|"
    r"does(?:n['’]t| not) (?:exist|have an? )",
    re.IGNORECASE,
)

#: What else it is, in the order in which it is looked for: the mailbox is full (552 by RFC 5321, 4.2.3), it was tried for
#: too long, or the mail itself, or who sent it, is not liked.
_ELSE = (
    ("2.2", re.compile(r"(?<![\d.])552[ :-]|quota|storage|(?:mailbox|inbox)(?: is)? (?:over)?full|out of space", re.IGNORECASE)),
    ("4.7", re.compile(r"retry time|timed? ?out|in the queue too long|connection refused", re.IGNORECASE)),
    (
        "7.1",
        re.compile(r"spam|\bblocked|block ?list|black ?list|\bdns(?:bl|rbl)|reputation|policy|virus|\bcontent\b", re.IGNORECASE),
    ),
)  # fmt: skip


def status(field: str, words: str, unknown: str) -> str:
    """The code in the `field` of a report that is for it, or else that of the `words`; `unknown` if there is none."""
    words = words[:_LONGEST]
    code, more = _STATUS.search(field), _STATUS.search(words)
    if code is None or (code[0].endswith(".0.0") and more is not None and more[1] == code[1]):
        code = more or code
    reply = _REPLY.search(words)
    found = code[0] if code else f"{reply[1]}.0.0" if reply else unknown
    return _told(found, words) if found.endswith((".0.0", ".5.0")) else found


def refusal_status(words: str) -> str | None:
    """Return the enhanced code that a reply of SMTP refuses something for good with; None when it does not begin with one."""
    found = _REFUSED.match(words)
    return found[0] if found else None


def is_of_address(status: str) -> bool:
    """Return whether what failed with this enhanced code failed because of the address, and always will."""
    return _OF_ADDRESS.match(status) is not None


def _told(code: str, words: str) -> str:
    """A code that says little, made out by the words."""
    kind = code[0]
    if _NOBODY.search(words):
        return code if code.endswith(".0.0") else f"{kind}.1.1"
    return next((f"{kind}.{told}" for told, said in _ELSE if said.search(words)), code)
