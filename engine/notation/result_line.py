"""The result of a game as a text has it: in its one spelling, and as it may also be written."""

from __future__ import annotations

import re

from engine.notation.model import SEATS
from engine.result import Result

_RESULT = re.compile(
    r"=[ \t]*+(discs|tiles|left|ended)"
    r"((?>(?:[ \t]++(?:[A-D]:[0-9]{1,16}|(?:first|second|score)[ \t]++[0-9]{1,16}))*))",
    re.IGNORECASE | re.ASCII,
)
_DIGITS = re.compile("[0-9]+")


def render_result(result: Result | None) -> str:
    """Return the line of a result; `*` stands for a running game.

    >>> render_result(Result("match", "discs", (0, 1), (0, 1)))
    '= discs A:0 B:1'
    """
    if result is None:
        return "*"
    order = range(len(result.discs_left)) if result.ranking is None else result.ranking
    words = [f"{SEATS[seat]}:{result.discs_left[seat]}" for seat in order]
    totals = (("first", result.first_total), ("second", result.second_total), ("score", result.score))
    words += [f"{name} {number}" for name, number in totals if number is not None]
    return " ".join(["=", result.reason, *words])


def is_result(text: str, result: Result | None) -> bool:
    """Return whether a line says what the result is, whole or by its reason alone."""
    if text == "*" or result is None:
        return text == "*" and result is None
    found = _RESULT.fullmatch(text)
    if found is None:
        return False
    numbered = _DIGITS.sub(lambda digits: str(int(digits[0])), found[2])
    words = ["=", found[1].lower(), *(word.upper() if ":" in word else word.lower() for word in numbered.split())]
    return (words[2:] == [] and words[1] == result.reason) or " ".join(words) == render_result(result)
