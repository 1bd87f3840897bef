"""Refuse form POSTs from pages of other sites, except those of mail programs (`one_click`).

A POST here acts by a signed link, or by a session together with a token in the form. So this is a second line of
defense: whoever has seen somebody's link cannot make another browser use it.
"""

from __future__ import annotations

from flask import Response, request

from engine.phrases import Phrase
from service.language.languages import Reader
from service.pages.rendering import page

_ELSEWHERE = Phrase(
    "Nothing was changed, since another site asked for it. Open the link from the mail, and press the button there."
)


def is_cross_site() -> bool:
    """Return whether the browser says that another site made this request.

    It reads the Fetch Metadata headers, which all current browsers send over https and to their own machine.
    """
    return request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none")


def refused(reader: Reader) -> Response:
    """Return the response to a cross-site request."""
    return page("missing.html", reader, 403, what=reader.language.say(_ELSEWHERE), onward=None)
