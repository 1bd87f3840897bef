"""Answer a GET of the legal moves or the record of a table.

This module is on the hot path, and independent of the web framework.
"""

from __future__ import annotations

from engine.notation import MEDIA_TYPE
from engine.phrases import phrase
from service.api.application_context import Context
from service.api.authorization import Role, admit, find_table
from service.api.json_text import encode
from service.api.move_schemas import ViewQuery
from service.api.past_states import replay_at, state_asked_for
from service.api.requests import JSON, ApiRequest
from service.api.responses import ApiResponse
from service.errors import NotAcceptable, NotFound
from service.queries import legal, records
from service.queries.table import RequestCaller, read_chained

RECORD_TYPES = (JSON, MEDIA_TYPE, "text/plain")
"""The media types of a record, the default first; both kinds of text are `nova-luna-text/1`."""

BY_TYPE = {"Vary": "Accept"}
"""The header of a record, which is sent as the type that the client accepts."""

_QUERY = ViewQuery()
_NO_QUERY = _QUERY.load({})

TEXT_SUFFIX = "-text"
"""The end of the ETag of a record's text, which is another representation than its JSON."""


def record_type_asked_for(request: ApiRequest) -> str:
    """Return the media type in which a client wants a record.

    Raises:
        NotAcceptable: a record is sent as none of those that it accepts (`not_acceptable`).
    """
    media_type = request.preferred_type(RECORD_TYPES)
    if media_type is None:
        raise NotAcceptable("not_acceptable", phrase("This is sent as %(types)s.", types=", ".join(RECORD_TYPES)))
    return media_type


def list_legal_moves(context: Context, request: ApiRequest, *, kind: str, table_id: str) -> ApiResponse:
    """Return the legal moves of the player to move or, if the query names a version or a head, as they were there."""
    past = request.asks_for_past()
    known = () if past else request.known_tags()
    _, table, _ = find_table(context, request, kind, table_id, known=known, whole_log=past)
    asked = state_asked_for(table, request.load_query(_QUERY, _NO_QUERY))
    if request.knows(asked.tag):
        if not past:
            context.tables.put(table)
        return ApiResponse(304, None, asked.headers())
    state = replay_at(table, asked.version).state if table.header else None
    seat = state.turn if state else None
    can = legal.moves(state, seat) if state else legal.NONE
    if not past:
        context.tables.put(table)
    shown = {"version": asked.version, "seat": seat, **can}
    return ApiResponse(200, encode(shown).encode(), {**asked.headers(), "Content-Type": JSON})


def show_record(context: Context, request: ApiRequest, *, kind: str, table_id: str) -> ApiResponse:
    """Return the record of a game as JSON, or as text if the request prefers that; raise NotFound before the start.

    If the query names a version or a head, it is the record that the game had there.
    """
    media_type = record_type_asked_for(request)
    as_text = media_type != JSON
    suffix = TEXT_SUFFIX if as_text else ""
    past = request.asks_for_past()
    cached = None if past else context.records.get(table_id + suffix)
    known = [] if past else [tag.removesuffix(suffix) for tag in request.known_tags() if tag.endswith(suffix)]
    if cached:
        known.append(cached[0])
    token = request.token_hash()
    found = read_chained(context.pool, table_id, RequestCaller(token, context.clock()), known)
    admit(found.access, kind, Role.READER, token)
    query = request.load_query(_QUERY, _NO_QUERY)
    table = found.table
    if table is None or table.header is None:
        raise NotFound("not_started", "The game has not started, so it has no record yet.")
    asked = state_asked_for(table, query)
    headers = {**asked.headers(suffix), **BY_TYPE}
    if request.knows(asked.tag + suffix):
        return ApiResponse(304, None, headers)
    if cached and cached[0] == asked.tag:
        content = cached[1]
    else:
        content = records.chained_line(table, found.hashes, asked.version)
        if as_text:
            content = records.notated(content)
        if not past:
            context.records.put(table_id + suffix, asked.tag, content)
    return ApiResponse(200, content, {**headers, "Content-Type": f"{media_type}; charset=utf-8" if as_text else JSON})
