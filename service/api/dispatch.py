"""Dispatch the most frequent requests about a table, reads and moves, to their handlers without Flask.

Flask's contexts, routing and views take longer than the work of such a request, its statements included. This module
does nothing but dispatch: Flask's routes for the same addresses use the same handlers and the same table of errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import structlog
from flask import Flask

from service.api import errors
from service.api.application_context import Context
from service.api.make_move import make_move
from service.api.middleware import ROUTE, Route
from service.api.read_table import list_legal_moves, show_record
from service.api.requests import ApiRequest
from service.api.responses import ApiResponse
from service.api.show_board import show_board
from service.api.show_table import show_table
from service.api.spectators import Spectators

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

PATH = re.compile(r"/v1/(games|solo-sessions)/([A-Za-z0-9]{12})(/moves|/legal-moves|/record|/board\.svg)?")

_HANDLERS = {
    ("GET", None): show_table,
    ("GET", "/legal-moves"): list_legal_moves,
    ("GET", "/record"): show_record,
    ("GET", "/board.svg"): show_board,
    ("POST", "/moves"): make_move,
}
_READS = frozenset(handler for (method, _), handler in _HANDLERS.items() if method == "GET")
_KINDS = {"games": "match", "solo-sessions": "solo"}
_TEMPLATES = {
    (collection, below): f"/v1/{collection}/<id:{name}>{below or ''}"
    for collection, name in (("games", "game_id"), ("solo-sessions", "session_id"))
    for _, below in _HANDLERS
}
"""The templates of the addresses, as Flask's routes for them have them."""

_log = structlog.get_logger(__name__)


def init_app(app: Flask, context: Context) -> None:
    """Dispatch these requests to their handlers; pass all others to the application as before."""
    behind = app.wsgi_app
    spectators = None if context.replicas is None else Spectators(context, context.replicas)

    def dispatch(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        found = PATH.fullmatch(environ["PATH_INFO"])
        handler = found and _HANDLERS.get((environ["REQUEST_METHOD"], found[3]))
        if not found or handler is None:
            return behind(environ, start_response)
        collection, table_id, below = found.groups()
        environ[ROUTE] = Route(_TEMPLATES[collection, below], True, table_id)
        request = ApiRequest(environ)
        try:
            if spectators is not None and handler in _READS:
                response = spectators.answer(handler, environ, _KINDS[collection], table_id)
                if response is not None:
                    return response.send(start_response)
            response = handler(context, request, kind=_KINDS[collection], table_id=table_id)
        except Exception as error:  # noqa: BLE001  (nothing else would answer it)
            response = _response_to(error, request)
        if spectators is not None:
            spectators.note(table_id, response)
        return response.send(start_response)

    app.wsgi_app = dispatch  # type: ignore[method-assign]  # as Flask's documentation has it


def _response_to(error: Exception, request: ApiRequest) -> ApiResponse:
    language = request.language()
    response = errors.response_to(error, language)
    if response is None:
        _log.error("exception", exc_info=error)
        response = errors.of_status(500, language)
    return response
