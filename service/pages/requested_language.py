"""The language of a page that is the same for everybody: the one in its link, else the one the browser asks for."""

from __future__ import annotations

from flask import request

from service.language.languages import CODES, Language, Reader, language
from service.pages.rendering import visitor

_NAMES = {"en": "English", "fr": "Français", "es": "Español", "de": "Deutsch"}


def reader() -> Reader:
    """Return an anonymous reader with the language of the query parameter `language`."""
    asked = request.args.get("language", "")
    return Reader(language(asked)) if asked in CODES else visitor()


def others(shown: Language) -> list[tuple[str, str]]:
    """Return the codes of the languages that a page is not shown in, each with the language's own name for itself."""
    return [(code, _NAMES[code]) for code in CODES if code != shown.code]
