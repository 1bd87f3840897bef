"""Parse a tile and a cell on one line, in all the ways that people write them."""

from __future__ import annotations

import re
from itertools import pairwise

from service.language.cell_letters import Cell
from service.reading import command_words, move_words
from service.reading.commands import Pick
from service.reading.tokens import Token, tidy, tokens, unaccented

MOST_CHOICES = 3
"""The most tiles on offer at once (ruling 2.3)."""

LONGEST = 90

_SIGNS = frozenset("@#()[]:,;./>=+-°&\"'")
_BETWEEN = frozenset("-+=&")
_BEHIND_NUMBER = frozenset(".:#°")
_ENDINGS = frozenset(("st", "nd", "rd", "th", "er", "ere", "eme"))
_HIGHEST = 99
_BEFORE_TIMES = move_words.AT | {"um", "las"}
_UNITS = frozenset("hdjtmsw")
"""The letters of cells that also stand for hours, days, minutes, seconds and weeks."""

_AT = "|".join(sorted(move_words.AT, key=len, reverse=True))
_TILE = "|".join(sorted(move_words.TILE, key=len, reverse=True))
_CHOICE = "|".join(sorted(move_words.CHOICE, key=len, reverse=True))
_NUMBER = "|".join(sorted(move_words.NUMBER - {"no"} | {r"no(?=\.)"}, key=len, reverse=True))
_CELL = "|".join(sorted(move_words.CELL, key=len, reverse=True))
_BY_NUMBERS = re.compile(
    rf"(?:(?P<kind>{_TILE}|{_CHOICE})\s?)?(?:(?:{_NUMBER})\.?\s?)?#?\s?(?P<number>\d{{1,2}})\s?[,:]?\s?"
    rf"(?P<between>(?:@|->|>|\b(?:{_AT})\b|\b(?:{_CELL})\b|:|\s)*)"
    r"(?P<open>\(?)\s?(?P<named>x\s?[=:]?\s?)?(?P<x>[+-]?\s?\d{1,2})\s?[,;/]\s?"
    r"(?:y\s?[=:]?\s?)?(?P<y>[+-]?\s?\d{1,2})\s?\)?",
    re.IGNORECASE,
)


def pick(text: str, raw: str) -> Pick | None:
    """Return the move that a line spells, or None if the line does not fit.

    Args:
        text: the line as `tidy` returns it.
        raw: the line as it was written.
    """
    if len(text) > LONGEST or not any(c.isalnum() for c in text):
        return None
    found = tokens(text)
    return _by_letters(found, raw) or _by_numbers(_without_taking(unaccented(text)), raw)


def is_bare(asked: Pick) -> bool:
    """Return whether a move is only a number and letters, such as `3 B` or `No. 3-B`, which may be a postal address."""
    if asked.cell is None:
        return False
    spoken = [token.low for token in _without_endings(tokens(tidy(asked.raw))) if token.text[0].isalpha()]
    return not any(
        low in move_words.TILE | move_words.CHOICE | move_words.MOVING | move_words.ORDINALS.keys() for low in spoken
    )


def cells_of(found: list[Token]) -> list[Token]:
    """Return the tokens that can only be the letters of a cell, or else the one that can be."""
    letters = [token for token in found if _may_be_cell(token)]
    if len(letters) > 1:
        letters = [token for token in letters if not _is_small_word(token, found)]
    return letters


def _is_small_word(token: Token, found: list[Token]) -> bool:
    """Return whether letters beside other candidates are a word, such as `a`, or `I` at the start of a line."""
    if token.low not in move_words.AT | move_words.TAKE:
        return False
    return token.text.islower() or len(token.text) == 2 or (token is found[0] and token.text == "I")


def _may_be_cell(token: Token) -> bool:
    text = token.text
    if not text.isascii() or not text.isalpha() or len(text) > 2:
        return False
    return (
        len(text) == 1 or text.isupper() or (token.low[0] in "abc" and token.low not in move_words.AT | move_words.TAKE)
    )


