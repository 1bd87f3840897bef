"""Tell a refusal of a command to a person, with the status that the API has for it."""

from __future__ import annotations

from flask import Response

from service.access.invalid_text import InvalidText
from service.api.errors import STATUS_OF
from service.errors import LimitReached, Malformed, Refusal
from service.language.durations import say_why
from service.language.languages import Reader
from service.pages.rendering import page


def refusal_page(refusal: Refusal, reader: Reader, onward: str | None, onward_name: str = "") -> Response:
    """Return the page that says why something was not done, and leads back.

    Args:
        refusal: the refusal.
        reader: the reader.
        onward: the address to go on to; None: where `not_found` leads.
        onward_name: the text of that link; empty: to the table.
    """
    named = {"onward_name": onward_name} if onward_name else {}
    what = say_why(refusal.phrase, reader.language)
    response = page("missing.html", reader, status_of(refusal), what=what, onward=onward, **named)
    return with_retry(response, refusal)


def status_of(refusal: Refusal | None) -> int:
    """Return the status of a page that says why something was not done; None is for nothing wrong."""
    return 200 if refusal is None else STATUS_OF[type(refusal)]


def with_retry(response: Response, refusal: Refusal | None) -> Response:
    """Return a page with the time after which what was refused may be tried again, if that is what was wrong."""
    if isinstance(refusal, LimitReached):
        response.headers["Retry-After"] = str(refusal.retry_after)
    return response


def unfit(invalid: InvalidText) -> Malformed:
    """Return the refusal of a text in a form."""
    return Malformed("unfit", invalid.phrase)
