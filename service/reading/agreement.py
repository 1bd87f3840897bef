"""Read a yes or a no from the words of an answer, such as `I'd love to!` or `No, thanks`, in four languages.

That is enough only for a question that cannot be mistaken, such as an invitation; elsewhere the command is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from service.reading.footers import is_closing
from service.reading.greetings import is_thanks
from service.reading.sentence_words import AGREEING, DOUBTING, POLITE
from service.reading.tokens import simple, tidy

_LOOKED_AT, _LONGEST = 12, 200

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_DECIDING = frozenset(
    [
        "sure",
        "gladly",
        "love",
        "absolutely",
        "definitely",
        "certainly",
        "happily",
        "course",
        "pleasure",
        "accept",
        "accepted",
        "deal",
        "ok",
        "okay",
        "count",
        "play",
        "playing",
        "join",
        "joining",
        "ahead",
        "forward",
        "perfect",
        "gern",
        "gerne",
        "klar",
        "naturlich",
        "natuerlich",
        "sicher",
        "unbedingt",
        "dabei",
        "einverstanden",
        "angenommen",
        "nehme",
        "mache",
        "mach",
        "freue",
        "spiele",
        "spielen",
        "volontiers",
        "plaisir",
        "joie",
        "sur",
        "d'accord",
        "carrement",
        "evidemment",
        "partant",
        "partante",
        "j'accepte",
        "j'en",
        "jouer",
        "jouons",
        "joue",
        "parfait",
        "gusto",
        "claro",
        "supuesto",
        "luego",
        "encantado",
        "encantada",
        "apunto",
        "acepto",
        "vale",
        "dale",
        "encantaria",
        "jugar",
        "juego",
        "perfecto",
    ]
)
_AGREEING = AGREEING | _DECIDING | {"a", "an", "drauf", "this", "your"}
_NO = frozenset(["no", "nope", "nah", "nein", "nee", "non"])
_DECLINING = (
    POLITE
    | _NO
    | frozenset(
        [
            "sorry",
            "but",
            "this",
            "time",
            "now",
            "i",
            "i'm",
            "afraid",
            "have",
            "the",
            "for",
            "invitation",
            "to",
            "play",
            "today",
            "not",
            "very",
            "much",
            "unfortunately",
            "aber",
            "leider",
            "nicht",
            "jetzt",
            "ich",
            "habe",
            "dieses",
            "mal",
            "heute",
            "tut",
            "mir",
            "leid",
            "lieber",
            "mais",
            "desole",
            "desolee",
            "pas",
            "maintenant",
            "cette",
            "fois",
            "je",
            "ne",
            "peux",
            "n'ai",
            "temps",
            "le",
            "de",
            "pardon",
            "aujourd'hui",
            "pero",
            "lo",
            "siento",
            "esta",
            "vez",
            "ahora",
            "tengo",
            "tiempo",
            "puedo",
            "quiero",
            "jugar",
            "hoy",
        ]
    )
)
_HOLDING_BACK = DOUBTING | {"but", "aber", "mais", "pero"}


def agreement(lines: Sequence[str | None]) -> bool | None:
    """Return True if the sender's lines say yes, False if they say no, and None if they leave it open.

    A line does that if it has no other words than such as agree, or decline. Other lines, such as a greeting, must not
    doubt or ask. What stands below a closing is not read.

    Args:
        lines: the lines that the sender wrote; None stands where something else was left out.
    """
    said: set[bool] = set()
    for line in _first(lines):
        words = _WORD.findall(simple(tidy(line)))
        found = set(words)
        if "?" in line:
            return None
        if found & _NO and found <= _DECLINING:
            said.add(False)
        elif found <= _AGREEING and (found & _DECIDING or words[-1:] == ["in"]):  # `I'm in`
            said.add(True)
        elif found & _HOLDING_BACK:
            return None
    return said.pop() if len(said) == 1 else None


def _first(lines: Sequence[str | None]) -> Iterator[str]:
    """Yield the first lines with text, up to a closing."""
    for line in islice((line for line in lines if line is not None and line.strip()), _LOOKED_AT):
        if is_closing(line) and not is_thanks(line):
            return
        yield line[:_LONGEST]
