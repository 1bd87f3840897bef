"""The language of a page that is for everybody: the one that its link names, else the one that the browser asks for."""

from __future__ import annotations

from flask import request

from service.language.languages import CODES, Reader, language
from service.pages.rendering import visitor


def reader() -> Reader:
    """Somebody who is not known, in the language of the query's `language`."""
    asked = request.args.get("language", "")
    return Reader(language(asked)) if asked in CODES else visitor()
