"""The names that players go by: shown to strangers, in mails too, so nothing may hide in them."""

import re
import unicodedata

from service.access.misfit import Misfit

MAX_LENGTH = 30

#: Letters and marks by Unicode that show nothing at all.
_INVISIBLE = r"\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u3164\uFE00-\uFE0F\uFFA0"

#: Not marks yet, though they stand among them: said in patterns for those who take the whole block for marks.
UNASSIGNED = r"\u20F1-\u20FF"

#: The rule as ECMA 262 says it: at least one letter or digit, nothing that mail programs would make a link of. Each
#: assertion says what may not come, since programs that make texts by a pattern take the other kind for part of it.
PATTERN = (
    rf"^(?![\p{{M}} .'-]*$)(?!.*[{_INVISIBLE}{UNASSIGNED}])(?!.*[\p{{L}}\p{{M}}\p{{Nd}}]\.[\p{{L}}\p{{Nd}}]{{2}})"
    r"[\p{L}\p{M}\p{Nd} .'-]{1,30}$"
)

_HIDDEN = re.compile(f"[{_INVISIBLE}\U000e0100-\U000e01ef]")
_SPACES = re.compile(" +")

_SHAPES = dict.fromkeys(("Lu", "Ll", "Lt", "Lm", "Lo", "Nd"), "L") | dict.fromkeys(("Mn", "Mc", "Me"), "M")
_ALLOWED = re.compile(r"[LM .'-]+")
_LINK = re.compile(r"[LM]\.LL")


def check(name: str) -> str:
    """A name as it is kept: NFC, without spaces around it, single spaces within.

    Raises:
        Misfit: when it is no name of 1 to 30 letters, digits, spaces and . - '
    """
    kept = _SPACES.sub(" ", unicodedata.normalize("NFC", name).strip(" "))
    if not 1 <= len(name) <= MAX_LENGTH or len(kept) > MAX_LENGTH or "L" not in _shape(kept):
        raise Misfit("Must have 1 to 30 characters, one of them a letter or a digit.")
    if _HIDDEN.search(kept) or not _ALLOWED.fullmatch(_shape(kept)):
        raise Misfit("May hold letters, digits, spaces and . - ' only.")
    if _LINK.search(_shape(kept)):
        raise Misfit("Must not look like a web address: put a space after the dot.")
    return kept


def _shape(name: str) -> str:
    """The name with L for each letter or digit, M for each mark, and anything else as it is or as ``?``."""
    return "".join(_SHAPES.get(unicodedata.category(c), c if c in " .'-" else "?") for c in name)
