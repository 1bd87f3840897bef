"""Answer a GET of the legal moves or the record of a table.

This module is on the hot path, and independent of the web framework.
"""

from __future__ import annotations

from service.api.authorization import Role, admit, find_table
from service.api.context import Context
from service.api.json_response import JSON, encode
from service.api.requests import ApiRequest
from service.api.responses import ApiResponse, not_modified
from service.errors import NotFound
from service.queries import legal, records
from service.queries.table import RequestCaller, read_chained


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
    """Return the record of a game; raise NotFound before the start."""
    cached = context.records.get(table_id)
    known = [*request.known_tags(), cached[0]] if cached else request.known_tags()
    token = request.token_hash()
    found = read_chained(context.pool, table_id, RequestCaller(token, context.clock()), known)
    admit(found.access, kind, Role.READER, token)
    request.refuse_unread_query()
    table = found.table
    if table is None or table.header is None:
        raise NotFound("not_started", "A game has a record from its start on.")
    tag = table.tag
    if request.knows(tag):
        return not_modified(tag)
    if cached and cached[0] == tag:
        line = cached[1]
    else:
        line = records.chained_line(table, found.hashes)
        context.records.put(table_id, tag, line)
    return ApiResponse(200, line, {"ETag": f'"{tag}"', "Content-Type": JSON})
