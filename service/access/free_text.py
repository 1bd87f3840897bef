"""Validate short texts: messages to the table, notes, and labels of tokens.

Each is one line that others read in mails and terminals.
"""

import unicodedata

from engine.phrases import phrase
from service.access.invalid_text import InvalidText
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
"""Invisible characters that are needed between the letters of some scripts and between the parts of emoji."""

PATTERN = (
    rf"^(?![\p{{M}}{UNSEEN_LETTERS}{UNSEEN_SYMBOLS} \u200C\u200D]*$)(?!.*[{UNSEEN_IN_TEXT}{UNASSIGNED}])"
    r"[\p{L}\p{M}\p{N}\p{P}\p{S}!-~ \u200C\u200D]+$"
)
"""The rule in ECMA 262: at least one visible character. The limit on marks is left out, because programs that generate
texts from a pattern know only one kind of mark. !-~ is for validators that read patterns without the flag `u`."""


def check(text: str, most: int = MAX_LENGTH) -> str:
    """Return a text as it is stored: in NFC, without surrounding spaces.

    Raises:
        InvalidText: it is no line of 1 to `most` characters with at least one visible, or contains line ends, control,
            direction or invisible characters, or more than four marks on a letter.
    """
    # Normalizing marks takes quadratic time, so the text is cut first.
    kept = unicodedata.normalize("NFC", text[: most + 1]).strip(" ")
    if not 1 <= max(len(text), len(kept)) <= most or not can_be_seen(kept):
        raise InvalidText(phrase("Must have 1 to %(most)s characters, at least one of them visible.", most=most))
    if not all(map(_is_allowed, kept)):
        raise InvalidText("Must be text on one line, without control, direction or invisible characters.")
    check_marks(kept)
    return kept


def tidied(text: str) -> str:
    """Return a text from a mail on one line, without the characters that `check` refuses.

    The result may be empty, or too long.
    """
    return " ".join("".join(c for c in one_line(text) if _is_allowed(c)).split())


def _is_allowed(character: str) -> bool:
    if character == " " or character in _JOINERS:
        return True
    return unicodedata.category(character)[0] in "LMNPS" and not is_needless(character)
