"""Recognize lines that may stand above a move and mean nothing: greetings, and words that introduce the move.

Any other line above a move is a name or conversation. Below a name even `3B` may be part of a postal address, so it is
not certainly a move.
"""

from __future__ import annotations

import re

from service.reading import command_words, move_words
from service.reading.tokens import simple, tidy, without_manners

_MOST_WORDS = 4
_LONGEST = 60

_GREETING = re.compile(
    r"(?:good (?:morning|afternoon|evening|day)|morning|evening|hi|hiya|hello|hey|dear|howdy|greetings|yo|"
    r"guten (?:morgen|tag|abend)|hallo|hallochen|moin|servus|na|hoi|"
    r"gruss (?:dich|euch|gott)|gruess (?:dich|euch|gott)|lieber?|liebes|"
    r"bonjour|bonsoir|salut|coucou|chere?s?|allo|"
    r"hola|buen(?:os)? dias?|buenas(?: tardes| noches)?|estimad[oa]s?|querid[oa]s?)\b"
)
_THANKS = re.compile(r"\b(?:thanks|thank you|thx|cheers|danke|dank|merci|gracias)\b")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


def is_introduction(line: str) -> bool:
    """Return whether a line says nothing of its own: `Hi Ben!`, `here is my move`, `Move 12:`, or punctuation only."""
    text = tidy(line[: 2 * _LONGEST])
    if not any(map(str.isalnum, text)):
        return True
    if len(text) > _LONGEST:
        return False
    low = simple(text).lstrip("¡¿ ")
    if low.endswith(":") and any(word in move_words.MOVE_AHEAD for word in _WORD.findall(low)):
        return True
    if not _WORD.search(bare := simple(without_manners(text))):
        return not is_thanks(text)
    said = _WORD.findall(bare)
    if len(text.strip(" .!")) == 1:
        return False  # `A` is a cell
    if all(word in move_words.LEADING or word in move_words.TAKE or word in command_words.SMALL for word in said):
        return not any(map(str.isdecimal, bare))
    return _greets(low)


def is_thanks(text: str) -> bool:
    """Return whether a line of polite words contains one that also closes mails, such as `Thanks!`."""
    return _THANKS.search(simple(text)) is not None


def _greets(low: str) -> bool:
    """Return whether a line greets somebody in a few words and says nothing else."""
    found = _GREETING.match(low)
    if found is None:
        return False
    rest = low[found.end() :].strip()
    called = _WORD.findall(rest)
    is_long = len(called) > _MOST_WORDS or any(map(str.isdecimal, rest))
    return not is_long and not re.search(r"[,.;:!?]\s*\w", rest.lstrip(" ,"))
