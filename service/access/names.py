"""Validate the names of players. They are shown to strangers, in mails too, so nothing may hide in them."""

import re
import unicodedata

from service.access.invalid_text import InvalidText
from service.language.visible import UNASSIGNED, UNSEEN_LETTERS, has_too_many_marks, has_unseen

MAX_LENGTH = 30

#: The rule in ECMA 262: at least one letter or digit, and nothing that mail programs would turn into a link. All
#: assertions are negative, because programs that generate texts from a pattern take positive ones for part of it.
#: A-Z, a-z and 0-9 are for validators that read patterns without the flag `u` and so do not know \p.
PATTERN = (
    rf"^(?![\p{{M}} .'-]*$)(?!.*[{UNSEEN_LETTERS}{UNASSIGNED}])(?!.*[\p{{L}}\p{{M}}\p{{Nd}}]\.[\p{{L}}\p{{Nd}}]{{2}})"
    r"[\p{L}\p{M}\p{Nd}A-Za-z0-9 .'-]{1,30}$"
)

_SPACES = re.compile(" +")

_SHAPES = dict.fromkeys(("Lu", "Ll", "Lt", "Lm", "Lo", "Nd"), "L") | dict.fromkeys(("Mn", "Mc", "Me"), "M")
_ALLOWED = re.compile(r"[LM .'-]+")
_LINK = re.compile(r"[LM]\.LL")


def check(name: str) -> str:
    """Return a name as it is stored: in NFC, without surrounding spaces, and with single spaces inside.

    Raises:
        InvalidText: it is no name of 1 to 30 letters, digits, spaces and . - '
    """
    # Normalizing marks takes quadratic time, so the text is cut first.
    kept = _SPACES.sub(" ", unicodedata.normalize("NFC", name[: MAX_LENGTH + 1]).strip(" "))
    if not 1 <= len(name) <= MAX_LENGTH or len(kept) > MAX_LENGTH or "L" not in _shape(kept):
        raise InvalidText("A name must have 1 to 30 characters, one of them a letter or a digit.")
    if has_unseen(kept) or not _ALLOWED.fullmatch(_shape(kept)):
        raise InvalidText("A name may hold letters, digits, spaces and . - ' only.")
    check_marks(kept)
    if _LINK.search(_shape(kept)):
        raise InvalidText("A name must not look like a web address: put a space after the dot.")
    return kept


def check_marks(text: str) -> None:
    """Refuse a text in which a letter has too many combining marks.

    Raises:
        InvalidText: a letter has more than four.
    """
    if has_too_many_marks(text):
        raise InvalidText("May have 4 marks on one letter at most.")


def _shape(name: str) -> str:
    """Return the name with L for each letter or digit and M for each mark; other characters stay, or become `?`."""
    return "".join(_SHAPES.get(unicodedata.category(c), c if c in " .'-" else "?") for c in name)
