"""Where Flask and the handlers meet that know no framework: the request as a value, and responses as Flask's."""

from __future__ import annotations

from typing import Protocol

import psycopg
from flask import Flask, Response, current_app, has_request_context, request
from gunicorn.http.errors import ParseException
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from service.api import errors
from service.api.context import Context, context_of
from service.api.requests import ApiRequest
from service.api.responses import ApiResponse
from service.errors import Refusal
from service.language.languages import ENGLISH, Language

_REQUEST = "novaluna.request"


def current_request() -> ApiRequest:
    """Return the request that Flask is answering."""
    found: ApiRequest | None = request.environ.get(_REQUEST)
    if found is None:
        found = request.environ[_REQUEST] = ApiRequest(request.environ)
    return found


def asked_language() -> Language:
    """Return the language that this request's Accept-Language prefers of those there are; else English, as without a
    request."""
    return current_request().language() if has_request_context() else ENGLISH


def to_flask(response: ApiResponse) -> Response:
    """Return a response as Flask sends it."""
    sent = Response(response.body, response.status)
    sent.headers.remove("Content-Type")  # that of Flask, where the response has none
    sent.headers.update(response.headers)
    return sent


class TableHandler(Protocol):
    """Answers a request about a table."""

    def __call__(self, context: Context, request: ApiRequest, *, kind: str, table_id: str) -> ApiResponse:
        """Return the response; raises a `Refusal`, or what else `service.api.errors` has in its table."""


def answered(handler: TableHandler, *, kind: str, table_id: str) -> Response:
    """Answer the request about a table that Flask has routed by a handler that knows no framework."""
    return to_flask(handler(context_of(current_app), current_request(), kind=kind, table_id=table_id))


def refused(error: Exception) -> Response:
    """Answer with what an error says to the client; raises the error again if that is a fault of ours."""
    response = errors.response_to(error, asked_language())
    if response is None:
        raise error
    return to_flask(response)


def init_app(app: Flask) -> None:
    """Register the handler of everything that is no ``HTTPException`` (flask-smorest's ``Api`` takes those)."""
    for kind in (Refusal, ParseException, DBAPIError, psycopg.Error, PoolTimeout):
        app.register_error_handler(kind, refused)
