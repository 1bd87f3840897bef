"""What people say to the table, note for themselves, or call their tokens: one line of text that others read in mails and terminals."""

import unicodedata

from engine.saying import said
from service.access.misfit import Misfit
from service.access.names import check_marks
from service.language.sanitize import one_line
from service.language.visible import (
    UNASSIGNED,
    UNSEEN_IN_TEXT,
    UNSEEN_LETTERS,
    UNSEEN_SYMBOLS,
    can_be_seen,
    is_needless,
)

MAX_LENGTH = 500

_JOINERS = "\u200c\u200d"
"""They show nothing, and are needed all the same: between the letters of some scripts, and between the parts of emoji."""

#: The rule as ECMA 262 says it: something to see in it. (How many marks a letter may have is left out, as programs that
#: make texts by a pattern know of marks as one kind only.)
PATTERN = (
    rf"^(?![\p{{M}}{UNSEEN_LETTERS}{UNSEEN_SYMBOLS} \u200C\u200D]*$)(?!.*[{UNSEEN_IN_TEXT}{UNASSIGNED}])"
    r"[\p{L}\p{M}\p{N}\p{P}\p{S} \u200C\u200D]+$"
)


def check(text: str, most: int = MAX_LENGTH) -> str:
    """A text as it is kept: NFC, without spaces around it.

    Raises:
        Misfit: when it is no line of 1 to so many characters with something to see in it, or holds control, direction or
            invisible characters, line ends among them, or more than four marks on a letter.
    """
    # To normalise marks takes time with the square of their number, so nothing long is.
    kept = unicodedata.normalize("NFC", text[: most + 1]).strip(" ")
    if not 1 <= max(len(text), len(kept)) <= most or not can_be_seen(kept):
        raise Misfit(said("Must have 1 to %(most)s characters, one of them to be seen.", most=most))
    if not all(map(_is_allowed, kept)):
        raise Misfit("Must be text on one line, without control, direction or invisible characters.")
    check_marks(kept)
    return kept


def tidied(text: str) -> str:
    """A text as a mail brings it, with its lines drawn together to one, and without what `check` would refuse it for.
    It may be empty, or too long."""
    return " ".join("".join(c for c in one_line(text) if _is_allowed(c)).split())


def _is_allowed(character: str) -> bool:
    if character == " " or character in _JOINERS:
        return True
    return unicodedata.category(character)[0] in "LMNPS" and not is_needless(character)
