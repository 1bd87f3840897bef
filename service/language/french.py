"""The French spellings that depend on a value: `d’Ann`, `qu’Eva`, and the `1er` of a month."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_BEFORE_VALUE = re.compile(r"\b([dD]|[qQ]u)e (?=%\((\w+)\)s)")
_VOWEL = re.compile(r"(?!onz|oui\b)[aeiou]|y(?![aeiou])")
_FIRST = re.compile(r"(?<!\d)1 (?=[^\W\d])")


def elided(text: str, facts: Mapping[str, object]) -> str:
    """Return a text in which `de` and `que` are shortened before those of its values that begin with a vowel."""
    if "e %(" not in text:
        return text
    shortened = _BEFORE_VALUE.sub(lambda it: f"{it[1]}’" if _begins_with_vowel(facts.get(it[2])) else it[0], text)
    return type(text)(shortened)  # which may be markup


def _begins_with_vowel(fact: object) -> bool:
    return isinstance(fact, str) and _VOWEL.match(unicodedata.normalize("NFD", fact[:4]).casefold()) is not None


def with_first(date: str) -> str:
    """Return a formatted date whose first day of a month is written `1er`: the CLDR has `1 janvier`."""
    return _FIRST.sub("1er ", date, count=1)
