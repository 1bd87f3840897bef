"""The log line of each request: its id, method, path, table's id, status and time; never its query, headers or body."""

import time
from datetime import UTC, datetime
from secrets import token_hex

import structlog
from flask import Flask, Response, g, request

from service.logs import encode, write


def answered(request_id: str, method: str, path: str | None, status: int, seconds: float, game: str | None) -> None:
    """Logs that a request was answered, in so many seconds; `path` is None if it could say anything."""
    about = f', "game": {encode(game)}' if game else ""
    at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    write(
        f'{{"logger": "service.http", "level": "info", "request": "{request_id}", "method": {encode(method)}, '
        f'"path": {encode(path)}, "status": {status}, "ms": {seconds * 1000:.1f}{about}, "event": "request", '
        f'"timestamp": "{at}"}}'
    )


def init_app(app: Flask) -> None:
    """Logs each request of an application, and gives it an id that its answer carries as ``X-Request-Id``."""

    def begin() -> None:
        g.request_id = bound = token_hex(8)
        g.began = time.perf_counter()
        structlog.contextvars.bind_contextvars(request=bound)

    def end(response: Response) -> Response:
        told = g._get_current_object()
        response.headers["X-Request-Id"] = told.request_id
        given = request.view_args or {}
        # The path of another address, or with what is no id, could say anything.
        known = request.url_rule and "" not in given.values()
        path = request.path if known else None
        game = given.get("game_id") or given.get("session_id")
        seconds = time.perf_counter() - told.began
        answered(told.request_id, request.method, path, response.status_code, seconds, game)
        return response

    def forget(error: BaseException | None) -> None:
        structlog.contextvars.unbind_contextvars("request")

    app.before_request(begin)
    app.after_request(end)
    app.teardown_request(forget)
