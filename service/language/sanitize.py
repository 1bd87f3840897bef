"""Make any text safe where one line is expected: no control characters, line ends, or direction overrides.

Names are validated when they are given; this is for the places where a bad one would do harm (headers, terminals).
"""

from __future__ import annotations

import unicodedata

from service.language.visible import without_stacks

_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BLANK = frozenset({"Cc", "Zl", "Zp"})
_GONE = frozenset({"Cs"})


def printable(text: str) -> str:
    """Return the text with spaces for control characters and line ends, and without other harmful characters.

    These are direction characters, surrogates, and marks beyond what one letter can have.
    """
    kept = "".join(" " if unicodedata.category(c) in _BLANK else c for c in text if not _is_gone(c))
    return without_stacks(kept)


def one_line(text: str) -> str:
    """Return the `printable` text with white space collapsed to single spaces and none at the ends."""
    return " ".join(printable(text).split())


def is_right_to_left(text: str) -> bool:
    """Return whether the text has letters of a right-to-left script."""
    return any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)


def _is_gone(character: str) -> bool:
    return character in _DIRECTION or unicodedata.category(character) in _GONE
