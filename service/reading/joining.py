"""Parse a line that asks for a seat at a table, by the table's code or that of an invitation."""

from __future__ import annotations

import re

from service.reading import command_words
from service.reading.command_words import phrases
from service.reading.commands import Join
from service.reading.tokens import simple, tidy

_LONGEST = 200


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


_AHEAD = re.compile(rf"(?:{'|'.join(sorted(phrases(command_words.BEFORE_CODE), key=len, reverse=True))})(?=[ :])")
_GIVEN_CODE = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9_-]{5,99}|[_-][A-Za-z0-9_-]{42}"
)  # the second is the secret of an invitation
_TYPED_CODE = re.compile(
    r"(?:(?:code|invitation|einladung|codigo|avec|mit|with|con|par)\s)*([a-z0-9]{5})[\s-]?([a-z0-9]{5})", re.IGNORECASE
)
_TABLE_ID = re.compile(r"(?=\D*\d|.(?:[^A-Z]*[A-Z]){2})(?=[^a-z]*[a-z])[A-Za-z0-9]{12}")
_SECRET = re.compile(r"(?=\D*\d|.(?:[^A-Z]*[A-Z]){2})[A-Za-z0-9_-]{43}")
_WRITTEN_CODE = re.compile(r"(?=\D*\d)[a-z0-9]{5}-[a-z0-9]{5}", re.IGNORECASE)

_JOINING = frozenset(phrases(command_words.BEFORE_CODE)) | {"uno", "joining", "trete", "sit", "sitze"}
_BESIDE = command_words.SMALL | _listed(
    "i i'd i'll would like want wish to at me in us with by code invitation table game please thanks thank you let can "
    "could may hello hi hey ich mochte moechte will wurde wuerde gern gerne am an zu zum bei mit einladung tisch spiel "
    "partie bitte danke hallo dabei je voudrais j'aimerais veux souhaite a au avec par table merci svp stp bonjour "
    "quiero quisiera gustaria me yo mesa partida juego con codigo invitacion por favor gracias hola"
)
"""The words that may stand beside a code and a word for joining."""


def join(bare: str) -> Join | None:
    """Return the command of a line without polite words, or None if it does not ask for a seat by a code."""
    if found := _AHEAD.match(simple(bare)):
        code = bare[found.end() :].strip(" :.,<>\"'")
        if typed := _TYPED_CODE.fullmatch(code):
            return Join(f"{typed[1]}-{typed[2]}")
        if _GIVEN_CODE.fullmatch(code):
            return Join(code)
    return _in_a_sentence(bare)


def lacks_code(low: str) -> bool:
    """Return whether a line, as `simple` returns it, is nothing but a word for joining, and one more at most."""
    return _AHEAD.match(f"{low} ") is not None and low.count(" ") < 2


def lone_code(line: str) -> Join | None:
    """Return the command that a line may mean which is nothing but a code; it does not say what is wanted."""
    text = tidy(line[:_LONGEST]).strip(" .,:<>\"'")
    return Join(text) if _is_code(text) else None


def _in_a_sentence(bare: str) -> Join | None:
    """Return the command of a sentence of a code, a word for joining, and small words: `Ich möchte CODE beitreten`."""
    if len(bare) > _LONGEST or "?" in bare:
        return None
    words = [word for word in (each.strip(".,:;!<>()\"'") for each in bare.split()) if word]
    codes = [word for word in words if _is_code(word)]
    rest = {simple(word) for word in words if not _is_code(word)}
    is_one = len(codes) == 1 and not rest.isdisjoint(_JOINING) and rest <= _JOINING | _BESIDE
    return Join(codes[0]) if is_one else None


def _is_code(word: str) -> bool:
    """Return whether a word has the form of a code and that of no word: a digit, or capitals in its middle."""
    return any(form.fullmatch(word) for form in (_TABLE_ID, _SECRET, _WRITTEN_CODE))
