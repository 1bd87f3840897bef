"""Scrub email addresses from what other programs say, before it is logged or stored."""

from __future__ import annotations

import re

_EACH_ADDRESS = re.compile(r"(?:<|(?<![^\s<>@]))[^\s<>@]++@[^\s<>@]+>?")
"""An address. It matches only at the beginning of a word; otherwise every position in a long word would be tried."""


def without_addresses(words: str, most: int = 200) -> str:
    """Return a mail server's words as one line of at most `most` characters, without the addresses in it."""
    printable = "".join(character if character.isprintable() else " " for character in words[: 5 * most])
    return _EACH_ADDRESS.sub("<address>", " ".join(printable.split()))[:most]
