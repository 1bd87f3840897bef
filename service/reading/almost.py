"""Lines that almost fit: what each could have meant, so that somebody can be asked. Nothing here is ever played."""

from __future__ import annotations

import re
from dataclasses import dataclass

from service.reading import words
from service.reading.commands import Command, Pick
from service.reading.footers import is_closing, is_footer
from service.reading.grammar import LONGEST, WHOLE, command, verb_before_text
from service.reading.picks import pick
from service.reading.tokens import Token, simple, tidy, tokens

_MOST_WORDS = 14
_NO_MOVE = re.compile(
    r"[\d\s.,:/+()-]*\d{3}[\d\s.,:/+()-]*|\d{1,2}[:.h]\d\d(?::\d\d)?\s?(?:[ap]\.?m\.?|uhr|h|cest?|gmt|utc)?|"
    r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|<3+|\W*"
)
_WITHIN = re.compile(r"(?<![\w@.,-])(?:(\d{1,2})\s?([A-Za-z]|[A-C][A-Z])|([A-Za-z]|[A-C][A-Z])\s?(\d{1,2}))(?![\w@])")
_BY_X_AND_Y = re.compile(r"(?<![\w@.,-])\d{1,2}\s?@\s?\(?-?\d{1,2}\s?,\s?-?\d{1,2}\)?(?![\w@])")
_HARD = ("refill", "resign")


@dataclass(frozen=True, slots=True)
class Near:
    """A line that almost fits: as it was written, and each command that it could have meant (there may be none)."""

    line: str
    meant: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class Almost:
    """The same with `is_move`: the line is nothing but an attempt at a move, so what stands below comes after it."""

    near: Near
    is_move: bool


def almost(line: str) -> Almost | None:
    """What a line that does not fit could have meant; None if it is no attempt at anything."""
    text = tidy(line[: 2 * LONGEST])
    if not text or len(text) > LONGEST or is_footer(text) or is_closing(text) or _NO_MOVE.fullmatch(text.casefold()):
        return None
    shown = line.strip()[:LONGEST]
    found = tokens(text)
    spoken = [token for token in found if len(token.text) > 2 and token.text[0].isalpha() and not _is_known(token.low)]
    numbers = [token for token in found if token.text.isdecimal()]
    meant = _within(text, shown)
    if numbers and not spoken and len(found) <= 16:
        return Almost(Near(shown, meant), True)
    if (typo := _typo(text)) is not None:
        return Almost(Near(shown, (typo,)), isinstance(typo, tuple(type(WHOLE[verb]) for verb in _HARD)))
    if verb_before_text(text):
        return Almost(Near(shown, ()), False)
    if len(found) < 9 and _names_a_tile(found):
        return Almost(Near(shown, ()), False)
    could = (meant or _spoken(text)) if len(spoken) <= _MOST_WORDS else ()
    return Almost(Near(shown, could), False) if could else None


def _is_known(low: str) -> bool:
    return low in words.TILE | words.CHOICE | words.CELL | words.AT | words.TAKE | words.SMALL or low in words.ORDINALS


def _names_a_tile(found: list[Token]) -> bool:
    """Whether the line tells a tile by its colour or a word, and a cell: `the red one at F`."""
    told = any(token.low in words.COLORS or token.low in words.TILE for token in found)
    return told and any(len(token.text) == 1 and token.text.isupper() for token in found)


def _within(text: str, shown: str) -> tuple[Pick, ...]:
    """The moves that stand somewhere in the line."""
    pieces = [found[0] for found in _WITHIN.finditer(text)] + [found[0] for found in _BY_X_AND_Y.finditer(text)]
    picks = [pick(piece, shown) for piece in pieces[:6]]
    return tuple(dict.fromkeys(found for found in picks if found is not None))


def _typo(text: str) -> Command | None:
    """The command whose word this is but for one letter."""
    low = simple(text).strip(" .!?")
    if not 4 <= len(low) <= 14 or not low.isalpha():
        return None
    near = {type(meant): meant for word, meant in WHOLE.items() if len(word) > 3 and _one_apart(low, word)}
    return next(iter(near.values())) if len(near) == 1 else None


def _one_apart(one: str, other: str) -> bool:
    """Whether one letter is wrong, too many, missing, or two beside each other have changed places."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    a, b = one[start:], other[start:]
    swapped = a[:2] == b[1::-1] and a[2:] == b[2:] and len(a) > 1
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or swapped


def _spoken(text: str) -> tuple[Command, ...]:
    """The one command whose word stands among a few others: `could you refill?`"""
    said = [word for word in re.split(r"[^\w']+", simple(text)) if word]
    if len(said) > 6:
        return ()
    found = {type(meant): meant for word in said if len(word) > 3 and (meant := command(word)) is not None}
    return tuple(found.values()) if len(found) == 1 else ()
