"""Middleware that answers OPTIONS and HEAD for every path, in front of all code that answers other methods.

OPTIONS needs neither a token nor the database, so a browser's preflight request takes one round trip. HEAD is answered
like GET, without the body.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Flask
from werkzeug.exceptions import HTTPException

from service.api import cors
from service.api.middleware import ROUTE, route_of

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

    from werkzeug.routing import Map

_ALL = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
_NO_CONTENT = "204 NO CONTENT"


class Methods:
    """Middleware around an application whose routes are those of `routes`.

    The application calls `start_response` before it returns the body.
    """

    def __init__(self, app: WSGIApplication, routes: Map) -> None:
        self._app = app
        self._routes = routes.bind("")

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        method = environ["REQUEST_METHOD"]
        if method == "HEAD":
            return self._head(environ, start_response)
        if method == "OPTIONS" and (allowed := self._allowed(environ)):
            start_response(_NO_CONTENT, _options(environ["PATH_INFO"], ", ".join(sorted(allowed))))
            return ()
        return self._app(environ, start_response)

    def _head(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        environ["REQUEST_METHOD"] = "GET"
        body = self._app(environ, start_response)
        close = getattr(body, "close", None)
        if close is not None:
            close()
        return ()

    def _allowed(self, environ: WSGIEnvironment) -> Iterable[str]:
        """Return the methods of the requested path, none for an unknown one, which the application refuses.

        A preflight request for an unknown path of the API is allowed: otherwise the page could not read the refusal.
        """
        path = environ["PATH_INFO"].encode("latin-1").decode(errors="replace")
        if path == "*":  # RFC 9110, 9.3.7
            return _ALL
        try:
            rule, given = self._routes.match(path, method="OPTIONS", return_rule=True)
        except HTTPException:
            is_preflight = "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ
            return _ALL if is_preflight and cors.is_shared(path) else ()
        environ[ROUTE] = route_of(rule.rule, given)
        return self._routes.allowed_methods(path)


def init_app(app: Flask) -> None:
    """Answer OPTIONS and HEAD for all paths of an application."""
    app.wsgi_app = Methods(app.wsgi_app, app.url_map)  # type: ignore[method-assign]  # as Flask's documentation has it


def _options(path: str, allowed: str) -> list[tuple[str, str]]:
    return [("Allow", allowed), *(cors.preflight(allowed) if cors.is_shared(path) else ())]
