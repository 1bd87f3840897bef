"""The adapter between Flask and the framework-independent handlers: it converts requests and responses."""

from __future__ import annotations

from typing import Protocol

from flask import Flask, Response, current_app, has_request_context, request
from werkzeug.exceptions import HTTPException

from service.api import errors
from service.api.application_context import Context
from service.api.context import context_of
from service.api.requests import ApiRequest
from service.api.responses import ApiResponse
from service.language.languages import ENGLISH, Language

_REQUEST = "novaluna.request"


def current_request() -> ApiRequest:
    """Return Flask's current request as an `ApiRequest`."""
    found: ApiRequest | None = request.environ.get(_REQUEST)
    if found is None:
        found = request.environ[_REQUEST] = ApiRequest(request.environ)
    return found


def asked_language() -> Language:
    """Return the language that the request's Accept-Language prefers; English if there is none, or no request."""
    return current_request().language() if has_request_context() else ENGLISH


def to_flask(response: ApiResponse) -> Response:
    """Convert a response to Flask's."""
    sent = Response(response.body, response.status)
    sent.headers.remove("Content-Type")  # Flask's default; the response may have none
    sent.headers.update(response.headers)
    return sent


class TableHandler(Protocol):
    """A handler of requests about a table."""

    def __call__(self, context: Context, request: ApiRequest, *, kind: str, table_id: str) -> ApiResponse:
        """Return the response, or raise an exception that `service.api.errors` maps, such as a `Refusal`."""


def answered(handler: TableHandler, *, kind: str, table_id: str) -> Response:
    """Answer Flask's current request about a table by a framework-independent handler."""
    return to_flask(handler(context_of(current_app), current_request(), kind=kind, table_id=table_id))


def refused(error: Exception) -> Response:
    """Return the response that reports an error to the client; raise it again if it is an internal error."""
    response = errors.response_to(error, asked_language())
    if response is None:
        raise error
    return to_flask(response)


def init_app(app: Flask) -> None:
    """Register the error handler of all but ``HTTPException``, which flask-smorest's ``Api`` handles."""
    for kind in errors.TOLD:
        if kind is not HTTPException:
            app.register_error_handler(kind, refused)
