"""Read a yes or a no from the words of an answer, such as `I'd love to!` or `No, thanks`, in four languages.

That is enough only for a question that cannot be mistaken, such as an invitation; elsewhere the command is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from service.reading.footers import is_closing
from service.reading.greetings import is_thanks
from service.reading.sentence_words import AGREEING, BESIDE_NO, DECIDING, DECLINING, DOUBTING
from service.reading.tokens import simple, tidy

_MOST_LINES, _LONGEST = 12, 200

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_DECISION = re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, DECIDING))})(?![\w'])")
_AGREEING = AGREEING | {word for phrase in DECIDING for word in phrase.split()} | {"a", "an", "drauf", "this", "your"}
_DECLINING = DECLINING | BESIDE_NO
_HOLDING_BACK = DOUBTING | {"but", "aber", "mais", "pero"}


def agreement(lines: Sequence[str | None]) -> bool | None:
    """Return True if the sender's lines say yes, False if they say no, and None if they leave it open.

    A line does that if it has no other words than such as agree, or decline. Other lines, such as a greeting, must not
    doubt or ask. What stands below a closing is not read. An answer of many or long lines leaves it open.

    Args:
        lines: the lines that the sender wrote; None stands where something else was left out.
    """
    said: set[bool] = set()
    for number, line in enumerate(_above_closing(lines)):
        if number == _MOST_LINES or len(line) > _LONGEST or "?" in line:
            return None
        low = simple(tidy(line))
        found = set(_WORD.findall(low))
        if found & DECLINING and found <= _DECLINING:
            said.add(False)
        elif found <= _AGREEING and _DECISION.search(low):
            said.add(True)
        elif found & _HOLDING_BACK:
            return None
    return said.pop() if len(said) == 1 else None


def _above_closing(lines: Sequence[str | None]) -> Iterator[str]:
    for line in lines:
        if line is None or not line.strip():
            continue
        if is_closing(line) and not is_thanks(line):
            return
        yield line