def _by_letters(found: list[Token], raw: str) -> Pick | None:
    if _is_of_an_order(found) or _is_time(found):
        return None
    found = _without_endings(found)
    cells = cells_of(found)
    if len(cells) != 1 or not _fits_around(found):
        return None
    (cell,) = cells
    numbers: list[int] = []
    kinds: set[str] = set()
    for place, token in enumerate(found):
        if token is cell or token.low in _SIGNS:
            continue
        if len(cell.text) == 2 and not cell.text.isupper() and token.text.isalpha():
            return None  # `I am 40`: more likely a word than a cell
        if token.text.isdecimal():
            numbers.append(int(token.text) if len(token.text) < 3 else 0)
        elif token.low in move_words.ORDINALS and not (numbers and token.low in move_words.TAKE):
            numbers.append(move_words.ORDINALS[token.low])
            kinds.add("choice")
        elif token.low in move_words.TILE:
            if numbers:
                return None  # `2 tiles on F`
            kinds.add("tile")
        elif token.low in move_words.CHOICE:
            kinds.add("choice")
        elif token.low in move_words.NUMBER:
            if not _announces_number(found, place):
                return None
        elif token.low not in move_words.CELL | move_words.AT | move_words.TAKE | command_words.SMALL:
            return None
    if len(numbers) != 1 or not 0 < numbers[0] <= _HIGHEST or len(kinds) > 1:
        return None
    if len(cell.text) == 2 and found[0] is cell and not cell.text.isupper() and found[1].spaced:
        return None  # `am 3`: more likely a word than a cell
    (number,) = numbers
    return Pick(*_choice_or_tile(number, next(iter(kinds), "")), cell.text.upper(), None, raw)


def _is_time(found: list[Token]) -> bool:
    """Return whether a preposition leads to a number and the letter of a unit: `in 2 h`, `à 3 h`, `I play in 2 h`.

    `2 h` alone is a move, and so is one with a word for a tile or a choice.
    """
    if any(token.low in move_words.CHOICE | move_words.TILE for token in found):
        return False
    return any(
        before.low in _BEFORE_TIMES and number.text.isdecimal() and unit.low in _UNITS
        for before, number, unit in zip(found, found[1:], found[2:], strict=False)
    )


def _announces_number(found: list[Token], place: int) -> bool:
    """Return whether a word such as `number` or `no.` has a number behind it: `No. 2` names one, `no 2` refuses one."""
    signs = 0
    while place + signs + 1 < len(found) and found[place + signs + 1].text in _BEHIND_NUMBER:
        signs += 1
    behind = found[place + signs + 1 : place + signs + 2]
    is_number = any(token.text.isdecimal() or token.low in move_words.ORDINALS for token in behind)
    return is_number and (found[place].low != "no" or found[place + 1].text == ".")


def _choice_or_tile(number: int, kind: str) -> tuple[int | None, int | None]:
    """Return a number as a choice or as a tile, whichever it is.

    Without a word that decides it, numbers up to three are choices.
    """
    is_choice = kind == "choice" or (not kind and number <= MOST_CHOICES)
    return (number, None) if is_choice else (None, number)


def _is_of_an_order(found: list[Token]) -> bool:
    """Return whether the tile is named by an ordinal, and so is a choice: `2nd tile`, `2. Plättchen`."""
    for number, sign, word in zip(found, found[1:], [*found[2:], None], strict=False):
        is_ending = sign.low in _ENDINGS and not sign.spaced
        if (
            number.text.isdecimal()
            and (is_ending or sign.low == ".")
            and word is not None
            and word.low in move_words.TILE
        ):
            return True
    return False


def _fits_around(found: list[Token]) -> bool:
    """Return whether all signs stand where they may: no minus before a number, and no joining sign at either end."""
    if (
        not found
        or found[0].low in _BETWEEN | {",", ".", ":", ";", "/", ">", "@", ")"}
        or found[-1].low in _BETWEEN | {"@"}
    ):
        return False
    if found[0].text == "I" and len(found) > 1 and found[1].low in move_words.TAKE:
        found = found[1:]
        if not any(_may_be_cell(token) for token in found):
            return False  # `I take 2`
    return not any(
        sign.low in "+-" and sign.spaced and following.text.isdecimal() and not following.spaced
        for sign, following in pairwise(found)
    )


def _without_endings(found: list[Token]) -> list[Token]:
    """Return the tokens without ordinal endings: `2nd F` becomes `2 F`."""
    return [
        token
        for at, token in enumerate(found)
        if not (at and token.low in _ENDINGS and not token.spaced and found[at - 1].text.isdecimal())
    ]


def _without_taking(text: str) -> str:
    """Return the text without the small words in front of the move."""
    words_in = text.split()
    while words_in and words_in[0].strip(":,").casefold() in move_words.TAKE | command_words.SMALL:
        words_in.pop(0)
    return " ".join(words_in)


def _by_numbers(text: str, raw: str) -> Pick | None:
    found = _BY_NUMBERS.fullmatch(text.strip())
    if not found or not (found["between"].strip() or found["open"] or found["named"]):
        return None
    number = int(found["number"])
    if not number:
        return None
    at: Cell = (int(found["x"].replace(" ", "")), int(found["y"].replace(" ", "")))
    said = (found["kind"] or "").casefold()
    is_tile = said in move_words.TILE or "@" in found["between"]
    kind = "tile" if is_tile else "choice" if said in move_words.CHOICE else ""
    return Pick(*_choice_or_tile(number, kind), None, at, raw)
