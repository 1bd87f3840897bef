"""The request that is sent most, a GET of a table, answered in front of Flask: this module is on the hot path.

Clients ask again and again how a game stands. What Flask does for such a request (contexts, routing, a dozen functions
around the view) costs several times what is done for it here, statement included. Whatever is out of the ordinary goes
on to Flask, which answers alike: a query, another method, a token or a condition that is oddly written. So do refusals,
with what was read already, so that nothing is read twice.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from secrets import token_hex
from typing import TYPE_CHECKING, NamedTuple

import psycopg
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from service import logs, metrics
from service.access import tokens
from service.api import game_view
from service.api.context import context_of, kept_tables_of
from service.api.game_answers import JSON, shown_as
from service.api.headers import BY_READER, NOSNIFF, OWN
from service.queries.table import Asking, LoadedTable, Reading

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

_HANDED = "novaluna.reading"

_PATH = re.compile("/v1/(games|solo-sessions)/([A-Za-z0-9]{12})")
_BEARER = re.compile(rf"[Bb]earer ({tokens.PATTERN.pattern})")
_ONE_TAG = re.compile(r'(?:W/)?"([0-9]+-[0-9]+)"')

_KIND = {"games": "match", "solo-sessions": "solo"}
_ROUTE = {"games": "/v1/games/<id:game_id>", "solo-sessions": "/v1/solo-sessions/<id:session_id>"}

_HEADERS = [NOSNIFF, OWN, BY_READER]


class _Asked(NamedTuple):
    """A request that can be answered here: for a table of this kind, by a token's hash, unless `tag` still holds."""

    kind: str
    table_id: str
    token: bytes | None
    tag: str | None


class _Answer(NamedTuple):
    status: str
    body: bytes | None
    tag: str


def init_app(app: Flask) -> None:
    """Answers such requests before the application does. It must be what a request comes to first."""
    behind = app.wsgi_app

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        asked = _asked(environ)
        if asked is None:
            return behind(environ, start_response)
        began = time.perf_counter()
        found = _answer(app, asked, environ)
        if found is None:
            return behind(environ, start_response)
        request_id = token_hex(8)
        headers = [("ETag", f'"{found.tag}"'), *_HEADERS, ("X-Request-Id", request_id)]
        if found.body is not None:
            headers += [("Content-Type", JSON), ("Content-Length", str(len(found.body)))]
        start_response(found.status, headers)
        status, seconds = int(found.status[:3]), time.perf_counter() - began
        logs.answered(request_id, "GET", environ["PATH_INFO"], status, seconds, asked.table_id)
        metrics.answered("GET", _ROUTE[asked.kind], status, seconds)
        return () if found.body is None else (found.body,)

    app.wsgi_app = answer  # type: ignore[method-assign]  # as Flask's documentation has it


def handed_on(environ: WSGIEnvironment) -> Reading | None:
    """What was read here for a request that is not answered here; raises what that reading raised. None: it was not."""
    handed: Reading | Exception | None = environ.pop(_HANDED, None)
    if isinstance(handed, Exception):
        raise handed
    return handed


def _asked(environ: WSGIEnvironment) -> _Asked | None:
    """What is asked for; None where it is not a plain GET of a table."""
    if environ["REQUEST_METHOD"] != "GET" or environ.get("QUERY_STRING"):
        return None
    path = _PATH.fullmatch(environ["PATH_INFO"])
    if path is None:
        return None
    token = tag = None
    if "HTTP_AUTHORIZATION" in environ:
        bearer = _BEARER.fullmatch(environ["HTTP_AUTHORIZATION"])
        if bearer is None:
            return None
        token = tokens.hash_of(bearer[1])
    if "HTTP_IF_NONE_MATCH" in environ:
        named = _ONE_TAG.fullmatch(environ["HTTP_IF_NONE_MATCH"])
        if named is None:
            return None
        tag = named[1]
    return _Asked(path[1], path[2], token, tag)


def _answer(app: Flask, asked: _Asked, environ: WSGIEnvironment) -> _Answer | None:
    """The answer; None where it is Flask's to say what is wrong."""
    context, kept = context_of(app), kept_tables_of(app)
    known = () if asked.tag is None else (asked.tag,)
    try:
        reading = kept.read(context.straight, asked.table_id, Asking(asked.token, context.clock()), known)
    except (psycopg.Error, SQLAlchemyError) as error:
        environ[_HANDED] = error
        return None
    account, table = reading.account, reading.table
    if (asked.token is not None and account is None) or table is None or not _is_seen(table, asked.kind, account):
        environ[_HANDED] = reading
        return None
    tag = table.tag
    if tag == asked.tag:
        kept.keep(table)
        return _Answer("304 NOT MODIFIED", None, tag)
    body = kept.body(table)
    if body is None:
        body = shown_as(table)
    kept.keep(table, body)
    return _Answer("200 OK", game_view.with_you(body, table.seat_of(account)), tag)


def _is_seen(table: LoadedTable, kind: str, account: str | None) -> bool:
    return table.table.kind == _KIND[kind] and table.may_be_read_by(account)
