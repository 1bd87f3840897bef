"""Pictures of games and solo sessions: ``board.svg`` and ``board.png``.

An SVG takes some milliseconds (`service.api.show_board`). A PNG is rendered once, by a separate process for each web
process, and cached. Only a few requests may wait for a PNG, and further ones are refused, so that pictures never take
the threads from the moves (`service.pictures.on_demand`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import structlog
from flask import Flask, Response, current_app
from marshmallow import Schema

from engine.phrases import Phrase
from service.access.limits import Hit, Limit, by_network
from service.api.at_table import documents_role
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.bodies import documents_query
from service.api.components import BINARY
from service.api.context import client_ip, context_of, limiter, settings
from service.api.etags import conditional
from service.api.flask_adapter import answered, current_request
from service.api.game_answers import PAST_HEADERS
from service.api.openapi_annotations import View, refuses
from service.api.show_board import SVG, BoardQuery, Pictured, SoloBoardQuery, picture_asked_for, show_board
from service.errors import Unavailable
from service.pictures.on_demand import OnDemand, Rank
from service.pictures.renderers import Busy, Renderers, RenderingFailed
from service.queries.table import LoadedTable

blp = Blueprint("boards", __name__, description="Tables as pictures, for pages and mails.")

_log = structlog.get_logger(__name__)

_EXTENSION = "novaluna-pictures"
PATIENCE = 20.0
"""Seconds that a request waits for a PNG, which has the lowest priority on a busy machine; few clients wait longer."""

_BUDGET = Phrase(
    "You requested too many new pictures within an hour; try again later. Pictures that exist already are still"
    " available."
)
_STRANGERS_BUDGET = Phrase(
    "Your network requested too many new pictures within an hour; try again later, or sign in. Pictures that exist"
    " already"
    " are still available."
)

_QUICK = 10
"""The niceness of the renderers for accounts on a busy machine: a tenth of the processor share of a web process."""

PNG = "image/png"
_DRAWING: dict[str, Any] = {"type": "string"}


def documents_picture(query: type[Schema], schema: Any, content_type: str) -> Callable[[View], View]:
    """Document everything that the handler of a picture reads, refuses and returns (a decorator, below the route)."""

    def decorator(view: View) -> View:
        answers = blp.answers(200, schema, content_type=content_type, headers=PAST_HEADERS)(view)
        return documents_role(documents_query(conditional(answers), query), Role.READER)

    return decorator


@blp.route("/v1/games/<id:game_id>/board.svg", methods=["GET"])
@documents_picture(BoardQuery, _DRAWING, SVG)
def get_board_svg(game_id: str) -> Response:
    """Get a picture of a game as SVG.

    Its `desc` describes the picture in words. The open cells of the player to move are lettered A, B, … in the order of
    `cells` in the legal moves. There are no pictures before the start (404).
    """
    return answered(show_board, kind="match", table_id=game_id)


@blp.route("/v1/games/<id:game_id>/board.png", methods=["GET"])
@documents_picture(BoardQuery, BINARY, PNG)
@refuses(429, 503)
def get_board_png(game_id: str) -> Response:
    """Get a picture of a game as PNG, 700 pixels wide and smaller than 60 kB.

    Each picture is drawn once and then cached for everybody. New pictures are drawn first for players, then for other
    clients with an access token, then for the rest; while too many are requested, the answer is 503 with `Retry-After`.
    An account may have 300 new pictures an hour; without an access token, an IP address, or the /64 of an IPv6 address,
    may have 60 (429 `too_many_pictures`).
    """
    return _png("match", game_id)


@blp.route("/v1/solo-sessions/<id:session_id>/board.svg", methods=["GET"])
@documents_picture(SoloBoardQuery, _DRAWING, SVG)
def get_solo_board_svg(session_id: str) -> Response:
    """Get a picture of a solo session as SVG, as of a game."""
    return answered(show_board, kind="solo", table_id=session_id)


@blp.route("/v1/solo-sessions/<id:session_id>/board.png", methods=["GET"])
@documents_picture(SoloBoardQuery, BINARY, PNG)
@refuses(429, 503)
def get_solo_board_png(session_id: str) -> Response:
    """Get a picture of a solo session as PNG, as of a game."""
    return _png("solo", session_id)


class Pictures:
    """The PNG renderers of an application."""

    def __init__(self, renderers: Renderers, room: int = 4, quick: Renderers | None = None) -> None:
        self.on_demand = OnDemand(renderers, room, PATIENCE, quick)

    def init_app(self, app: Flask) -> None:
        """Register these renderers with an application."""
        app.extensions[_EXTENSION] = self


def _pictures() -> OnDemand:
    """Return the renderers of this application, created at first use: a process that renders nothing has none."""
    pictures: Pictures | None = current_app.extensions.get(_EXTENSION)
    if pictures is None:
        room = max(1, settings().web_threads // 2)
        renderers, quick = Renderers(1, room - 1, PATIENCE), Renderers(1, room - 1, PATIENCE, niceness=_QUICK)
        pictures = current_app.extensions.setdefault(_EXTENSION, Pictures(renderers, room, quick))
    return pictures.on_demand


def _png(kind: str, table_id: str) -> Response:
    context = context_of(current_app)
    asked = picture_asked_for(context, current_request(), kind, table_id)
    answer = png_response(asked)
    asked.keep(context)
    return answer


def png_response(asked: Pictured) -> Response:
    """Return the response with a picture as PNG."""
    if current_request().knows(asked.tag):
        answer = Response(status=304)
        del answer.headers["Content-Type"]
    else:
        try:
            picture = _pictures().png(
                asked.shown,
                lambda: asked.drawn(only_shipped_type=True),
                _rank(asked.table, asked.account),
                lambda: _charge(asked.account),
            )
        except Busy:
            raise Unavailable(
                "pictures_busy", "Too many pictures are being drawn just now; try again in a moment."
            ) from None
        except RenderingFailed as error:
            _log.warning("no picture", reason=str(error))
            raise Unavailable("no_picture", "The picture could not be drawn; try again in a moment.") from None
        answer = Response(picture, content_type=PNG)
    answer.headers.update(asked.headers())
    return answer


def _rank(table: LoadedTable, account: str | None) -> Rank:
    if account is None:
        return Rank.STRANGER
    return Rank.SPECTATOR if table.seat_of(account) is None else Rank.PLAYER


def _charge(account: str | None) -> Callable[[], None]:
    """Count a new picture for this caller (LimitReached if there were too many); return a function that undoes it."""
    counts = limiter()
    if account is None:
        hits = by_network(Limit.PICTURES_PER_IP, settings().limit_pictures_per_ip, client_ip())
    else:
        hits = [Hit(Limit.PICTURES_PER_ACCOUNT, settings().limit_pictures_per_account, account)]
    counts.require(hits, "too_many_pictures", _STRANGERS_BUDGET if account is None else _BUDGET)

    def give_back() -> None:
        for hit in hits:
            counts.give_back(*hit)

    return give_back
