"""Guess the move that a sentence probably means: `I'll take the second tile and put it at F`.

If a sentence names exactly one tile and exactly one cell, in whatever words, it probably means that move. The move is
never played; the service asks the player to confirm it. A sentence that denies, asks or sets a condition, or that names
more than one tile or cell, gives no guess.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from service.language.cell_letters import Cell
from service.reading import command_words, move_words, sentence_words
from service.reading.footers import is_closing
from service.reading.greetings import is_introduction
from service.reading.picks import MOST_CHOICES
from service.reading.tokens import Token, simple, tidy, tokens, unaccented

_LONGEST = 400
_MOST_LINES = 40
_MOST_WORDS = 40
_HIGHEST = 68

_AT_X_AND_Y = re.compile(
    r"(?:\(\s?|\b(?:at|@|auf|en|bei|x ?=) ?)(-?\d{1,2})\s?[,;]\s?(?:y ?= ?)?(-?\d{1,2})\b\)?", re.IGNORECASE
)
_BESIDE_EACH_OTHER = re.compile(
    r"(?<![\w@.,:-])(?:\d{1,2}\s?(?:[A-Z]|[A-C][A-Z])|[A-Z]\s?\d{1,2}|\d{1,2}\s?[a-gi-ln-z](?=\W*$)|"
    r"\d{1,2}\s?@\s?\(?-?\d{1,2}\s?,\s?-?\d{1,2})(?!\w)"
)
"""A number and letters that may be a move; small letters only at the end, since `8 h` is a time."""

_ENDINGS = frozenset(("st", "nd", "rd", "th", "er", "ere", "re", "eme", "e", "nd", "nde", "te", "ter", "tes", "ten"))


@dataclass(frozen=True, slots=True)
class GuessedMove:
    """The move that a sentence probably means. Either the tile or the cell may be missing.

    Attributes:
        line: the sentence as it was written.
        choice: the number of a choice, or None.
        tile: the tile's own number, or None.
        color: the color of the tile as the engine's letter, or None.
        cell: the letters of a cell, or None.
        at: the coordinates (x, y) of a cell, or None.
    """

    line: str
    choice: int | None = None
    tile: int | None = None
    color: str | None = None
    cell: str | None = None
    at: Cell | None = None

    @property
    def meaning(self) -> tuple[object, ...]:
        """All fields but the wording."""
        return self.choice, self.tile, self.color, self.cell, self.at

    @property
    def is_whole(self) -> bool:
        """True if both a tile and a cell are named."""
        return self.has_tile and self.has_cell

    @property
    def has_tile(self) -> bool:
        """True if a tile is named."""
        return self.choice is not None or self.tile is not None or self.color is not None

    @property
    def has_cell(self) -> bool:
        """True if a cell is named."""
        return self.cell is not None or self.at is not None


def guess_move(lines: Sequence[str | None]) -> GuessedMove | None:
    """Return the move that the lines of a reply probably mean, or None if they mean none or more than one."""
    blocks = _paragraphs(lines)
    if any(_is_open(" ".join(block)) or sentence_words.REFILLING.search(simple(" ".join(block))) for block in blocks):
        return None
    every = [line for block in blocks for line in block]
    for pieces in (every, [" ".join(block) for block in blocks], [" ".join(every)]):
        read = [found for piece in pieces if (found := _sentence(piece)) is not None]
        whole = {found.meaning: found for found in read if found.is_whole}
        if whole:
            return next(iter(whole.values())) if len(whole) == 1 else None
    if every and (part := _sentence(every[0])) is not None and not any(map(_tells, every[1:])):
        return part
    return None


def refill_first(lines: Sequence[str | None]) -> str | None:
    """Return the line that probably asks for a refill before any move is named, or None."""
    blocks = _paragraphs(lines)
    if any(_is_open(" ".join(block)) for block in blocks):
        return None
    for line in (line for block in blocks for line in block):
        text = unaccented(tidy(line))
        found = sentence_words.REFILLING.search(text.lower())
        above = tokens(text[: found.start()] if found else text)
        if _cells(above) or any(token.text.isdecimal() or token.low in move_words.ORDINALS for token in above):
            return None
        if found:
            return None if "?" in line else line
    return None


def names_move(text: str) -> bool:
    """Return whether a tidy text names a tile and a cell, whatever it says of them."""
    if _BESIDE_EACH_OTHER.search(text):
        return True
    meant = _sentence(text)
    if meant is None or not meant.is_whole:
        return False
    return meant.cell is None or re.search(rf"\b{meant.cell}\b", text) is not None


def _paragraphs(lines: Sequence[str | None]) -> list[list[str]]:
    """Return the lines that say something, grouped by paragraph, up to the closing words."""
    blocks: list[list[str]] = [[]]
    for line in list(lines)[:_MOST_LINES]:
        if line is None or not line.strip():
            blocks.append([])
        elif is_closing(line):
            break
        elif not is_introduction(line):
            blocks[-1].append(line.strip()[:_LONGEST])
    return [block for block in blocks if block]


def _is_open(text: str) -> bool:
    """Return whether a paragraph names a tile or a cell, and asks, denies or sets a condition."""
    found = tokens(tidy(text[:_LONGEST]))
    is_doubted = any(
        (token.low in sentence_words.DOUBTING and not (len(token.text) == 1 and token.text.isupper()))
        or (token.low == "si" and token.text.casefold() == "si")
        or token.low.endswith("n't")
        for token in found
    )
    return (is_doubted or "?" in text) and any(map(_is_reference, found))


def _tells(line: str) -> bool:
    return any(map(_is_reference, tokens(tidy(line[:_LONGEST]))))


def _is_reference(token: Token) -> bool:
    return (
        token.text.isdecimal()
        or token.low in move_words.ORDINALS
        or (len(token.text) == 1 and token.text.isascii() and token.text.isupper())
    )


def _sentence(line: str) -> GuessedMove | None:
    """Return the move that one sentence names, or None if it names nothing or too much."""
    text = tidy(line[:_LONGEST])
    at: Cell | None = None
    if where := _AT_X_AND_Y.search(text):
        at = int(where[1]), int(where[2])
        text = f"{text[: where.start()]} {text[where.end() :]}"
    found = tokens(text)
    if not found or len(found) > _MOST_WORDS:
        return None
    tiles = _tiles(found)
    cells = [] if at is not None else _cells(found)
    if tiles is None or len(cells) > 1:
        return None
    read = GuessedMove(line.strip(), *tiles, cells[0].text.upper() if cells else None, at)
    if read.is_whole:
        return read if at is not None or _is_about_placing(found, cells) else None
    if not (read.has_tile or read.has_cell) or not all(_is_known(token, cells) for token in found):
        return None
    return read


def _tiles(found: Sequence[Token]) -> tuple[int | None, int | None, str | None] | None:
    """Return the choice, the tile and the color that the tokens name.

    Returns None if they name two of a kind, or hold a number that can be none of them.
    """
    choices: set[int] = set()
    numbers: set[int] = set()
    colors: set[str] = set()
    for place, token in enumerate(found):
        before = _word_before(found, place)
        if token.text.isdecimal():
            number = int(token.text) if len(token.text) < 3 else 0
            if not 0 < number <= _HIGHEST or (place and found[place - 1].text == "-" and not token.spaced):
                return None
            is_ordinal = number <= MOST_CHOICES and _is_ordinal(found, place)
            is_tile = before in move_words.TILE and not is_ordinal
            is_choice = is_ordinal or before in move_words.CHOICE or (number <= MOST_CHOICES and not is_tile)
            (choices if is_choice else numbers).add(number)
        elif token.low in move_words.ORDINALS and not (
            token.low in sentence_words.ONE and (choices or numbers or colors or before in sentence_words.BEFORE_ONE)
        ):
            choices.add(move_words.ORDINALS[token.low])
        elif token.low in sentence_words.COLORS:
            colors.add(sentence_words.COLORS[token.low])
    if len(choices) + len(numbers) > 1 or len(colors) > 1:
        return None
    return next(iter(choices), None), next(iter(numbers), None), next(iter(colors), None)


def _is_ordinal(found: Sequence[Token], place: int) -> bool:
    """Return whether a number is an ordinal: `2nd`, `2. Plättchen`."""
    after = list(found[place + 1 : place + 3])
    if after and not after[0].spaced and after[0].low in _ENDINGS:
        return True
    return len(after) == 2 and after[0].text == "." and after[1].low in move_words.TILE


def _word_before(found: Sequence[Token], place: int) -> str:
    """Return the word in front of a number, leaving out a number sign or the word `number`."""
    while place and (found[place - 1].low in move_words.NUMBER or found[place - 1].text in "#.°:"):
        place -= 1
    return found[place - 1].low if place else ""


def _cells(found: Sequence[Token]) -> list[Token]:
    """Return the tokens that are the letters of a cell, each letter once.

    They are capitals, or else small letters at a position where a cell may stand.
    """
    capitals = [
        token
        for place, token in enumerate(found)
        if token.text.isascii()
        and token.text.isalpha()
        and token.text.isupper()
        and (
            len(token.text) == 1 or (len(token.text) == 2 and token.text[0] in "ABC" and token.low not in move_words.AT)
        )
        and not _is_word(found, place)
    ]
    small = [
        token
        for place, token in enumerate(found)
        if len(token.text) == 1
        and token.text.isascii()
        and token.text.isalpha()
        and token.text.islower()
        and token.low not in _ENDINGS_ALONE
        and _may_stand(found, place)
    ]
    return list({token.text.upper(): token for token in capitals or small}.values())


_ENDINGS_ALONE = frozenset("eo")
_SIGNS = frozenset(">=@")


def _is_word(found: Sequence[Token], place: int) -> bool:
    """Return whether a capital letter is a word, such as `I`, or `A` at the start of a sentence."""
    token, after = found[place], found[place + 1] if place + 1 < len(found) else None
    if token.text not in ("I", "A", "Y", "O", "E") or after is None:
        return False
    is_first = place == 0 or found[place - 1].text in ".!:"
    return after.text.isalpha() and len(after.text) > 1 and after.spaced and (token.text == "I" or is_first)


def _may_stand(found: Sequence[Token], place: int) -> bool:
    """Return whether a small letter stands where a cell may stand: after a number, or after `on` and similar words."""
    before = found[place - 1] if place else None
    if before is None:
        return len(found) == 1
    is_last = place + 1 == len(found) or not found[place + 1].text.isalnum()
    is_small_word = found[place].low in move_words.AT | move_words.TAKE | command_words.SMALL
    behind = (
        before.text.isdecimal()
        or before.low in move_words.AT | sentence_words.CELLS
        or before.low in move_words.ORDINALS
    )
    return behind and (is_last or not is_small_word)


def _is_about_placing(found: Sequence[Token], cells: Iterable[Token]) -> bool:
    """Return whether the tokens contain a word about tiles or placing, or put the cell next to a number."""
    if any(
        token.low in sentence_words.TILES
        or token.low in move_words.CHOICE
        or token.low in sentence_words.CELLS
        or token.low in sentence_words.PLACING
        for token in found
    ):
        return True
    for cell in cells:
        place = next(place for place, token in enumerate(found) if token is cell)
        beside = [
            token
            for token in (found[place - 1] if place else None, found[place + 1] if place + 1 < len(found) else None)
            if token
        ]
        if any(
            token.text.isdecimal() or token.text in _SIGNS or token.low in move_words.AT | move_words.ORDINALS.keys()
            for token in beside
        ):
            return True
    return False


def _is_known(token: Token, cells: Iterable[Token]) -> bool:
    """Return whether a token is a number, a sign, a cell, or a word that occurs around moves."""
    low = token.low
    if any(token is cell for cell in cells) or not any(map(str.isalpha, token.text)):
        return True
    return (
        low in sentence_words.TILES or low in move_words.CHOICE or low in sentence_words.CELLS
        or low in move_words.NUMBER or low in move_words.ORDINALS or low in sentence_words.COLORS
        or low in move_words.AT or low in move_words.TAKE or low in command_words.SMALL
        or low in sentence_words.PLACING or low in move_words.LEADING or low in sentence_words.POLITE or low in _ENDINGS
    )  # fmt: skip
