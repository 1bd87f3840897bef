"""The tags of a text: their names and order, their values with escapes."""

from __future__ import annotations

import re

from engine.notation.errors import Refusal

ORDER = (
    "Format",
    "Game",
    "Rules",
    "Seats",
    "Discs",
    *"ABCD",
    *(f"By{seat}" for seat in "ABCD"),
    "Created",
    "Started",
    "Subject",
    "Commitment",
    *(f"Entropy{seat}" for seat in "ABCD"),
    "Seed",
    "Stack",
    "Tiles",
    "Head",
)
"""The names of the tags in the order in which they are printed; one's own, which begin with X, follow by name."""

_BY_LOWER = {name.lower(): name for name in ORDER}

_TEXT = r'(?>(?:[^"\\]++|\\["\\]|\\u\{[0-9A-Fa-f]{1,16}\})*)'
_TAG = re.compile(rf'\[[ \t]*([A-Za-z][A-Za-z0-9_]*)[ \t]*"({_TEXT})"[ \t]*\]')
_ESCAPE = re.compile(r'\\(?:(["\\])|u\{([0-9A-Fa-f]+)\})')
_ESCAPED = re.compile(r'["\\\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff]')

_NAMES_IN_DETAIL = 60


def parse_tag(line: int, text: str) -> tuple[str, str]:
    """Return the name and the value of a tag's line.

    Raises:
        Refusal: the line is no tag (`bad_tag`), or there is no such tag (`unknown_tag`).
    """
    found = _TAG.fullmatch(text)
    if found is None:
        raise Refusal(line, "bad_tag", f'A tag is written as [Name "value"], not as {text:.{_NAMES_IN_DETAIL}}.')
    name, value = found.groups()
    known = _BY_LOWER.get(name.lower(), name if name.startswith("X") else None)
    if known is None:
        raise Refusal(line, "unknown_tag", f"There is no tag {name:.{_NAMES_IN_DETAIL}}; your own begin with X.")
    try:
        return known, _ESCAPE.sub(_character, value)
    except ValueError:
        raise Refusal(line, "bad_tag", "There is no character with the number of an escape.") from None


def render_tag(name: str, value: str) -> str:
    r"""Return a tag's line.

    >>> render_tag("A", "Ada\n")
    '[A "Ada\\u{a}"]'
    """
    return f'[{name} "{_ESCAPED.sub(_escape, value)}"]'


def _character(found: re.Match[str]) -> str:
    if found[1]:
        return found[1]
    number = int(found[2], 16)
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise ValueError(number)
    return chr(number)


def _escape(found: re.Match[str]) -> str:
    character = found[0]
    return f"\\{character}" if character in '"\\' else f"\\u{{{ord(character):x}}}"
