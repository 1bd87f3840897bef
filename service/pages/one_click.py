"""The POST that mail programs send for the header List-Unsubscribe-Post (RFC 8058).

It is the only request that acts without its page having been shown, so it alone may come from anywhere (`cross_site`).
All that it does follows from its signed link, which is only in the mail. The response must not be a redirect, and
nobody reads it as a page.
"""

from __future__ import annotations

from flask import Response, request

from engine.phrases import Phrase
from service.language.languages import Reader
from service.pages.rendering import headed


def is_one_click() -> bool:
    """Return whether this request is the one-click POST of a mail program."""
    return request.form.get("List-Unsubscribe", "").strip() == "One-Click"  # a line end may follow


_NO_MORE = Phrase("You get no more of these mails.")


def done(reader: Reader, what: Phrase = _NO_MORE) -> Response:
    """Return the response to a one-click POST, which says what was done."""
    response = Response(reader.language.say(what) + "\n", mimetype="text/plain")
    response.content_language.add(reader.language.code)
    return headed(response)
