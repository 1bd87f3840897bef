"""Avoid two periods at the end of a sentence when a name ends with one: `It is your turn, Ann B.`"""

from __future__ import annotations

from collections.abc import Mapping


def without(text: str, facts: Mapping[str, object]) -> Mapping[str, object]:
    """Return the values for a text, each without its final period where the text has one right after it."""
    for fact in facts.values():
        if isinstance(fact, str) and fact.endswith("."):
            break
    else:  # as nearly always
        return facts
    return {
        name: fact[:-1] if isinstance(fact, str) and fact.endswith(".") and f"%({name})s." in text else fact
        for name, fact in facts.items()
    }
