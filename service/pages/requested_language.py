"""The language of a page that is the same for everybody: the one in its link, else the one the browser asks for."""

from __future__ import annotations

from service.language.languages import CODES, Language, Reader, language
from service.pages.kept_language import asked
from service.pages.rendering import visitor

NAMES = {"en": "English", "fr": "Français", "es": "Español", "de": "Deutsch"}
"""The languages' own names for themselves, by their codes."""


def reader() -> Reader:
    """Return an anonymous reader with the language of the query parameter `language`."""
    code = asked()
    return visitor() if code is None else Reader(language(code))


def others(shown: Language) -> list[tuple[str, str]]:
    """Return the codes of the languages that a page is not shown in, each with the language's own name for itself."""
    return [(code, NAMES[code]) for code in CODES if code != shown.code]
