"""Find lines that are almost commands, so that the service can ask what they meant. None of them is ever played."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from rapidfuzz.distance import OSA

from service.reading import command_words, move_words
from service.reading.commands import (
    AccountSettings,
    Command,
    Games,
    Pass,
    Pick,
    Refill,
    Resign,
    Rules,
    Speak,
    Status,
    Undo,
    Yes,
)
from service.reading.footers import is_closing, is_footer
from service.reading.grammar import LONGEST, WHOLE, begun, command
from service.reading.joining import lone_code
from service.reading.messages import is_name
from service.reading.picks import pick
from service.reading.tokens import Token, simple, tidy, tokens, without_manners

_MOST_WORDS = 14
_NO_MOVE = re.compile(
    r"[\d\s.,:/+()-]*\d{3}[\d\s.,:/+()-]*|\d{1,2}[:.h]\d\d(?::\d\d)?\s?(?:[ap]\.?m\.?|uhr|h|cest?|gmt|utc)?|"
    r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2}\. ?\d{1,2}\.|<3+|\W*"
)
_LEADS_ON = re.compile(r"[^\W\d_]{2}.*:$")
"""A line that contains a word and ends in a colon, which introduces what follows: `Move 12:`."""

_CELL = r"(?:[A-Za-z]|[A-C][A-Z])"
_WITHIN = re.compile(
    rf"(?<![\w@.,-])(?:\d{{1,2}}\s?(?![eouy]\s+\d){_CELL}|"
    rf"(?![aeouy]\s){_CELL}\s?\d{{1,2}}(?!\s?(?![aeouy]\s){_CELL}(?![\w@])(?!\s?\d)))(?![\w@])"
)
"""A number and a cell, or a cell and a number; the letter between `1 A` and `2 B` is a word, such as `o` and `y`."""

_BY_X_AND_Y = re.compile(r"(?<![\w@.,-])\d{1,2}\s?@\s?\(?-?\d{1,2}\s?,\s?-?\d{1,2}\)?(?![\w@])")
_SCRAP = 6
_MOVES = (Refill, Resign)
_ASKED = frozenset(WHOLE.values()) - {Yes()}
_TALKED_OF = (Status, Games, Rules, AccountSettings, Pass, Undo)
"""Commands whose words mean nothing when they occur inside a sentence, as in `nice board`."""

_MOST_APART = 3
"""The greatest difference in length, in letters, between a word and the word it may be a misspelling of."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A line that is almost a command.

    Attributes:
        line: the line as it was written.
        meant: each command that it could have meant; may be empty.
    """

    line: str
    meant: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class UnclearLine:
    """A near miss, and whether the line is an attempt at a move.

    If `is_move` is true, the line is nothing but such an attempt, so the lines below it depend on it.
    """

    suggestion: Suggestion
    is_move: bool


class _Word(NamedTuple):
    """A command word of more than three letters, and how many of its letters may be wrong."""

    text: str
    letters: frozenset[str]
    meant: Command
    most: int


def _by_length() -> dict[int, list[_Word]]:
    found: dict[int, list[_Word]] = {}
    for word, meant in WHOLE.items():
        if len(word) > 3:
            most = max(1, len(word) // 3) if isinstance(meant, _MOVES) else 1
            found.setdefault(len(word), []).append(_Word(word, frozenset(word), meant, most))
    return found


_WORDS = _by_length()


def fragment(line: str) -> Suggestion | None:
    """Return a near miss if a line of a few characters may be a fragment of the move on the next line.

    Returns None for a line that is no fragment, and for a greeting.
    """
    text = tidy(line[:LONGEST])
    if (
        not 0 < len(text) <= _SCRAP
        or text.endswith(",")
        or _LEADS_ON.search(text)
        or not any(map(str.isalnum, without_manners(text)))
    ):
        return None
    pieces = [token.text for token in tokens(text)]
    if any(len(piece) > 2 and piece.isalpha() for piece in pieces):
        return None
    is_one = len(text) < 4 or any(len(piece) == 1 and piece not in ".,:;!" for piece in pieces)
    return Suggestion(line.strip(), ()) if is_one else None


def suggest(line: str, *, is_below: bool = False) -> UnclearLine | None:
    """Return commands that a line may have meant, or None if it is no attempt at a command.

    Args:
        line: the line.
        is_below: whether it stands below a command, where a name such as `Helena` signs the mail.
    """
    if begun(line):
        return UnclearLine(Suggestion(line.strip()[:LONGEST], ()), False)
    text = tidy(line[: 2 * LONGEST])
    if not text or len(text) > LONGEST or is_footer(text) or is_closing(text) or _NO_MOVE.fullmatch(text.casefold()):
        return None
    shown = line.strip()[:LONGEST]
    found = tokens(text)
    spoken = [token for token in found if len(token.text) > 2 and token.text[0].isalpha() and not _is_known(token.low)]
    numbers = [token for token in found if token.text.isdecimal()]
    if not is_below and (code := lone_code(text)) is not None:
        return UnclearLine(Suggestion(shown, (code,)), False)
    meant = _within(text, shown)
    is_bare = not spoken or (found[0].text.isdecimal() and len(text) <= _SCRAP)
    if numbers and is_bare and len(found) <= 16 and not _LEADS_ON.search(text):
        return UnclearLine(Suggestion(shown, meant), True)
    if (asked := _asked(text)) is not None:
        return UnclearLine(Suggestion(shown, (asked,)), isinstance(asked, _MOVES))
    if is_below and is_name(text.rstrip(" .!")):
        return None
    if (typo := _typo(text) or (_typo(shown) if shown != text else None)) is not None:
        return UnclearLine(Suggestion(shown, (typo,)), isinstance(typo, _MOVES))
    if len(found) < 9 and _names_a_tile(found):
        return UnclearLine(Suggestion(shown, ()), False)
    could = (meant or _spoken(text)) if len(spoken) <= _MOST_WORDS else ()
    return UnclearLine(Suggestion(shown, could), False) if could else None


def _asked(text: str) -> Command | None:
    """Return the command that a line would give if it were no question: `Another game?`"""
    asked = command(text.rstrip(" ?!.")) if text.rstrip(" !.").endswith("?") else None
    return asked if asked in _ASKED else None


def _is_known(low: str) -> bool:
    return (
        low
        in move_words.TILE | move_words.CHOICE | move_words.CELL | move_words.AT | move_words.TAKE | command_words.SMALL
        or low in move_words.ORDINALS
    )


def _names_a_tile(found: list[Token]) -> bool:
    """Return whether the line names a tile by color or by a word for tile, and a cell: `the red one at F`."""
    told = any(token.low in move_words.COLORS or token.low in move_words.TILE for token in found)
    return told and any(len(token.text) == 1 and token.text.isupper() for token in found)


def _within(text: str, shown: str) -> tuple[Pick, ...]:
    """Return the moves that occur anywhere in the line."""
    pieces = [found[0] for found in _WITHIN.finditer(text)] + [found[0] for found in _BY_X_AND_Y.finditer(text)]
    picks = [pick(piece, shown) for piece in pieces[:6]]
    return tuple(dict.fromkeys(found for found in picks if found is not None))


def _typo(text: str) -> Command | None:
    """Return the only command that the word misspells, or None.

    One letter may be wrong, missing or too many, or two may be swapped (optimal string alignment). In a word that
    stands for a move, a third of the letters may be, and of those that were written, unless these are two words.
    """
    low = simple(without_manners(text)).strip(" .!?")
    is_apart = " " in low
    low = low.replace(" ", "") if low.count(" ") < 2 else low
    if not 4 <= len(low) <= 14 or sum(map(str.isalpha, low)) < len(low) - 2:
        return None
    letters, most = frozenset(low), 1 if is_apart else max(1, len(low) // 3)
    close = {
        type(word.meant): word.meant
        for length in range(len(low) - _MOST_APART, len(low) + _MOST_APART + 1)
        for word in _WORDS.get(length, ())
        if len(word.letters - letters) < 3
        and OSA.distance(low, word.text, score_cutoff=word.most) <= min(word.most, most)
    }
    return next(iter(close.values())) if len(close) == 1 else None


def _spoken(text: str) -> tuple[Command, ...]:
    """Return the only command whose word occurs among a few others: `could you refill?`"""
    said = [word for word in re.split(r"[^\w']+", simple(text)) if word]
    if len(said) > 6:
        return ()
    could = (command(word) for word in said if len(word) > 3)
    # People mention languages in passing; only a question about one is a request for it.
    found = {type(meant): meant for meant in could if meant and ("?" in text or not isinstance(meant, Speak))}
    spoken = tuple(found.values())
    return spoken if len(spoken) == 1 and not isinstance(spoken[0], _TALKED_OF) else ()
