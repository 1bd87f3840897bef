"""The line at the top of each mail that can be answered, which tells where the answer goes and where our own text begins.

Its signs are ASCII, so that no mail program can spoil them, and it is short enough that none breaks it in two.
"""

from __future__ import annotations

import re

from service.language.languages import Language

_SIGNS = re.compile(r"##-{1,3} .{4,60} -{1,3}##|^##-{1,3} ")


def answer_line(language: Language) -> str:
    """The line in a language: `##- Write your answer above this line -##`."""
    words = language.say("Write your answer above this line")
    return f"##- {words} -##"


def is_answer_line(line: str) -> bool:
    """Whether a line is one of these, in whatever language; what a mail program put before it does no harm."""
    return _SIGNS.search(line.replace("\u00a0", " ").lstrip(" \t>|")) is not None
