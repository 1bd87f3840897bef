"""Read the spellings that all texts of a log share: base64, decimal numbers, and the names of keys."""

from __future__ import annotations

import base64
import binascii
import re

from engine.moves import MOST

_DECIMAL = re.compile(r"0|[1-9][0-9]{0,15}")
# The spaces of Unicode, as signed-note excludes them, and the plus sign, which separates the parts of a vkey.
_NOT_IN_NAMES = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000+]")


def to_base64(data: bytes) -> str:
    """Return the base64 of bytes (RFC 4648 section 4, with padding)."""
    return base64.b64encode(data).decode()


def from_base64(text: str) -> bytes:
    """Return the bytes of a base64 text; raise ValueError for any spelling but the one that `to_base64` gives."""
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error:
        raise ValueError("this is not base64") from None
    if to_base64(data) != text:
        raise ValueError("this is not the one spelling that base64 has for these bytes")
    return data


def from_decimal(text: str, most: int = MOST) -> int:
    """Return a whole number from 0 to `most`; raise ValueError for another one, and for leading zeros."""
    if not _DECIMAL.fullmatch(text) or int(text) > most:
        raise ValueError(f"this is not a number from 0 to {most} without leading zeros")
    return int(text)


def hash_from(line: str) -> bytes:
    """Return the 32 bytes of a hash in base64; raise ValueError if it is anything else."""
    data = from_base64(line)
    if len(data) != 32:
        raise ValueError("a hash has 32 bytes")
    return data


def is_key_name(name: str) -> bool:
    """Return whether a text can be the name of a key: not empty, valid Unicode, and without spaces and plus signs."""
    return bool(name) and not _NOT_IN_NAMES.search(name) and is_unicode(name)


def is_unicode(text: str) -> bool:
    """Return whether a text can be written as UTF-8, that is, has no half characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
