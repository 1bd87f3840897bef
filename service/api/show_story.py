"""Answer a GET of the story of a finished game, as JSON or as SVG plots. This module knows no web framework."""

from __future__ import annotations

from collections.abc import Hashable

from engine.story import Story
from service.api.application_context import Context
from service.api.authorization import Role, find_table
from service.api.json_response import JSON
from service.api.json_text import encode
from service.api.requests import ApiRequest
from service.api.responses import ApiResponse, not_modified
from service.api.story_schemas import AUTO, StoryPlotQuery, story_json
from service.errors import Conflict, NotFound
from service.language.languages import language
from service.language.people import People
from service.pictures.palette import SCHEMES
from service.pictures.plots.story import StoryScene, draw_story
from service.pictures.style_sheet import FOLLOWING, digest, style_sheet
from service.queries import stories
from service.queries.table import LoadedTable

SVG = "image/svg+xml"

_QUERY = StoryPlotQuery()
_NO_QUERY = _QUERY.load({})
SCHEMES_OF_PLOTS = {AUTO: FOLLOWING, **SCHEMES}
PLOTS_POLICY = (
    f"default-src 'none'; style-src {digest(style_sheet())}; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'; sandbox"
)


def show_story(context: Context, request: ApiRequest, *, kind: str, table_id: str) -> ApiResponse:
    """Return the story of a finished game as JSON."""
    table = _finished(context, request, kind, table_id)
    request.refuse_unread_query()
    if request.knows(table.tag):
        return not_modified(table.tag)
    shown: Hashable = "story", table_id, table.head
    content = context.drawings.get(shown)
    if content is None:
        content = encode(story_json(_story(table))).encode()
        context.drawings.put(shown, content)
    return ApiResponse(200, content, {"ETag": f'"{table.tag}"', "Content-Type": JSON})


def show_story_plots(context: Context, request: ApiRequest, *, kind: str, table_id: str) -> ApiResponse:
    """Return the plots of a finished game's story as SVG."""
    table = _finished(context, request, kind, table_id)
    query = request.load_query(_QUERY, _NO_QUERY)
    if request.knows(table.tag):
        return not_modified(table.tag)
    names = table.names
    shown: Hashable = "plots", table_id, table.head, names, query["scheme"], query["language"]
    drawing = context.drawings.get(shown)
    if drawing is None:
        people = People(names, language=language(query["language"]))
        drawing = draw_story(StoryScene(_story(table), people, SCHEMES_OF_PLOTS[query["scheme"]])).encode()
        context.drawings.put(shown, drawing)
    headers = {
        "ETag": f'"{table.tag}"',
        "Content-Type": f"{SVG}; charset=utf-8",
        "Content-Security-Policy": PLOTS_POLICY,
        "Content-Language": query["language"],
    }
    return ApiResponse(200, drawing, headers)


def _finished(context: Context, request: ApiRequest, kind: str, table_id: str) -> LoadedTable:
    """Return the table, with its whole log unless the client has its state; refuse it while its game is not over."""
    known = request.known_tags()
    _, table, _ = find_table(context, request, kind, table_id, Role.READER, known=known, whole_log=True)
    if table.header is None:
        raise NotFound("not_started", "A game has a story once it is over; this one has not started.")
    if table.status != "finished":
        raise Conflict("not_over", "A game has a story once it is over; this one is running.", version=table.version)
    return table


def _story(table: LoadedTable) -> Story:
    return stories.of_table(table)
