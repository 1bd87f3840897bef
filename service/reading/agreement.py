"""Read a yes or a no from the words of an answer, such as `I'd love to!` or `No, thanks`, in four languages.

That is enough only for a question that cannot be mistaken, such as an invitation; elsewhere the command is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from service.reading.footers import is_closing
from service.reading.greetings import is_thanks
from service.reading.sentence_words import AGREEING, BESIDE_NO, DECIDING, DECLINING, DOUBTING, REFUSING
from service.reading.tokens import simple, tidy

_MOST_LINES, _LONGEST = 12, 200

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


def _any(listed: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, listed))})(?![\w'])")


_DECISION, _REFUSAL = _any(DECIDING), _any(REFUSING)
_LEADING = re.compile(
    r"[¡¿ ]{0,3}(?:(?P<yes>yes|yep|yeah|yup|sure|absolutely|of course|ja|jawohl|jep|klar|na klar|gern|gerne|oui|ouais|"
    r"bien sur|volontiers|si|claro|claro que si|por supuesto)|no|nope|nein|nee|non)(?: ?!|,)"
)
"""A yes or a no before a comma or an exclamation mark, which counts unless the rest of the line holds it back."""

_WHY_NOT = re.compile(
    r"(?<![\w'])(?:why not|warum (?:denn |eigentlich )?nicht|wieso nicht|pourquoi pas|por que no)(?: ?[?!.])*"
)
_MEANING_NO_NO = re.compile(
    r"(?<![\w'])(?:(?:i )?(?:can't|cannot) wait(?! (?:un)?til)|no problem|no worries|kein problem|pas de probleme|"
    r"pas de souci|sin problemas?|ningun problema)(?![\w'])"
)
"""Phrases with a word of denial that deny nothing."""

_AGREEING = AGREEING | {word for phrase in DECIDING for word in phrase.split()} | {"a", "an", "drauf", "this", "your"}
_DECLINING = DECLINING | BESIDE_NO | {word for phrase in REFUSING for word in phrase.split()}
_BUT = frozenset(["but", "aber", "mais", "pero", "wait", "warte", "attends", "attendez", "espera"])
_HOLDING_BACK = DOUBTING | _BUT
_THUMB = re.compile(r"\s{0,9}(?:(?P<up>👍)|👎)[\U0001f3fb-\U0001f3ff\ufe0f]{0,2}[\s!.]{0,9}")
_BEGINS_WITH_NO = re.compile(
    r"[¡¿ ]{0,3}(?:(?:hell|well|oh|hello|ach|ah|bueno),? )?(?:no|nope|nah|nein|nee|noe|non)"
    r"(?: ?[,!;:…]+|\.+(?! ?\d)| ?-+ |$)\s{0,9}"
)
_WHEN = frozenset(["when", "wann", "quand", "cuando"])
"""Words that doubt unless they begin a question."""


def agreement(lines: Sequence[str | None]) -> bool | None:
    """Return True if the sender's lines say yes, False if they say no, and None if they leave it open.

    A line does that if it has no other words than such as agree, or decline, or if it begins with a yes or a no before
    a comma. Other lines, such as a greeting, must not doubt or ask. What stands below a closing is not read. An answer
    of many or long lines leaves it open.

    Args:
        lines: the lines that the sender wrote; None stands where something else was left out.
    """
    said: set[bool] = set()
    for number, line in enumerate(_above_closing(lines)):
        if number == _MOST_LINES or len(line) > _LONGEST:
            return None
        if (thumb := _THUMB.fullmatch(line)) is not None:
            said.add(thumb["up"] is not None)
            continue
        low = _WHY_NOT.sub("sure.", simple(tidy(line)))
        if (lead := _LEADING.match(low)) is not None and (answer := _led_by(lead, low[lead.end() :])) is not None:
            said.add(answer)
            continue
        if "?" in low:
            return None
        found = set(_WORD.findall(low))
        if (found & DECLINING or _REFUSAL.search(low)) and found <= _DECLINING:
            said.add(False)
        elif found <= _AGREEING and _DECISION.search(low):
            said.add(True)
        elif found & _HOLDING_BACK:
            return None
    return said.pop() if len(said) == 1 else None


def behind_no(lines: Sequence[str | None]) -> list[str | None] | None:
    """Return lines without the no with which they begin, or None if they do not begin with one.

    Where a yes would do something, such a no leaves it undone, whatever follows: `No, I want to keep playing`.
    """
    first = next((at for at, line in enumerate(lines) if line is not None and line.strip()), None)
    if first is None or (line := tidy(lines[first] or "")[:_LONGEST]) == "" or len(line) != len(simple(line)):
        return None
    found = _BEGINS_WITH_NO.match(simple(line))
    return None if found is None else [line[found.end() :], *lines[first + 1 :]]


def _led_by(lead: re.Match[str], rest: str) -> bool | None:
    """Return the yes or no with which a line begins, or None if the rest of it holds that back."""
    rest = _MEANING_NO_NO.sub("", rest)
    found = set(_WORD.findall(rest))
    if lead["yes"] is None:
        return None if found & _BUT or _DECISION.search(rest) else False
    is_held = any(
        words & (_HOLDING_BACK | DECLINING) - (_WHEN if "?" in sentence else frozenset())
        or any(word.endswith("n't") for word in words)
        for sentence in re.findall(r"[^.!?]+[.!?]?", rest)
        if (words := set(_WORD.findall(sentence)))
    )
    return None if is_held else True


def _above_closing(lines: Sequence[str | None]) -> Iterator[str]:
    for line in lines:
        if line is None or not line.strip():
            continue
        if is_closing(line) and not is_thanks(line):
            return
        yield line
