"""The requests that are sent most, a GET of a table and a move, answered in front of Flask.

What Flask does for such a request (contexts, routing, schemas, a dozen functions around the view) costs several times
what is done for it here, statements included. Only what is plain and goes well is answered here: `front_view` and
`front_move` know what that is. All else goes on to Flask, which would answer the plain ones alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask

from service.api import front_move, front_view
from service.api.json_response import JSON
from service.api.middleware import ROUTE, Route
from service.api.plain import Unplain

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

_ID = {"games": "game_id", "solo-sessions": "session_id"}


def init_app(app: Flask) -> None:
    """Answers such requests before the application does. It must be what a request comes to first."""
    behind = app.wsgi_app
    plain = {"GET": front_view, "POST": front_move}

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        method = environ["REQUEST_METHOD"]
        module = plain.get(method)
        named = module and not environ.get("QUERY_STRING") and module.PATH.fullmatch(environ["PATH_INFO"])
        if not module or not named:
            return behind(environ, start_response)
        collection, table_id = named.groups()
        try:
            found = module.answer(app, environ, collection, table_id)
        except Unplain:
            return behind(environ, start_response)
        headers = [("ETag", f'"{found.tag}"'), *found.headers]
        if found.body is not None:
            headers += [("Content-Type", JSON), ("Content-Length", str(len(found.body)))]
        environ[ROUTE] = Route(f"/v1/{collection}/<id:{_ID[collection]}>{module.BELOW}", table=table_id)
        start_response(found.status, headers)
        return () if found.body is None else (found.body,)

    app.wsgi_app = answer  # type: ignore[method-assign]  # as Flask's documentation has it
