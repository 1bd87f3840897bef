"""Answer a GET of the legal moves or the record of a table.

This module is on the hot path, and independent of the web framework.
"""

from __future__ import annotations

from engine.notation import MEDIA_TYPE
from engine.phrases import phrase
from service.api.authorization import Role, admit, find_table
from service.api.context import Context
from service.api.json_response import JSON, encode
from service.api.requests import ApiRequest
from service.api.responses import ApiResponse, not_modified
from service.errors import NotAcceptable, NotFound
from service.queries import legal, records
from service.queries.table import RequestCaller, read_chained

RECORD_TYPES = (JSON, MEDIA_TYPE, "text/plain")
"""The media types of a record, the default first; both kinds of text are `nova-luna-text/1`."""

_TEXT = "-text"
"""The end of the ETag of a record's text, which is another representation than its JSON."""


def list_legal_moves(context: Context, request: ApiRequest, *, kind: str, table_id: str) -> ApiResponse:
    """Return the legal moves of the player to move."""
    _, table, _ = find_table(context, request, kind, table_id, known=request.known_tags())
    request.refuse_unread_query()
    tag = table.tag
    if request.knows(tag):
        context.tables.put(table)
        return not_modified(tag)
    state = table.state if table.header else None
    seat = state.turn if state else None
    can = legal.moves(state, seat) if state else legal.NONE
    context.tables.put(table)
    shown = {"version": table.version, "seat": seat, **can}
    return ApiResponse(200, encode(shown).encode(), {"ETag": f'"{tag}"', "Content-Type": JSON})


def show_record(context: Context, request: ApiRequest, *, kind: str, table_id: str) -> ApiResponse:
    """Return the record of a game as JSON, or as text if the request prefers that; raise NotFound before the start."""
    media_type = request.preferred_type(RECORD_TYPES)
    if media_type is None:
        raise NotAcceptable("not_acceptable", phrase("This is sent as %(types)s.", types=", ".join(RECORD_TYPES)))
    as_text = media_type != JSON
    suffix = _TEXT if as_text else ""
    cached = context.records.get(table_id + suffix)
    known = [tag.removesuffix(suffix) for tag in request.known_tags() if tag.endswith(suffix)]
    if cached:
        known.append(cached[0])
    token = request.token_hash()
    found = read_chained(context.pool, table_id, RequestCaller(token, context.clock()), known)
    admit(found.access, kind, Role.READER, token)
    request.refuse_unread_query()
    table = found.table
    if table is None or table.header is None:
        raise NotFound("not_started", "A game has a record from its start on.")
    tag = table.tag
    if request.knows(tag + suffix):
        return not_modified(tag + suffix, vary="Accept")
    if cached and cached[0] == tag:
        content = cached[1]
    else:
        content = records.chained_line(table, found.hashes)
        if as_text:
            content = records.notated(content)
        context.records.put(table_id + suffix, tag, content)
    spelled = f"{media_type}; charset=utf-8" if as_text else JSON
    return ApiResponse(200, content, {"ETag": f'"{tag}{suffix}"', "Content-Type": spelled, "Vary": "Accept"})
