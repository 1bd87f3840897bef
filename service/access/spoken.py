"""What people say to the table, or note for themselves: one line of text that others read in mails and terminals."""

import unicodedata

from service.access.misfit import Misfit
from service.access.names import UNASSIGNED
from service.language.safe import one_line

MAX_LENGTH = 500

_JOINERS = "\u200c\u200d"
"""They show nothing, and are needed all the same: between the letters of some scripts, and between the parts of emoji."""

#: The rule as ECMA 262 says it: something to see in it.
PATTERN = (
    rf"^(?![\p{{M}} \u200C\u200D]*$)(?!.*[{UNASSIGNED}])"
    r"[\p{L}\p{M}\p{N}\p{P}\p{S} \u200C\u200D]+$"
)


def check(text: str) -> str:
    """A text as it is kept: NFC, without spaces around it.

    Raises:
        Misfit: when it is no line of 1 to 500 characters with something to see in it, or holds control or direction
            characters, line ends among them.
    """
    kept = unicodedata.normalize("NFC", text).strip(" ")
    if not 1 <= max(len(text), len(kept)) <= MAX_LENGTH or not any(unicodedata.category(c)[0] in "LNPS" for c in kept):
        raise Misfit("Must have 1 to 500 characters, one of them to be seen.")
    if not all(map(_is_allowed, kept)):
        raise Misfit("Must be text on one line, without control or direction characters.")
    return kept


def tidied(text: str) -> str:
    """A text as a mail brings it, with its lines drawn together to one, and without what `check` would refuse it for.
    It may be empty, or too long."""
    return " ".join("".join(c for c in one_line(text) if _is_allowed(c)).split())


def _is_allowed(character: str) -> bool:
    return character == " " or character in _JOINERS or unicodedata.category(character)[0] in "LMNPS"
