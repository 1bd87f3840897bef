"""Answer a GET of a table as SVG. This module is on the hot path, and independent of the web framework.

To draw takes some milliseconds, and pages and programs often show the same picture, so the last drawings are cached.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from marshmallow import Schema, fields

from engine.moves import MOST
from engine.phrases import Phrase, phrase
from service.api.application_context import Context
from service.api.authorization import FoundTable, find_table
from service.api.fields import Head, QueryWhole
from service.api.past_states import AskedState, replay_at, state_asked_for
from service.api.requests import ApiRequest, refuse
from service.api.responses import ApiResponse, not_modified
from service.api.schema import RequestSchema
from service.api.validators import Matching, OneOf, Range
from service.errors import NotFound
from service.language.languages import CODES, language
from service.language.people import People
from service.pictures.palette import SCHEMES
from service.pictures.scene import Part, Scene
from service.pictures.table import draw
from service.queries.table import LoadedTable

SVG = "image/svg+xml"

GOAL = "^([1-9]|[1-5][0-9]|6[0-8])[.][1-3]$"
"""The pattern of a goal's name."""

_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"


class BoardQuery(RequestSchema):
    """The options of a picture."""

    at = QueryWhole(
        validate=Range(0, MOST),
        metadata={"description": "Draw the table as it was at this version; without this, as it is now.", "example": 1},
    )
    head = Head()
    seat = QueryWhole(
        validate=Range(0, 3),
        metadata={
            "description": "The seat whose display comes first, or is the only one to be shown; without this, the"
            " player to"
            " move or, at the end, the winner."
        },
    )
    part = fields.String(
        load_default=Part.TABLE.value,
        validate=OneOf([part.value for part in Part]),
        metadata={"description": "The part of the table to draw.", "example": "display"},
    )
    why = fields.String(
        validate=Matching(GOAL, phrase("Must be a tile's id, a period and which of its goals, such as 34.2.")),
        metadata={
            "pattern": GOAL,
            "description": "A goal as the text notation names it, counted from 1, such as `34.2`: the picture shows"
            " over the display why it is met or not, and its description says so. If no tile that is placed at this"
            " version has such a goal, the answer is 404 `no_such_goal`.",
        },
    )
    scheme = fields.String(
        load_default="light",
        validate=OneOf(list(SCHEMES)),
        metadata={"description": "The color scheme of the background around the board.", "example": "dark"},
    )
    language = fields.String(
        load_default="en",
        validate=OneOf(CODES),
        metadata={"description": "The language of the text in the picture, and of its description.", "example": "fr"},
    )


class SoloBoardQuery(BoardQuery):
    """The options of a picture of a solo, which has one seat and no moon track."""

    seat = QueryWhole(validate=Range(0, 0), metadata={"description": "The only seat."})
    part = fields.String(
        load_default=Part.TABLE.value,
        validate=OneOf([part.value for part in Part if part is not Part.TRACK]),
        metadata={"description": "The part of the table to draw.", "example": "display"},
    )


QUERIES: dict[str, Schema] = {"match": BoardQuery(), "solo": SoloBoardQuery()}
"""The schema of the query of a picture, by the kind of its table."""

_NO_QUERY = {kind: loader.load({}) for kind, loader in QUERIES.items()}


class Pictured:
    """A table of which a picture is requested, with the version to draw, its head and its ETag."""

    def __init__(self, found: FoundTable, query: Mapping[str, Any]) -> None:
        self.account, self.table, _ = found
        self.query = query
        self._state = _state(self.table, query)
        self.tag = self._state.tag

    @property
    def shown(self) -> Hashable:
        """The cache key: everything that the picture depends on.

        The version alone is too little: after a restore, the game may reach the same version with another head. The
        revision is too much, because it grows with each message.
        """
        table = self.table
        names = table.names
        asked = (self.query.get(name) for name in ("seat", "part", "scheme", "language", "why"))
        return table.table.id, self._state.version, self._state.head, names, str(table.caution or ""), *asked

    def drawn(self, *, only_shipped_type: bool = False) -> str:
        """Return the drawing as SVG."""
        return draw(self._scene(only_shipped_type=only_shipped_type), Part(self.query["part"]))

    def check_goal(self) -> None:
        """Refuse a goal to be explained that no tile on a display has."""
        if "why" in self.query:
            self._scene()

    def _scene(self, *, only_shipped_type: bool = False) -> Scene:
        return scene_of(self.table, self._state.version, self.query, only_shipped_type=only_shipped_type)

    def headers(self) -> dict[str, str]:
        """Return the headers of the response, also of a 304."""
        return self._state.headers()

    def keep(self, context: Context) -> None:
        """Cache the table for later requests, unless a past state was requested."""
        if "at" not in self.query:
            context.tables.put(self.table)


