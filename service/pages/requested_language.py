"""The language of a page that is the same for everybody: the one in its link, else the one the browser asks for."""

from __future__ import annotations

from flask import request

from service.language.languages import CODES, Reader, language
from service.pages.rendering import visitor


def reader() -> Reader:
    """Return an anonymous reader with the language of the query parameter `language`."""
    asked = request.args.get("language", "")
    return Reader(language(asked)) if asked in CODES else visitor()
