"""Draw a table as SVG for whoever asks: this module is on the hot path, as pages and programs show the same picture often.

It knows no web framework. A drawing takes some milliseconds, so the last ones are cached.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from marshmallow import Schema, fields

from engine.moves import MOST
from engine.saying import said
from service.api.authorization import FoundTable, find_table
from service.api.context import Context
from service.api.fields import Head, QueryWhole
from service.api.past_states import state_asked_for
from service.api.requests import ApiRequest, refuse
from service.api.responses import ApiResponse, not_modified
from service.api.schema import Given
from service.api.validators import OneOf, Range
from service.errors import NotFound
from service.language.languages import CODES, language
from service.language.people import People
from service.pictures.palette import SCHEMES
from service.pictures.scene import Part, Scene
from service.pictures.table import draw
from service.queries import replay
from service.queries.table import LoadedTable

SVG = "image/svg+xml"

_PAST = "max-age=86400, immutable"
"""For a day, since names can change and be erased, and the past is shown with the names of now."""

_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"


class BoardQuery(Given):
    """What is to be seen."""

    at = QueryWhole(
        validate=Range(0, MOST),
        metadata={"description": "The table as it was at this version; without it as it is.", "example": 1},
    )
    head = Head()
    seat = QueryWhole(
        validate=Range(0, 3),
        metadata={
            "description": "Whose display comes first, or is the one that is shown; without it that of the player to"
            " move, at the end that of the winner."
        },
    )
    part = fields.String(
        load_default=Part.TABLE.value,
        validate=OneOf([part.value for part in Part]),
        metadata={"description": "What of the table is shown.", "example": "display"},
    )
    scheme = fields.String(
        load_default="light",
        validate=OneOf(list(SCHEMES)),
        metadata={"description": "The ground around the board.", "example": "dark"},
    )
    language = fields.String(
        load_default="en",
        validate=OneOf(CODES),
        metadata={"description": "Of the words on it, and of those that tell it.", "example": "fr"},
    )


class SoloBoardQuery(BoardQuery):
    """What is to be seen; a solo has one seat and no moon track."""

    seat = QueryWhole(validate=Range(0, 0), metadata={"description": "The only one there is."})
    part = fields.String(
        load_default=Part.TABLE.value,
        validate=OneOf([part.value for part in Part if part is not Part.TRACK]),
        metadata={"description": "What of the table is shown.", "example": "display"},
    )


QUERIES: dict[str, Schema] = {"match": BoardQuery(), "solo": SoloBoardQuery()}
"""What loads the query of a picture, by the kind of its table."""

_NO_QUERY = {kind: loader.load({}) for kind, loader in QUERIES.items()}


class Pictured:
    """A table that a picture is asked of, and which one: a version of it, whose head and ETag these are."""

    def __init__(self, found: FoundTable, query: Mapping[str, Any]) -> None:
        self.account, self.table, _ = found
        self.query = query
        self.version, self.head = _version(self.table, query)
        self.tag = f"{self.version}-{self.table.table.revision}-{self.head}"

    @property
    def shown(self) -> Hashable:
        """All that the picture depends on. A version's number says too little: after a backup was restored another game
        may come to the same one, with another head. The revision says too much, as it grows with each message."""
        table = self.table
        names = tuple(table.name_of(seat) for seat in range(table.table.seats))
        asked = (self.query.get(name) for name in ("seat", "part", "scheme", "language"))
        return table.table.id, self.version, self.head, names, *asked

    def drawn(self, *, only_shipped_type: bool = False) -> str:
        """Draw it."""
        return draw(_scene(self.table, self.query, only_shipped_type=only_shipped_type), Part(self.query["part"]))

    def headers(self) -> dict[str, str]:
        """Return the headers of its answer, also of one that says that it still holds."""
        headers = {"ETag": f'"{self.tag}"'}
        if "at" in self.query:
            scope = "public" if self.table.may_be_read_by(None) else "private"
            headers["Cache-Control"] = f"{scope}, {_PAST if 'head' in self.query else 'no-cache'}"
        return headers

    def keep(self, context: Context) -> None:
        """Cache the table for later requests, unless it was read for its past."""
        if "at" not in self.query:
            context.tables.put(self.table)


def picture_asked_for(context: Context, request: ApiRequest, kind: str, table_id: str) -> Pictured:
    """Look up the table that a picture is asked of: for its past from the log's start, else as far as it is not cached."""
    past = request.asks_for_past()
    found = find_table(context, request, kind, table_id, known=() if past else request.known_tags(), whole_log=past)
    return Pictured(found, request.load_query(QUERIES[kind], _NO_QUERY[kind]))


def show_board(context: Context, request: ApiRequest, *, kind: str, table_id: str) -> ApiResponse:
    """Show a table as SVG."""
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


def _version(table: LoadedTable, query: Mapping[str, Any]) -> tuple[int, str]:
    """The version that is asked for, and its head; refuses a table without a game, a version or a seat that there is not."""
    if table.header is None:
        raise NotFound("not_started", "A game has pictures from its start on.")
    state = state_asked_for(table, query)
    if query.get("seat", 0) >= table.table.seats:
        last = table.table.seats - 1
        refuse("query", {"seat": [said("Must be from %(least)s to %(most)s.", least=0, most=last)]})
    return state


def _scene(table: LoadedTable, query: Mapping[str, Any], *, only_shipped_type: bool = False) -> Scene:
    assert table.header is not None
    at = query.get("at")
    game = table.replay if at is None else replay.replay(table.header, table.tiles, table.entries[:at])
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