def picture_asked_for(context: Context, request: ApiRequest, kind: str, table_id: str) -> Pictured:
    """Look up the table of a picture: with the whole log for a past state, otherwise using the cache."""
    past, explains = request.asks_for_past(), "why" in request.args
    known = () if past or explains else request.known_tags()
    found = find_table(context, request, kind, table_id, known=known, whole_log=past)
    asked = Pictured(found, request.load_query(QUERIES[kind], _NO_QUERY[kind]))
    asked.check_goal()
    return asked


def show_board(context: Context, request: ApiRequest, *, kind: str, table_id: str) -> ApiResponse:
    """Return a table as SVG."""
    asked = picture_asked_for(context, request, kind, table_id)
    response = svg_response(context, request, asked)
    asked.keep(context)
    return response


def svg_response(context: Context, request: ApiRequest, asked: Pictured) -> ApiResponse:
    """Return the response with a picture as SVG."""
    if request.knows(asked.tag):
        return not_modified(asked.tag)._replace(headers=asked.headers())
    shown = asked.shown
    drawing = context.drawings.get(shown)
    if drawing is None:
        drawing = asked.drawn().encode()
        context.drawings.put(shown, drawing)
    headers = {
        **asked.headers(),
        "Content-Type": f"{SVG}; charset=utf-8",
        "Content-Security-Policy": _POLICY,
        "Content-Language": asked.query["language"],
    }
    return ApiResponse(200, drawing, headers)


def _state(table: LoadedTable, query: Mapping[str, Any]) -> AskedState:
    """Return the state to draw; refuse it if the game, the version or the seat does not exist."""
    if table.header is None:
        raise NotFound("not_started", "The game has not started, so it has no pictures yet.")
    state = state_asked_for(table, query)
    if query.get("seat", 0) >= table.table.seats:
        last = table.table.seats - 1
        refuse("query", {"seat": [phrase("Must be from %(least)s to %(most)s.", least=0, most=last)]})
    if table.table.kind == "solo" and query.get("part") == Part.TRACK:
        refuse("query", {"part": [Phrase("A solo has no moon track (5.1).")]})
    return state


def scene_of(table: LoadedTable, version: int, query: Mapping[str, Any], *, only_shipped_type: bool = False) -> Scene:
    """Return the scene that a picture of a table at a version shows, as its query asks for.

    Raises:
        NotFound: no tile that is placed there has the goal to be explained.
    """
    game = replay_at(table, version)
    step = game.last[1] if game.last else None
    scene = Scene(
        state=game.state,
        people=People(table.names, language=language(query["language"])),
        version=game.last[0].seq if game.last else 0,
        last=(step.tile, step.seat) if step and step.tile is not None and step.seat is not None else None,
        seat=query.get("seat"),
        scheme=SCHEMES[query["scheme"]],
        only_shipped_type=only_shipped_type,
        why=goal_named(query["why"]) if "why" in query else None,
        caution="" if table.caution is None else language(query["language"]).say(table.caution),
    )
    if scene.why is not None and scene.explained is None:
        detail = phrase(
            "No tile that is placed at version %(version)s has a goal %(goal)s.", version=version, goal=query["why"]
        )
        raise NotFound("no_such_goal", detail)
    return scene


def goal_named(name: str) -> tuple[int, int]:
    """Return a goal's tile and its index, from its name in the form of `GOAL`."""
    tile, _, number = name.partition(".")
    return int(tile), int(number) - 1
