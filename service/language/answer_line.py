"""The line at the top of each mail that can be answered: the answer goes above it, and the quoted mail begins below it.

It is ASCII, so that no mail program changes its characters, and too short for a mail program to wrap.
"""

from __future__ import annotations

import re

from service.language.languages import Language

_SIGNS = re.compile(r"##-{1,3} .{4,60} -{1,3}##|^##-{1,3} ")


def answer_line(language: Language) -> str:
    """Return the line in a language, such as `##- Write your answer above this line -##`."""
    words = language.say("Write your answer above this line")
    return f"##- {words} -##"


def is_answer_line(line: str) -> bool:
    """Return whether this is the answer line in any language, even if a mail program has put something before it."""
    return _SIGNS.search(line.replace("\u00a0", " ").lstrip(" \t>|")) is not None
