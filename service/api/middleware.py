"""The outermost WSGI middleware, for every request, whichever part of the application answers it.

It adds the request id, which the response and each log line of the request carry, and the headers that every response
has; it measures the time, writes the log line, and counts the request in the metrics.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import Flask, request
from structlog.contextvars import bind_contextvars, unbind_contextvars

from service import metrics, request_log
from service.api.deprecation import Headers, headers_of
from service.api.headers import complete

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

ROUTE = "novaluna.route"
"""The key of the WSGI environ under which the code that answers a request puts its `Route`."""

_FAILED = "500 Internal Server Error"


class Route(NamedTuple):
    """The route that a request took.

    Attributes:
        template: the template of the path, for the metrics.
        is_known: whether the path belongs to a route. Any other path could contain anything, so it is not logged.
        table: the id of the table in the path.
    """

    template: str
    is_known: bool = True
    table: str | None = None


def route_of(template: str, given: Mapping[str, Any]) -> Route:
    """Return the route that was matched, with these values of the path's parameters."""
    return Route(template, "" not in given.values(), given.get("game_id") or given.get("session_id"))


_NO_ROUTE = Route(metrics.NO_ROUTE, is_known=False)


class RequestMiddleware:
    """The outermost middleware, around the whole application.

    Args:
        app: the application.
        clock: returns seconds, of which only differences count.
        deprecated: the headers that announce deprecated operations, by method and template of the path.
    """

    def __init__(
        self,
        app: WSGIApplication,
        clock: Callable[[], float] = time.perf_counter,
        deprecated: Mapping[tuple[str, str], Headers] | None = None,
    ) -> None:
        self._app = app
        self._clock = clock
        self._deprecated = deprecated or {}

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        began = self._clock()
        request_id, method, path = request_log.new_id(), environ["REQUEST_METHOD"], environ["PATH_INFO"]
        sent = _FAILED

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Callable[[bytes], object]:
            nonlocal sent
            sent = status
            complete(path, headers)
            if self._deprecated:
                headers.extend(self._deprecated.get((method, environ.get(ROUTE, _NO_ROUTE).template), ()))
            headers.append(("X-Request-Id", request_id))
            return start_response(status, headers, *error)

        bind_contextvars(request=request_id)
        try:
            return self._app(environ, start)
        finally:
            unbind_contextvars("request")
            status, seconds = int(sent[:3]), self._clock() - began
            route: Route = environ.get(ROUTE, _NO_ROUTE)
            request_log.answered(request_id, method, path if route.is_known else None, status, seconds, route.table)
            metrics.answered(method, route.template, status, seconds)


def init_app(app: Flask) -> None:
    """Wrap an application with all of its routes, and have it name the route of each request that Flask answers."""

    def name_route() -> None:
        if request.url_rule is not None:
            request.environ[ROUTE] = route_of(request.url_rule.rule, request.view_args or {})

    app.before_request(name_route)
    wrapped = RequestMiddleware(app.wsgi_app, deprecated=headers_of(app))
    app.wsgi_app = wrapped  # type: ignore[method-assign]  # as Flask's documentation has it
