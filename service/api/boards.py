"""Pictures of games and solo sessions: ``board.svg`` and ``board.png``.

An SVG is drawn here, in some milliseconds. A PNG is rendered by a process of its own, one for each web process, once, and
kept. Few requests wait while others' are made, and whoever comes then is told to come again, so that pictures never take
the threads from the moves (`service.pictures.on_demand`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import structlog
from flask import Flask, Response, current_app
from marshmallow import fields

from engine.moves import MOST
from engine.saying import Said, said
from service.access.limits import Hit, Limit, by_network
from service.api.blueprint import Blueprint
from service.api.bodies import query
from service.api.bounds import OneOf, Range
from service.api.callers import AtTable, about_table
from service.api.context import client_ip, kept_tables, limiter, settings, straight
from service.api.documented import refuses
from service.api.etags import conditional, etag, not_modified
from service.api.fields import Head, QueryWhole
from service.api.game_answers import TAG_HEADERS, admitted, asked_for
from service.api.past_states import state_asked_for
from service.api.requests import refuse
from service.api.schema import Given
from service.errors import LimitReached, NotFound, Unavailable
from service.language.languages import CODES, language
from service.language.people import People
from service.pictures.cache import ByteCache
from service.pictures.on_demand import OnDemand, Rank
from service.pictures.palette import SCHEMES
from service.pictures.renderers import Busy, Renderers, RenderingFailed
from service.pictures.scene import Part, Scene
from service.pictures.table import draw
from service.queries import replay
from service.queries.table import Asking, LoadedTable, read

blp = Blueprint("boards", __name__, description="Tables as pictures, for pages and mails.")

_log = structlog.get_logger(__name__)

_EXTENSION = "novaluna-pictures"
PATIENCE = 20.0
"""Seconds: rendering has the lowest priority, so on a busy machine it takes its time. Few clients wait longer for an
answer: who asked is told that there is no picture."""

_BUDGET = Said(
    "You have had too many new pictures drawn within an hour; try again later. Those that were drawn can still be had."
)
_STRANGERS_BUDGET = Said(
    "Too many new pictures were drawn for your network within an hour; try again later, or sign in. Those that were drawn"
    " can still be had."
)

CACHED = 16 * 1024 * 1024
"""Bytes of drawings that a process caches: some hundred."""

_QUICK = 10
"""The niceness of those that render for people with an account on a busy machine: a tenth of what an answer gets."""

_PAST = "max-age=86400, immutable"
"""For a day, since names can change and be erased, and the past is shown with the names of now."""

_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
_SVG, _PNG = "image/svg+xml", "image/png"
_DRAWING: dict[str, Any] = {"type": "string"}
_PIXELS: dict[str, Any] = {"contentMediaType": _PNG}
_HEADERS = {
    **TAG_HEADERS,
    "Cache-Control": {
        "description": "With `at` and `head` a picture can be kept for a day, by everybody if the game is public. With"
        " `at` alone it is to be asked for anew, as a restored backup may have changed what follows an earlier move.",
        "schema": {"type": "string"},
    },
}


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


@blp.route("/v1/games/<id:game_id>/board.svg", methods=["GET"])
@about_table("match")
@query(BoardQuery)
@conditional
@blp.response(200, _DRAWING, content_type=_SVG, headers=_HEADERS)
def get_board_svg(asked: AtTable, query: dict[str, Any]) -> Any:
    """A game as a picture that can be enlarged.

    What can be seen is also told in words, in its `desc`. The open cells of the player to move have letters, A, B, … in
    the order of `cells` in the legal moves. From the start on.
    """
    return _svg(asked, query)


@blp.route("/v1/games/<id:game_id>/board.png", methods=["GET"])
@about_table("match")
@query(BoardQuery)
@conditional
@refuses(429, 503)
@blp.response(200, _PIXELS, content_type=_PNG, headers=_HEADERS)
def get_board_png(asked: AtTable, query: dict[str, Any]) -> Any:
    """The same as a PNG, 700 pixels wide and below 60 kB.

    A picture is drawn once and kept, and whoever asks for it then gets it. New ones are drawn for players before others
    with a token, and for these before others; while too many are asked for, the answer is 503 with `Retry-After`. In an
    hour 300 are drawn for an account, and 60 for an IP address, or the /64 of an IPv6 address, from where no token comes
    (429 `too_many_pictures`).
    """
    return _png(asked, query)


@blp.route("/v1/solo-sessions/<id:session_id>/board.svg", methods=["GET"])
@about_table("solo")
@query(SoloBoardQuery)
@conditional
@blp.response(200, _DRAWING, content_type=_SVG, headers=_HEADERS)
def get_solo_board_svg(asked: AtTable, query: dict[str, Any]) -> Any:
    """A solo session as a picture that can be enlarged; all is as for a game."""
    return _svg(asked, query)


@blp.route("/v1/solo-sessions/<id:session_id>/board.png", methods=["GET"])
@about_table("solo")
@query(SoloBoardQuery)
@conditional
@refuses(429, 503)
@blp.response(200, _PIXELS, content_type=_PNG, headers=_HEADERS)
def get_solo_board_png(asked: AtTable, query: dict[str, Any]) -> Any:
    """The same as a PNG; all is as for a game."""
    return _png(asked, query)


class Pictures:
    """How an application makes pictures, and those that it has cached."""

    def __init__(self, renderers: Renderers, room: int = 4, quick: Renderers | None = None) -> None:
        self.on_demand = OnDemand(renderers, room, PATIENCE, quick)
        self.drawings = ByteCache(CACHED)

    def init_app(self, app: Flask) -> None:
        """Makes this the way of an application."""
        app.extensions[_EXTENSION] = self


def _pictures() -> Pictures:
    """Those of this application; made at their first use, so that a process that renders nothing has none."""
    pictures: Pictures | None = current_app.extensions.get(_EXTENSION)
    if pictures is None:
        room = max(1, settings().web_threads // 2)
        renderers, quick = Renderers(1, room - 1, PATIENCE), Renderers(1, room - 1, PATIENCE, niceness=_QUICK)
        pictures = current_app.extensions.setdefault(_EXTENSION, Pictures(renderers, room, quick))
    return pictures


def _svg(asked: AtTable, query: dict[str, Any]) -> Response:
    table, _ = _read(asked, query)
    version, head = _version(table, query)
    tag = etag(version, table.table.revision, head)
    answer = not_modified(tag)
    if answer is None:
        drawings, shown = _pictures().drawings, _shown(table, head, query)
        drawing = drawings.get(shown)
        if drawing is None:
            drawing = draw(_scene(table, query), Part(query["part"])).encode()
            drawings.put(shown, drawing)
        answer = Response(drawing, content_type=f"{_SVG}; charset=utf-8")
        answer.headers["Content-Security-Policy"] = _POLICY
        answer.headers["Content-Language"] = query["language"]
    if "at" not in query:
        kept_tables().keep(table)
    return _tagged(answer, table, tag, query)


def _png(asked: AtTable, query: dict[str, Any]) -> Response:
    table, account = _read(asked, query)
    version, head = _version(table, query)
    tag = etag(version, table.table.revision, head)
    answer = not_modified(tag)
    if answer is None:
        try:
            picture = _pictures().on_demand.png(
                _shown(table, head, query),
                lambda: draw(_scene(table, query, only_shipped_type=True), Part(query["part"])),
                _rank(table, account),
                lambda: _charge(account),
            )
        except Busy:
            raise Unavailable(
                "pictures_busy", "There is no time to draw this picture just now; try again in a moment."
            ) from None
        except RenderingFailed as error:
            _log.warning("no picture", reason=str(error))
            raise Unavailable("no_picture", "The picture could not be made; try again in a moment.") from None
        answer = Response(picture, content_type=_PNG)
    if "at" not in query:
        kept_tables().keep(table)
    return _tagged(answer, table, tag, query)


def _read(asked: AtTable, query: dict[str, Any]) -> tuple[LoadedTable, str | None]:
    """The table, as far as its picture needs it, and who asks: the past from the log's start, the present from what this
    process has of it."""
    asking = Asking(asked.caller.token, asked.caller.now)
    if "at" in query or "head" in query:
        reading = read(straight(), asked.table_id, asking)
    else:
        reading = kept_tables().read(straight(), asked.table_id, asking, asked_for())
    return admitted(asked, reading), reading.account


def _shown(table: LoadedTable, head: str, query: dict[str, Any]) -> Hashable:
    """All that a picture depends on. A version's number says too little: after a backup was restored another game may
    come to the same one, with another head. The revision says too much, as it grows with each message."""
    version = query.get("at", table.version)
    names = tuple(table.name_of(seat) for seat in range(table.table.seats))
    return table.table.id, version, head, names, *(query.get(name) for name in ("seat", "part", "scheme", "language"))


def _rank(table: LoadedTable, account: str | None) -> Rank:
    if account is None:
        return Rank.STRANGER
    return Rank.SPECTATOR if table.seat_of(account) is None else Rank.PLAYER


def _charge(account: str | None) -> Callable[[], None]:
    """Counts a picture that has to be drawn for this caller; gives what takes that back."""
    counts = limiter()
    if account is None:
        hits = by_network(Limit.PICTURES_PER_IP, settings().limit_pictures_per_ip, client_ip())
    else:
        hits = [Hit(Limit.PICTURES_PER_ACCOUNT, settings().limit_pictures_per_account, account)]
    if reached := counts.hit_all(hits):
        detail = _STRANGERS_BUDGET if account is None else _BUDGET
        raise LimitReached("too_many_pictures", detail, retry_after=reached.wait)

    def give_back() -> None:
        for hit in hits:
            counts.give_back(*hit)

    return give_back


def _version(table: LoadedTable, query: dict[str, Any]) -> tuple[int, str]:
    """The version that is asked for, and its head; refuses a table without a game, a version or a seat that there is not."""
    if table.header is None:
        raise NotFound("not_started", "A game has pictures from its start on.")
    state = state_asked_for(table, query)
    if query.get("seat", 0) >= table.table.seats:
        last = table.table.seats - 1
        refuse("query", {"seat": [said("Must be from %(least)s to %(most)s.", least=0, most=last)]})
    return state


def _scene(table: LoadedTable, query: dict[str, Any], *, only_shipped_type: bool = False) -> Scene:
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


def _tagged(answer: Response, table: LoadedTable, tag: str, query: dict[str, Any]) -> Response:
    answer.headers["ETag"] = tag
    if "at" in query:
        scope = "public" if table.may_be_read_by(None) else "private"
        answer.headers["Cache-Control"] = f"{scope}, {_PAST if 'head' in query else 'no-cache'}"
    return answer
