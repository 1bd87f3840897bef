"""Show a person why a command was refused, with the status that the API has for it."""

from __future__ import annotations

from typing import Any

from flask import Response, request

from engine.phrases import Phrase
from service.access.invalid_text import InvalidText
from service.api.errors import STATUS_OF
from service.errors import LimitReached, Malformed, Refusal
from service.language.durations import say_why
from service.language.languages import Reader
from service.pages.rendering import page

UNFIT_CHANGE = Phrase("Nothing was changed: this form has a value that there is not. Choose again.")
"""What is wrong with a form whose choices its page does not offer."""


def refusal_page(
    refusal: Refusal, reader: Reader, onward: str | None, onward_name: str = "", written: str | None = None
) -> Response:
    """Return the page that says why something was not done, and leads back.

    Args:
        refusal: the refusal.
        reader: the reader.
        onward: the address to go on to; None: where `not_found` leads.
        onward_name: the text of that link; empty: to the table.
        written: what was written in the form, to be copied.
    """
    named = {"onward_name": onward_name} if onward_name else {}
    what = say_why(refusal.phrase, reader.language)
    response = page("missing.html", reader, status_of(refusal), what=what, written=written, onward=onward, **named)
    return with_retry(response, refusal)


def form_page(template: str, reader: Reader, form: str, wrong: Refusal | None, **facts: Any) -> Response:
    """Return a page with forms, which keeps what was typed in the one that was refused (`forms.html`).

    Args:
        template: the template; it gets what was sent as `typed`, and what is wrong with it as `wrong`.
        reader: the reader.
        form: the name that the template has for the form that was sent.
        wrong: why it was refused; None if none was.
        facts: what else the template gets.
    """
    why = None if wrong is None else say_why(wrong.phrase, reader.language)
    response = page(template, reader, status_of(wrong), typed=request.form, wrong_in=form, wrong=why, **facts)
    return with_retry(response, wrong)


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
