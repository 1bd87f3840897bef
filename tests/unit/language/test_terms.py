"""Each language has one word for a thing, and no abbreviation that reads as another word."""

import re

import pytest
from babel.messages.pofile import read_po

from scripts.messages import CATALOGS


def all_of(texts: object) -> list[str]:
    """Return the singular and plural forms of a message."""
    return [str(each) for each in texts] if isinstance(texts, list | tuple) else [str(texts)]


@pytest.mark.parametrize(
    ("code", "english", "wrong"),
    [
        ("es", r"\bseats?\b", r"\b(?:puesto|sitio)s?\b"),
        ("es", r"\bbots?\b", r"\brobots?\b"),
        ("es", r"\byellow\b", r", y amarill"),
        ("fr", r"\bbots?\b", r"\bbots?\b"),
        ("fr", r"\brows?\b", r"\brangées?\b"),
        ("de", r"\bgoals?\b.*\bcovered?\b|\bcovered?\b.*\bgoals?\b", r"\bAufgaben (?:[a-zäöü]+ )?erfüllt\b"),
    ],
)
def test_a_thing_has_one_word(code: str, english: str, wrong: str) -> None:
    with (CATALOGS / f"{code}.po").open("rb") as file:
        catalog = read_po(file, locale=code)
    for message in catalog:
        ids, strings = map(all_of, (message.id, message.string))
        if any(re.search(english, id) for id in ids):
            assert not any(re.search(wrong, string, re.IGNORECASE) for string in strings), message.string
