"""One full stop at the end of a sentence, also where a name brings its own: `It is your turn, Ann B.`"""

from __future__ import annotations

from collections.abc import Mapping


def without(text: str, facts: Mapping[str, object]) -> dict[str, object]:
    """The facts of a text, each without the full stop at its end where the text has one right after it."""
    return {
        name: fact[:-1] if isinstance(fact, str) and fact.endswith(".") and f"%({name})s." in text else fact
        for name, fact in facts.items()
    }
