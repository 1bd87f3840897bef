"""Invisible characters, and which characters form one visible character.

The list is Unicode's Default_Ignorable_Code_Point, from which no version removes anything, plus the few characters that
are letters or symbols by their category but have a blank glyph. Every function takes time linear in the text's length.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

MOST_MARKS = 4
"""Marks allowed on one letter: pointed Hebrew needs as many, Vietnamese two; more would overlap the adjacent lines."""

_IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_BLANK = "\u2800\U00013441\U00013442\U00016fe4\U0001d159"
"""The blank Braille pattern, blanks and fillers of hieroglyphs and of Khitan, and the null notehead."""

_UNSEEN = re.compile(f"[{_IGNORABLE}{_BLANK}]")

_HELPING = re.compile("[\u034f\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\u2800\U000e0100-\U000e01ef]")
"""Invisible characters that some writing needs: joiners, variation selectors of letters and emoji, Braille's blank."""

UNSEEN_LETTERS = r"\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u3164\uFE00-\uFE0F\uFFA0"
"""The invisible letters and marks by category, in the basic plane, as an ECMA 262 character class."""

UNSEEN_SYMBOLS = r"\u2800"
"""The invisible characters that are symbols by category, as an ECMA 262 character class."""

UNSEEN_IN_TEXT = r"\u115F\u1160\u17B4\u17B5\u3164\uFFA0"
"""The invisible letters and marks that no writing needs, as an ECMA 262 character class."""

UNASSIGNED = r"\u20F1-\u20FF"
"""Unassigned code points in the block of marks; patterns name them for validators that count all of it as marks."""

_STACKING = ("Mn", "Me")
_VIRAMA = 9
_SKIN = range(0x1F3FB, 0x1F400)
_FLAGS = range(0x1F1E6, 0x1F200)
_JOINS = "\u200d"


def is_unseen(character: str) -> bool:
    """Return whether a character is invisible, whatever its category says."""
    return _UNSEEN.match(character) is not None


def is_needless(character: str) -> bool:
    """Return whether a character is invisible and not needed by any writing."""
    return is_unseen(character) and _HELPING.match(character) is None


def has_unseen(text: str) -> bool:
    """Return whether a text has an invisible character other than spaces."""
    return _UNSEEN.search(text) is not None


def can_be_seen(text: str) -> bool:
    """Return whether a text has a visible letter, digit, punctuation mark or symbol."""
    return any(unicodedata.category(c)[0] in "LNPS" and not is_unseen(c) for c in text)


def has_too_many_marks(text: str) -> bool:
    """Return whether a letter has more marks than `MOST_MARKS`."""
    return not text.isascii() and without_stacks(text) != text


def without_stacks(text: str) -> str:
    """Return a text without the excess marks on any letter."""
    if text.isascii():
        return text
    kept, marks = [], 0
    for character in text:
        if unicodedata.category(character) in _STACKING:
            marks += 1
        elif not is_unseen(character):
            marks = 0
        if marks <= MOST_MARKS or unicodedata.category(character) not in _STACKING:
            kept.append(character)
    return "".join(kept)


def clusters(text: str) -> Iterator[str]:
    """Yield the visible characters: a letter with its marks, a syllable, a flag, an emoji with what is joined to it.

    This follows UAX 29, except that a joiner joins any two characters.
    """
    start = flags = 0
    for at, character in enumerate(text):
        if at > start and not _belongs(text[at - 1], character, flags):
            yield text[start:at]
            start, flags = at, 0
        flags += ord(character) in _FLAGS
    if text:
        yield text[start:]


def cut(text: str, most: int, end: str = "…") -> str:
    """Shorten a text to at most `most` characters, ending with `end`, without splitting a visible character."""
    if len(text) <= most:
        return text
    kept, length = [], len(end)
    for cluster in clusters(text[: most + 1]):
        length += len(cluster)
        if length > most:
            break
        kept.append(cluster)
    return "".join(kept).rstrip() + end


def _belongs(before: str, character: str, flags: int) -> bool:
    """Return whether a character continues the cluster that ends with `before` and has `flags` flag letters."""
    if before.isascii() and character.isascii():
        return False
    if unicodedata.category(character)[0] == "M" or is_unseen(character) or ord(character) in _SKIN:
        return True
    if before == _JOINS or (unicodedata.combining(before) == _VIRAMA and character.isalpha()):
        return True
    if ord(character) in _FLAGS:
        return flags == 1
    return _is_inner(character) and (_is_jamo(before) or _is_syllable(before))


def _is_jamo(character: str) -> bool:
    return "\u1100" <= character <= "\u11ff"


def _is_inner(character: str) -> bool:
    return "\u1161" <= character <= "\u11ff"


def _is_syllable(character: str) -> bool:
    return "\uac00" <= character <= "\ud7a3"
