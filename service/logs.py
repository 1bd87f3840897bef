"""Log lines: one JSON object each, on standard output, without secrets and without anything personal.

A request is logged by its id, method, path, table's id, status and time; never its query, headers or body. An error is
logged by the kinds of the exceptions and where they rose; the text of a database error stays out, as it can quote a row.
"""

import json
import logging
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from secrets import token_hex
from typing import Any, TextIO

import structlog
from flask import Flask, Response, g, request
from psycopg import Error as PostgresError
from sqlalchemy.exc import SQLAlchemyError
from structlog.typing import EventDict, WrappedLogger

_FRAMES = 12

#: What the text of an error could quote: an address, a mailed code, a token or what signs a link.
_PRIVATE = re.compile(
    r"[^\s<>\"'(),;:]+@[^\s<>\"'(),;:]+"
    r"|\b[0-9A-Z]{5}-[0-9A-Z]{5}\b"
    r"|(?=[\w=-]*[A-Z])(?=[\w=-]*[a-z])[\w=-]{25,}"
)

_encode = json.JSONEncoder(default=repr).encode  # one encoder for all lines: making it takes longer than using it


class _Lines(structlog.WriteLogger):
    """Writes the lines of one named logger, past the machinery of ``logging``: that takes longer than some requests."""

    def __init__(self, stream: TextIO, name: str = "") -> None:
        super().__init__(stream)
        self.name = name


def _as_json(logger: WrappedLogger, method: str, event: EventDict) -> str:
    return _encode(event)


def _silent(line: str) -> None:
    """Nobody has said where lines go."""


_write: Callable[[str], object] = _silent
"""Writes the line of a request. That is put together here: all that structlog does for a line takes longer than what a
short request does."""


def configure(stream: TextIO = sys.stdout, level: int = logging.INFO) -> None:
    """Sets up logging for this process: structlog's own lines and those of libraries alike."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        describe_error,
    ]
    structlog.configure(
        processors=[*shared, _as_json],
        logger_factory=lambda *names: _Lines(stream, *names),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=True,
    )
    global _write
    _write = _Lines(stream).msg if level <= logging.INFO else _silent
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _as_json],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)


def describe_error(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Puts an exception into the line as ``error``: its chain of kinds, texts and places, the innermost last."""
    given = event.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()
    error = given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        event["error"] = [_described(link) for link in _chain(error)]
    return event


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _described(error: BaseException) -> dict[str, Any]:
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    described: dict[str, Any] = {
        "kind": f"{type(error).__module__}.{type(error).__qualname__}",
        "where": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }
    if isinstance(error, PostgresError):
        described["sqlstate"] = error.sqlstate
    elif not isinstance(error, SQLAlchemyError):
        described["text"] = _PRIVATE.sub("…", str(error))
    return described


def answered(request_id: str, method: str, path: str | None, status: int, seconds: float, game: str | None) -> None:
    """Logs that a request was answered, in so many seconds; `path` is None if it could say anything."""
    about = f', "game": {_encode(game)}' if game else ""
    at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    _write(
        f'{{"logger": "service.http", "level": "info", "request": "{request_id}", "method": {_encode(method)}, '
        f'"path": {_encode(path)}, "status": {status}, "ms": {seconds * 1000:.1f}{about}, "event": "request", '
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
