"""The pieces that the worst texts are made of.

They are short, and some pattern or loop could take very long when they are repeated, alone, in pairs, or with something
after them that does not fit.
"""

from __future__ import annotations

from itertools import combinations

SIGNS = (
    b" ", b"\t", b"\r", b"\n", b"\r\n", b"\0", b'"', b"'", b"\\", b"=", b"(", b")", b"<", b">", b"[", b"]", b"{", b"&",
    b"#", b"%", b":", b";", b",", b".", b"@", b"-", b"_", b"/", b"*", b"|", b"+", b"!", b"?", b"$", b"~", b"`", b"^",
    b"a", b"A", b"7", b"\x80", b"\xff", b"\xc3",
)  # fmt: skip
"""Single signs, and the two line ends."""

LETTERS = (
    "\u0301", "\u0301\u0316", "a\u0300\u0323", "\U0001f1e6", "\u200d", "\U0001f468\u200d", "\u3164", "\u2800", "\u202e",
    "\u2066", "\u05b8", "\u1100", "\u1100\u1161\u11a8", "\ufdfa", "\ufe0f", "\U000e0001", "\u0130", "\ufb03",
    "\u1e9b\u0323", "\u00df", "\u3000", "\u2028", "\x85", "\u2026", "\u201c", "\uff1e",
)  # fmt: skip
"""Characters of several bytes: marks that have an order, flags, joiners, fillers, directions, ligatures, wide signs."""

WORDS = (
    b"=\r\n", b"=00", b"=3D", b"\r\n ", b"\r\n\r\n", b" \r\n", b"\r\n> ", b"> > ", b"=?utf-8?q?a?=", b"=?utf-8?b?",
    b"a@b.c,", b"<a@b>", b"a.", b"a@", b"@a.", b"--", b"--b\r\n", b"\r\n--b", b"##- ", b"tile ", b"2 F ", b"2 F\r\n",
    b"yes ", b"please ", b"say x\r\n", b"note x\r\n", b"new a@b.c,", b"On 1 ",
    b"On Sat, 28 Nov 2026 at 10:15, a@b.c wrote:\r\n", b"on 1 Jan 2026 ", b"wrote ", b"From: a\r\n", b"Subject: ",
    b"a: b\r\n", b"mailto:", b"link=", b"link=3D", b"+play-", b"play-aaaaaaaa", b"x" * 39 + b"-", b"QUJD\r\n",
    b"QUJDQUJD", b"pass ", b"dmarc=pass;", b"\\\"", b"(a)", b"((", b"<br>", b"<p>", b"<a ", b"<!--", b"-->", b"<div>",
    b"</div>", b"<style>", b"<blockquote>", b"</blockquote>", b"<p style='", b"border-left:", b"display : ", b"&amp;",
    b"&#", b"&#x", b"Message-ID: <a@b>\r\n", b"message-id:", b"Action: failed\r\n", b"Status: 5.1.1\r\n",
    b"Final-Recipient: rfc822;a@b.c\r\n\r\n", b"5.1.1 ", b"user ", b"recipient ! ", b"address: x ", b"failed ",
    b"giving  ", b"not\t\tyet", b"---\r\n", b"relay ", b"unable to ", b"1@2,", b"(1,", b"8F3KQ-", b"eyJhIjox.",
    b"sent from ", b"diese nachricht wurde ", b"x: y\r\n\t",
)  # fmt: skip
"""Beginnings of what parsers look for."""

ALL = SIGNS + tuple(letter.encode() for letter in LETTERS) + WORDS

PAIRS = tuple(one + other for one, other in combinations(SIGNS[:36], 2))


def filled(unit: bytes, size: int) -> bytes:
    """Return the unit, repeated up to this size in bytes."""
    return unit * max(1, size // len(unit))


def in_lines(unit: bytes, size: int, width: int) -> bytes:
    """Return the unit, repeated up to this size, in lines of about this width in bytes."""
    return filled(filled(unit, width) + b"\r\n", size)
