"""Find what stands below a mail of ours that is quoted without marks.

Our mails end with a link to get no more of them. What stands below it is surely the sender's. If the end is missing,
such as where the sender has cut the quote, the last paragraphs may be the sender's, as no line of our mails is a
command: those that consist of commands, names and closing words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from service.language.answer_line import is_answer_line
from service.language.languages import CODES, language
from service.reading.commands import AccountSettings, Games, Rules, Status
from service.reading.footers import is_closing, is_footer
from service.reading.grammar import command
from service.reading.messages import is_name
from service.reading.tokens import simple

_LINK = re.compile(r"/(?:unsubscribe|never-mail)(?:\?|%3F)link\b", re.IGNORECASE)
_FOR_PROGRAMS = re.compile(r"/programs(?:\?|%3F)language\b", re.IGNORECASE)
"""The link with which the last part of an invitation begins, and of a mail with a code; its end is not known."""

_ANY_LINK = re.compile(r"\s*[<(\[]?https?://\S+\s*")
_LONGEST = 300
_MOST_PIECES = 5
"""The most lines over which a mail program spreads the rest of a link."""

_MOST_LINES = 60
"""The most lines below a mail without an end that may be the sender's."""


def end_of_ours(texts: Sequence[str]) -> int | None:
    """Return the number of lines up to the last line of a mail of ours, or None if none of them is one."""
    places = reversed(range(len(texts)))
    last = next((at for at in places if _is_last(texts, at) or _FOR_PROGRAMS.search(texts[at])), None)
    if last is None or _FOR_PROGRAMS.search(texts[last]):
        return None
    end = last + 1
    while end < min(len(texts), last + _MOST_PIECES) and _is_piece(texts[end]):
        end += 1
    return end


def commands_below(texts: Sequence[str]) -> int | None:
    """Return where the last paragraphs begin that a mail of ours could not contain, or None if there are none."""
    if not any(map(is_answer_line, texts)):
        return None
    first, is_asked = None, False
    for at in range(len(texts) - 1, max(0, len(texts) - _MOST_LINES), -1):
        if not texts[at].strip():
            first, is_asked = (at + 1 if is_asked else first), False
        elif _is_asked(texts[at]):
            is_asked = True
        elif not (is_closing(texts[at]) or is_footer(texts[at]) or is_name(texts[at])):
            break
    return first


@cache
def _last_words() -> tuple[str, ...]:
    return tuple(
        {
            simple(words)
            for tongue in map(language, CODES)
            for words in (
                tongue.say("No more mails like this"),
                tongue.say("Fewer mails like this"),
                tongue.say("never mail me again"),
            )
        }
    )


def _is_last(texts: Sequence[str], at: int) -> bool:
    """Return whether a line is the last of a mail of ours: the link, as text or below its words in HTML."""
    text = texts[at]
    if _LINK.search(text):
        return True
    if _ANY_LINK.fullmatch(text):  # programs that check links replace them
        return at > 0 and simple(texts[at - 1][-_LONGEST:]).strip() in _last_words()
    low = simple(text[-_LONGEST:]).strip()
    return low.endswith(_last_words()) and low not in _last_words() and command(text) is None


def _is_piece(text: str) -> bool:
    """Return whether a line may be the rest of the link above it."""
    return len(text.split()) == 1 and command(text) is None


def _is_asked(text: str) -> bool:
    """Return whether a line is a command that no heading of our mails could be mistaken for."""
    asked = command(text)
    return asked is not None and not isinstance(asked, Status | Games | Rules | AccountSettings)
