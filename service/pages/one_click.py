"""The POST that mail programs make for a header List-Unsubscribe-Post (RFC 8058).

It is the one thing here that a request does without the page before it, so it alone may come from anywhere (`cross_site`):
all that it does follows from its signed link, which only the mail holds. The answer must be no redirect, and no page is
read.
"""

from __future__ import annotations

from flask import Response, request

from engine.saying import Said
from service.language.languages import Reader
from service.pages.rendering import headed


def is_one_click() -> bool:
    """Whether this request is such a POST."""
    return request.form.get("List-Unsubscribe", "").strip() == "One-Click"  # a line may end behind it


_NO_MORE = Said("You get no more of these mails.")


def done(reader: Reader, what: Said = _NO_MORE) -> Response:
    """The answer to it, which says what was done."""
    response = Response(reader.language.say(what) + "\n", mimetype="text/plain")
    response.content_language.add(reader.language.code)
    return headed(response)
