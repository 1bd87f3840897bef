"""Answer a GET of a table as SVG. This module is on the hot path, and independent of the web framework.

To draw takes some milliseconds, and pages and programs often show the same picture, so the last drawings are cached.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from marshmallow import Schema, fields

from engine.moves import MOST
from engine.phrases import phrase
from service.api.authorization import FoundTable, find_table
from service.api.context import Context
from service.api.fields import Head, QueryWhole
from service.api.past_states import AskedState, replay_at, state_asked_for
from service.api.requests import ApiRequest, refuse
from service.api.responses import ApiResponse, not_modified
from service.api.schema import RequestSchema
from service.api.validators import OneOf, Range
from service.errors import NotFound
from service.language.languages import CODES, language
from service.language.people import People
from service.pictures.palette import SCHEMES
from service.pictures.scene import Part, Scene
from service.pictures.table import draw
from service.queries.table import LoadedTable

SVG = "image/svg+xml"

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
        names = tuple(table.name_of(seat) for seat in range(table.table.seats))
        asked = (self.query.get(name) for name in ("seat", "part", "scheme", "language"))
        return table.table.id, self._state.version, self._state.head, names, *asked

    def drawn(self, *, only_shipped_type: bool = False) -> str:
        """Return the drawing as SVG."""
        scene = scene_of(self.table, self._state.version, self.query, only_shipped_type=only_shipped_type)
        return draw(scene, Part(self.query["part"]))

    def headers(self) -> dict[str, str]:
        """Return the headers of the response, also of a 304."""
        return self._state.headers()

    def keep(self, context: Context) -> None:
        """Cache the table for later requests, unless a past state was requested."""
        if "at" not in self.query:
            context.tables.put(self.table)


def picture_asked_for(context: Context, request: ApiRequest, kind: str, table_id: str) -> Pictured:
    """Look up the table of a picture: with the whole log for a past state, otherwise using the cache."""
    past = request.asks_for_past()
    found = find_table(context, request, kind, table_id, known=() if past else request.known_tags(), whole_log=past)
    return Pictured(found, request.load_query(QUERIES[kind], _NO_QUERY[kind]))


def show_board(context: Context, request: ApiRequest, *, kind: str, table_id: str) -> ApiResponse:
    """Return a table as SVG."""
    asked = picture_asked_for(context, request, kind, table_id)
    if request.knows(asked.tag):
        asked.keep(context)
        return not_modified(asked.tag)._replace(headers=asked.headers())
    shown = asked.shown
    drawing = context.drawings.get(shown)
    if drawing is None:
        drawing = asked.drawn().encode()
        context.drawings.put(shown, drawing)
    asked.keep(context)
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
        raise NotFound("not_started", "A game has pictures from its start on.")
    state = state_asked_for(table, query)
    if query.get("seat", 0) >= table.table.seats:
        last = table.table.seats - 1
        refuse("query", {"seat": [phrase("Must be from %(least)s to %(most)s.", least=0, most=last)]})
    return state


def scene_of(table: LoadedTable, version: int, query: Mapping[str, Any], *, only_shipped_type: bool = False) -> Scene:
    """Return what a picture of a table at a version shows, as its query asks for."""
    game = replay_at(table, version)
    step = game.last[1] if game.last else None
    return Scene(
        state=game.state,
        people=People(
            tuple(table.name_of(seat) for seat in range(table.table.seats)), language=language(query["language"])
        ),
        version=game.last[0].seq if game.last else 0,
        last=(step.tile, step.seat) if step and step.tile is not None and step.seat is not None else None,
        seat=query.get("seat"),
        scheme=SCHEMES[query["scheme"]],
        only_shipped_type=only_shipped_type,
    )
