"""Interpret what a mail server says about a mail that it could not deliver.

Many servers answer only with the three digits of SMTP, which reports turn into `5.0.0`, a code that says nothing. Then
the server's words decide, as far as they clearly say that the address is not at fault. Otherwise a full mailbox or a
spam filter would stop all mail to that address. Enhanced status codes are those of RFC 3463.
"""

from __future__ import annotations

import re

_LONGEST = 10_000
"""The number of characters of a server's words that are examined."""

_STATUS = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
_REPLY = re.compile(r"(?<![\d.])([45])\d\d[ :-]")

_REFUSED = re.compile(r"5\.\d{1,3}\.\d{1,3}(?![\d.])")

# A temporary fault of the mailbox, or a fault of the mail or of its route, says nothing against the address: mailbox
# full (x.2.2), mail too large (x.2.3, x.3.4), expired (x.4.7), system (x.3), protocol (x.5), content (x.6), policy
# (x.7). Nor does a fault of the sender (x.1.7, x.1.8).
_OF_ADDRESS = re.compile(r"5\.(?:0\.\d+|1\.(?![78]$)\d+|2\.(?!2$|3$)\d+|4\.(?!7$|0$)\d+)$")

# There is no such mailbox. Outlook.com reports that with `5.5.0`.
_NOBODY = re.compile(
    r"mailbox (?:is )?unavailable|(?:user|recipient|mailbox|account|"
    r"address)\W{1,3}(?:\S{1,300} )?(?:is )?(?:unknown|not found)"
    r"|(?:no such|unknown|invalid) (?:user|recipient|mailbox|account|address|person)|"
    r"does(?:n['’]t| not) (?:exist|have an? )",
    re.IGNORECASE,
)

# Other reasons, in the order in which they are tried: the mailbox is full (552 in RFC 5321, 4.2.3), the server gave up
# after too many attempts, or it refuses the mail itself or its sender.
_ELSE = (
    (
        "2.2",
        re.compile(
            r"(?<![\d.])552[ :-]|quota|storage|(?:mailbox|inbox)(?: is)? (?:over)?full|out of space",
            re.IGNORECASE,
        ),
    ),
    ("4.7", re.compile(r"retry time|timed? ?out|in the queue too long|connection refused", re.IGNORECASE)),
    (
        "7.1",
        re.compile(
            r"spam|\bblocked|block ?list|black ?list|\bdns(?:bl|rbl)|reputation|policy|virus|\bcontent\b",
            re.IGNORECASE,
        ),
    ),
)


def status(field: str, words: str, unknown: str) -> str:
    """Return the enhanced status code of a failed delivery.

    Args:
        field: the Status field of the report; may be empty.
        words: the server's own words, which may contain a code too.
        unknown: the code to return if neither contains one.
    """
    words = words[:_LONGEST]
    code, more = _STATUS.search(field), _STATUS.search(words)
    if code is None or (code[0].endswith(".0.0") and more is not None and more[1] == code[1]):
        code = more or code
    reply = _REPLY.search(words)
    found = code[0] if code else f"{reply[1]}.0.0" if reply else unknown
    return _told(found, words) if found.endswith((".0.0", ".5.0")) else found


def refusal_status(words: str) -> str | None:
    """Return the enhanced status code of an SMTP reply that refuses a mail permanently, or None for any other reply."""
    found = _REFUSED.match(words)
    return found[0] if found else None


def is_of_address(status: str) -> bool:
    """Return whether an enhanced status code means that the address itself is at fault and will always fail."""
    return _OF_ADDRESS.match(status) is not None


def _told(code: str, words: str) -> str:
    """Return a more exact code in place of an unspecific one, as far as the words allow."""
    kind = code[0]
    if _NOBODY.search(words):
        return code if code.endswith(".0.0") else f"{kind}.1.1"
    return next((f"{kind}.{told}" for told, said in _ELSE if said.search(words)), code)
