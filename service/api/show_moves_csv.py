"""Answer a GET of a game's moves as CSV. This module knows no web framework."""

from __future__ import annotations

from collections.abc import Hashable

from service.api.application_context import Context
from service.api.authorization import Role, find_table
from service.api.requests import ApiRequest
from service.api.responses import ApiResponse, not_modified
from service.errors import NotFound
from service.queries import moves_csv


def show_moves_csv(context: Context, request: ApiRequest, *, kind: str, table_id: str) -> ApiResponse:
    """Return the moves of a started game as CSV."""
    known = request.known_tags()
    _, table, _ = find_table(context, request, kind, table_id, Role.READER, known=known, whole_log=True)
    request.refuse_unread_query()
    if table.header is None:
        raise NotFound("not_started", "The game has not started, so it has no moves yet.")
    tag = table.tag
    if request.knows(tag):
        return not_modified(tag)
    shown: Hashable = "csv", table_id, table.head, tuple(player.name for player in table.players)
    content = context.drawings.get(shown)
    if content is None:
        content = moves_csv.of_table(table)
        context.drawings.put(shown, content)
    headers = {
        "ETag": f'"{tag}"',
        "Content-Type": moves_csv.CONTENT_TYPE,
        "Content-Disposition": f'attachment; filename="nova-luna-{table_id}.csv"',
    }
    return ApiResponse(200, content, headers)
