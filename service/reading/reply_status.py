"""Reads what a mail server said of a mail that it could not deliver: its enhanced code (RFC 3463), and its words as a line
without addresses.

Many servers answer with the three digits of SMTP alone, and whoever reports that writes `5.0.0`, which says nothing. Then
the words decide, as far as they say plainly that it is not the address that is wrong: else a full mailbox or a filter
would stop mail for good.
"""

from __future__ import annotations

import re

_LONGEST = 10_000
"""Of what is said, so much is looked at; no server says more."""

_EACH_ADDRESS = re.compile(r"(?:<|(?<![^\s<>@]))[^\s<>@]++@[^\s<>@]+>?")
"""It begins where a word does, as else each place within a long word would be tried."""

_STATUS = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
_REPLY = re.compile(r"(?<![\d.])([45])\d\d[ :-]")

#: Nobody is there. `5.5.0` is what Outlook.com says it with.
_NOBODY = re.compile(
    r"mailbox (?:is )?unavailable|(?:user|recipient|mailbox|account|address)\W{1,3}(?:\S{1,300} )?(?:is )?(?:unknown|not found)"
    r"|(?:no such|unknown|invalid) (?:user|recipient|mailbox|account|address|person)|does(?:n['’]t| not) (?:exist|have an? )",
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


def _told(code: str, words: str) -> str:
    """A code that says little, made out by the words."""
    kind = code[0]
    if _NOBODY.search(words):
        return code if code.endswith(".0.0") else f"{kind}.1.1"
    return next((f"{kind}.{told}" for told, said in _ELSE if said.search(words)), code)


def without_addresses(words: str, most: int = 200) -> str:
    """Return what a mail server says as one line of so many characters at most, without the addresses in it."""
    printable = "".join(character if character.isprintable() else " " for character in words[: 5 * most])
    return _EACH_ADDRESS.sub("<address>", " ".join(printable.split()))[:most]
