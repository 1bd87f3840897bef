"""Answer a GET of a table. This module is on the hot path, and independent of the web framework."""

from __future__ import annotations

from service.api import game_view
from service.api.application_context import Context
from service.api.authorization import FoundTable, find_table
from service.api.move_feed import feed_link
from service.api.move_schemas import ViewQuery
from service.api.past_states import replay_at, state_asked_for
from service.api.requests import ApiRequest
from service.api.responses import ApiResponse, not_modified, table_response

_QUERY = ViewQuery()
_NO_QUERY = _QUERY.load({})


def show_table(context: Context, request: ApiRequest, *, kind: str, table_id: str) -> ApiResponse:
    """Return a table as it is or, if the query names a version or a head, as it was."""
    past = request.asks_for_past()
    found = find_table(context, request, kind, table_id, known=() if past else request.known_tags(), whole_log=past)
    query = request.load_query(_QUERY, _NO_QUERY)
    if not found.table.is_clock_known:  # the previous release made the last entry
        found = find_table(context, request, kind, table_id, whole_log=True)
    if past:
        return _as_it_was(request, found, query)
    account, table, _ = found
    tag = table.tag
    if request.knows(tag):
        context.tables.put(table)
        return not_modified(tag)
    view = context.tables.view(table) or game_view.of_table(table)
    context.tables.put(table, view)
    link = feed_link(table_id) if kind == "match" and table.table.visibility == "public" else None
    return table_response(table, table.seat_of(account), view, context.clock(), tag=tag, link=link)


def _as_it_was(request: ApiRequest, found: FoundTable, query: dict[str, object]) -> ApiResponse:
    account, table, _ = found
    state = state_asked_for(table, query, for_reader=True)
    if request.knows(state.tag):
        return ApiResponse(304, None, state.headers())
    game = replay_at(table, state.version) if table.header else None
    shown = table_response(table, table.seat_of(account), game_view.render(table, game), None, tag=state.tag)
    return shown._replace(headers={**shown.headers, **state.headers()})
