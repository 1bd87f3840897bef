"""The Spanish words that the CLDR leaves to programs: `e` before an i sound, `u` before an o sound, `a la 01:00`."""

from __future__ import annotations

import re
import unicodedata

_SOUNDS = {"y": ("e", re.compile(r"\W*(?:i|hi(?![ae]))")), "o": ("u", re.compile(r"\W*(?:h?o|8|11(?!\d))"))}


def euphonic(text: str, last: str) -> str:
    """Return a list with the conjunction that fits the sound of its last item `last`: `Ana e Inés`."""
    before, found, word = text.removesuffix(last).rstrip(" ").rpartition(" ")
    if not found or word not in _SOUNDS:
        return text
    other, sound = _SOUNDS[word]
    heard = unicodedata.normalize("NFD", last).casefold()
    return f"{before} {other} {last}" if sound.match(heard) else text


def with_one_oclock(text: str) -> str:
    """Return a text with the singular article before times from one o'clock to two: `a la 01:30`."""
    return text.replace("a las 01:", "a la 01:")
