"""A form's POST that a page of another site made is refused; that of mail programs (`one_click`) is not.

What a POST does here follows from its signed link alone, and there is no cookie and no session that another site could
use. So this is no more than a second bolt: whoever has seen somebody's link gets no other browser to use it.
"""

from __future__ import annotations

from flask import Response, request

from engine.saying import Said
from service.language.languages import Reader
from service.pages.rendering import page

_ELSEWHERE = Said(
    "Nothing was changed, since another site asked for it. Open the link from the mail, and press the button there."
)


def is_cross_site() -> bool:
    """Whether the browser says that another site made this request (Fetch Metadata, which all browsers of today send to
    https and to their own machine)."""
    return request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none")


def refused(reader: Reader) -> Response:
    """The answer to it."""
    return page("missing.html", reader, 403, what=reader.language.say(_ELSEWHERE), onward=None)
