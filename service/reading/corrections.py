"""Recognize a line below commands that takes them back, corrects them or offers an alternative, in four languages.

`no wait, 2 A`, `Sorry, scrap that.`, `Nein, doch lieber 3 F`, `or 3 F`, `si ce n'est pas possible, 3 G`. Such a line
leaves open what is wanted, so nothing above it is done. There are three signs of one: a sentence that has only words of
denial; a sentence that begins as corrections do; and a correcting word beside a move. Conversation such as `No idea how
you did that!`, `wait for my revenge` or `I meant to write earlier` has none of them.
"""

from __future__ import annotations

import re

from service.reading import correction_words as words
from service.reading.footers import is_closing
from service.reading.guesses import names_move
from service.reading.messages import is_name
from service.reading.tokens import simple, tidy

_LONGEST = 400
_MOST_WORDS = 10


def _either(listed: str) -> str:
    """Return a pattern for any of the patterns in a list with semicolons."""
    return f"(?:{'|'.join(phrase.strip() for phrase in listed.split(';') if phrase.strip())})"


_OPENINGS = re.compile(rf"(?:{_either(words.LEADING)}[\s,.:;!-]+){{0,5}}{_either(words.OPENINGS)}")
_BESIDE_MOVES = re.compile(rf"(?<![\w']){_either(words.BESIDE_MOVES)}(?![\w'])")
_BESIDE_CELL = re.compile(
    rf"(?<![\w'])(?i:{_either(words.BEFORE_CELLS)})(?: (?i:auf|on|at|en|in|feld|cell|case|casilla))* [A-HJ-Z](?![\w'])"
)
_CONDITION = re.compile(
    rf"(?:(?:but|aber|mais|pero|und|and|et|y) )?{_either(words.CONDITIONS)}\b.{{0,60}}"
    rf"{_either(words.IMPOSSIBLE)}\b.{{0,80}}\b{_either(words.INSTEAD)}\b"
)
_SENTENCE_END = re.compile(r"(?<=[.!?…;])\s+|\s+[-–—]+\s+")
_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]*)*")
_INITIAL = re.compile(r"\W{0,3}[^\W\d_a-z]\.\s*")
"""A capital with a period, which signs a mail: `O.` and `-O.` are no `o`."""


def corrects(text: str) -> bool:
    """Return whether a sentence takes back, denies or corrects what stands above, or offers an alternative."""
    if _INITIAL.fullmatch(text[:_LONGEST]):
        return False
    return any(map(_is_correction, _SENTENCE_END.split(text.strip()[:_LONGEST])))


def is_signature(line: str, above: str) -> bool:
    """Return whether a line is one name that signs a mail: below closing words that have none yet, as `NO` below `LG`.

    Args:
        line: the line.
        above: the closing words directly above it.
    """
    words, last = above.rpartition(" ")[::2]
    is_signed = not last[:1].islower() and is_closing(words)
    return is_name(line) and len(line.split()) == 1 and not is_signed


def _is_correction(sentence: str) -> bool:
    written = tidy(sentence)
    low = simple(written).strip(" .!,;:-([")
    found = _WORD.findall(low)
    if not found or not any(map(str.isalnum, low)):
        return False
    if len(found) <= _MOST_WORDS and not any(map(str.isdecimal, low)):
        said = set(found)
        if said & words.DENIALS and said <= words.BESIDE_DENIALS:
            return True
    if _OPENINGS.match(low) or _CONDITION.match(low) or _BESIDE_CELL.search(written):
        return True
    return _BESIDE_MOVES.search(low) is not None and names_move(written)
