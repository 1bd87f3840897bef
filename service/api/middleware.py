"""The outermost WSGI middleware: what every request has, whichever part of the application answers it.

Those are an id, which the answer and each log line of the request carry, the time it takes, its log line, its count in
the metrics, and the headers that every answer has.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import Flask, request
from structlog.contextvars import bind_contextvars, unbind_contextvars

from service import metrics, request_log
from service.api.headers import complete

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

ROUTE = "novaluna.route"
"""The key of the WSGI environ where whoever answers a request puts its `Route`."""

_FAILED = "500 Internal Server Error"


class Route(NamedTuple):
    """The route that a request took.

    Attributes:
        template: the template of its address, for the metrics.
        is_known: whether the path is that of an address there is; any other one could say anything, and is not logged.
        table: the id of the table in the path.
    """

    template: str
    is_known: bool = True
    table: str | None = None


_NO_ROUTE = Route(metrics.NO_ROUTE, is_known=False)


class RequestMiddleware:
    """Wraps the whole application. `clock` gives seconds; only differences count."""

    def __init__(self, app: WSGIApplication, clock: Callable[[], float] = time.perf_counter) -> None:
        self._app = app
        self._clock = clock

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        began = self._clock()
        request_id, path = token_hex(8), environ["PATH_INFO"]
        sent = _FAILED

        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Callable[[bytes], object]:
            nonlocal sent
            sent = status
            complete(path, headers)
            headers.append(("X-Request-Id", request_id))
            return start_response(status, headers, *error)

        bind_contextvars(request=request_id)
        try:
            return self._app(environ, start)
        finally:
            unbind_contextvars("request")
            method, status, seconds = environ["REQUEST_METHOD"], int(sent[:3]), self._clock() - began
            route: Route = environ.get(ROUTE, _NO_ROUTE)
            request_log.answered(request_id, method, path if route.is_known else None, status, seconds, route.table)
            metrics.answered(method, route.template, status, seconds)


def init_app(app: Flask) -> None:
    """Wrap an application, which tells the route of each request that it answers itself."""

    def name_route() -> None:
        rule, given = request.url_rule, request.view_args or {}
        if rule is not None:
            table = given.get("game_id") or given.get("session_id")
            request.environ[ROUTE] = Route(rule.rule, is_known="" not in given.values(), table=table)

    app.before_request(name_route)
    app.wsgi_app = RequestMiddleware(app.wsgi_app)  # type: ignore[method-assign]  # as Flask's documentation has it
