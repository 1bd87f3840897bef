"""Validate the names of players. They are shown to strangers, in mails too, so nothing may hide in them."""

import re
import unicodedata

from service.access.invalid_text import InvalidText
from service.language.visible import UNASSIGNED, UNSEEN_LETTERS, has_too_many_marks, has_unseen

MAX_LENGTH = 30

# The rule in ECMA 262: at least one letter or digit, and nothing that mail programs would turn into a link. All
# assertions are negative, because programs that generate texts from a pattern take positive ones for part of it.
# A-Z, a-z and 0-9 are for validators that read patterns without the flag `u` and so do not know \p.
PATTERN = (
    rf"^(?![\p{{M}} .'-]*$)(?!.*[{UNSEEN_LETTERS}{UNASSIGNED}])(?!.*[\p{{L}}\p{{M}}\p{{Nd}}]\.[\p{{L}}\p{{Nd}}]{{2}})"
    r"[\p{L}\p{M}\p{Nd}A-Za-z0-9 .'-]{1,30}$"
)

_SPACES = re.compile(" +")

_SHAPES = dict.fromkeys(("Lu", "Ll", "Lt", "Lm", "Lo", "Nd"), "L") | dict.fromkeys(("Mn", "Mc", "Me"), "M")
_ALLOWED = re.compile(r"[LM .'-]+")
_LINK = re.compile(r"[LM]\.LL")

_FOLDED = str.maketrans(dict.fromkeys("’‘ʼ´`", "'") | dict.fromkeys("‐‑‒–—", "-"))
_IN_BRACKETS = re.compile(r"\([^()]{0,200}\)|\[[^\[\]]{0,200}\]")
_TITLE = re.compile(r"(?:jr|sr|ii|iii|iv|ph\.?d|m\.?d|mba|m\.?sc|b\.?sc|m\.?a|esq|dr)\.?", re.IGNORECASE)
_DOT_IN_WORD = re.compile(r"(?<=\w)\.(?=\w\w)")
_LONGEST_GIVEN = 200


def from_header(given: str) -> str | None:
    """Return the name that stands beside an address in a mail, as it can be stored; None if there is none.

    `Smith, Bob (Sales)` is `Bob Smith`, `bob.smith` is `bob smith`, and what no name may have is left out.
    """
    if "@" in given or len(given) > _LONGEST_GIVEN:
        return None
    text = unicodedata.normalize("NFC", _IN_BRACKETS.sub(" ", given).translate(_FOLDED))
    last, comma, first = text.partition(",")
    if comma and "," not in first:
        text = last if _TITLE.fullmatch(first.strip()) else f"{first} {last}"
    text = _DOT_IN_WORD.sub(" ", text).strip()
    if text[:1] == text[-1:] == "'":  # which Outlook puts around a name
        text = text[1:-1]
    words = "".join(c if c in " .'-" or unicodedata.category(c) in _SHAPES else " " for c in text).split()
    while words and len(" ".join(words)) > MAX_LENGTH:
        words.pop()
    try:
        return check(" ".join(words))
    except InvalidText:
        return None


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
