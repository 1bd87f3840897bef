"""Show browsers as a page what the API tells programs as a problem.

A view of a page refuses with pages of its own. What is left is raised before or beside it: an unknown address, a method
that it does not have, a form that is too large, a database that is away, an internal error.
"""

from __future__ import annotations

import json

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException

from engine.phrases import Phrase
from service.api.cors import API
from service.api.errors import MEDIA_TYPE
from service.api.flask_adapter import asked_language
from service.language.languages import Reader
from service.pages.rendering import icon, page_response, rendered, style

_PAGE = "text/html"
_FRONT = "/"
_ONLY_FORMS = Phrase("There is nothing to see at this address; only forms are sent to it.")
_NOTHING = Phrase("Nothing is to be seen at this address")
_HOME = Phrase("To the front page")
_BACK = Phrase("Back to the page")


def init_app(app: Flask) -> None:
    """Have an application show its problems as pages at addresses that are not the API's, to who prefers pages."""
    app.after_request(_shown)


def _shown(response: Response) -> Response:
    if response.mimetype != MEDIA_TYPE or request.path.startswith(API):
        return response
    wanted = request.accept_mimetypes
    if wanted[_PAGE] <= wanted[MEDIA_TYPE]:
        return response
    problem, status = json.loads(response.get_data()), response.status_code
    reader = Reader(asked_language())  # not that of the session, which is in the database, and that may be away
    say = reader.language.say
    is_form = status == 405 and request.method == "GET"
    title, what = (say(_NOTHING), say(_ONLY_FORMS)) if is_form else (problem["title"], problem["detail"])
    onward = _page_above(request.path) if is_form else _FRONT
    frame = {"style": style(), "icon": icon(), "me": None, "with_language": str}
    facts = {"title": title, "what": what, "onward": onward, "onward_name": say(_HOME if onward == _FRONT else _BACK)}
    written = rendered("missing.html", reader, status=status, **frame, **facts)
    shown = page_response(written, reader, status)
    shown.headers["Vary"] = "Accept, Accept-Language"
    for name in ("Allow", "Retry-After"):
        if name in response.headers:
            shown.headers[name] = response.headers[name]
    return shown


def _page_above(path: str) -> str:
    """Return the nearest address above a form's that shows a page, as `/settings` is above `/settings/profile`."""
    pages = current_app.url_map.bind("")
    while path := path.rpartition("/")[0]:
        try:
            pages.match(path, method="GET")
        except HTTPException:
            continue
        return path
    return _FRONT
