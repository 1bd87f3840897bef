"""The moves of an exploration: made, listed and taken back; its pictures, and why its goals are met or not."""

from __future__ import annotations

import json
from typing import Any

from flask import Response, current_app

from service.api.at_exploration import at_exploration, at_state
from service.api.authorization import FoundTable
from service.api.blueprint import Blueprint
from service.api.boards import PNG, png_response
from service.api.bodies import documents_body, documents_query, query
from service.api.components import BINARY
from service.api.context import context_of, now, settings
from service.api.etags import IF_MATCH, conditional, takes_if_match
from service.api.exploration_schemas import ExplorationSchema
from service.api.exploration_view import CREATED_HEADERS, EXPLORATION, answer
from service.api.flask_adapter import current_request, to_flask
from service.api.game_answers import PAST_HEADERS, TAG_HEADERS
from service.api.game_examples import GAME
from service.api.goal_schemas import GoalsQuery, SeatGoalsSchema
from service.api.idempotent import once, takes_key
from service.api.json_response import json_response, page_response
from service.api.json_text import encode
from service.api.make_move import AskedMove, check_letter, check_version_named, read_move, tried
from service.api.move_schemas import LogPage, LogQuery, MovePreviewSchema, MoveQuery, MoveRequest
from service.api.openapi_annotations import View, annotate, refuses
from service.api.paging import PAGE_HEADERS, cut, decode_cursor, encode_cursor
from service.api.past_states import AskedState
from service.api.seat_goals import check_seat
from service.api.seat_goals import to_json as goals_json
from service.api.show_board import SVG, BoardQuery, Pictured, svg_response
from service.commands import explorations, play
from service.language.languages import language
from service.queries import explorations as reading
from service.queries import explored_games
from service.queries.table import LoadedTable
from service.store.base import db
from service.store.explorations import Exploration
from service.store.unit import transaction

blp = Blueprint("explored-moves", __name__, description="The moves of an exploration, and its pictures.")


def _documents_move(view: View) -> View:
    """Document everything that making a move reads, refuses and returns (a decorator, below those that look up)."""
    dry = blp.alt_response(200, schema=MovePreviewSchema, example=EXPLORATION.tried, success=True)(view)
    made = blp.answers(201, ExplorationSchema, example=EXPLORATION.view, headers=CREATED_HEADERS)(dry)
    stated = annotate(takes_key(made), refuses=(409, 412, 428), parameters=(IF_MATCH,))
    return documents_query(documents_body(stated, MoveRequest, EXPLORATION.move), MoveQuery)


@blp.route("/v1/explorations/<id:exploration_id>/moves", methods=["POST"])
@at_exploration
@_documents_move
def make_exploration_move(account: str, kept: Exploration) -> Response:
    """Make a move in an exploration, as in a game; an opponent answers at once.

    Without an opponent it is the move of the player to move, whoever that is. With `dry_run`, nothing is stored.
    """
    asked = read_move(current_request())
    current_request().idempotency_key()  # refuses a malformed key, in a dry run too
    if asked.is_dry_run:
        return _tried(kept, asked)
    return once(account, lambda: _made(account, kept, asked))


@blp.route("/v1/explorations/<id:exploration_id>/moves", methods=["GET"])
@at_exploration
@query(LogQuery)
@conditional
@blp.response(200, LogPage, example=EXPLORATION.log, headers=PAGE_HEADERS)
def list_exploration_moves(account: str, kept: Exploration, query: dict[str, Any]) -> Any:
    """List the log of an exploration, oldest entries first, as its record has it: those of the game come first."""
    log = json.loads(explored_games.line(_loaded(kept)))["log"]
    after = query["since"]
    if "cursor" in query:
        (after,) = decode_cursor(query["cursor"], int)
    limit = query["limit"]
    shown, last = cut(log[max(after, 0) :], limit)
    following = None if last is None else encode_cursor(last["seq"])
    return page_response([encode(entry) for entry in shown], following)


@blp.route("/v1/explorations/<id:exploration_id>/moves/<int:seq>", methods=["DELETE"])
@at_exploration
@refuses(409)
@takes_if_match
@blp.response(200, ExplorationSchema, example=EXPLORATION.begun, headers=TAG_HEADERS)
def take_back_exploration_move(account: str, kept: Exploration, seq: int) -> Any:
    """Take back a move of an exploration, and all that followed it.

    A move of the game that is explored stays (409 `not_explored`). If it is an opponent's turn then, it moves again.
    `If-Match` has the ETag of the exploration.
    """
    with transaction() as session:
        expected = current_request().if_match()
        return answer(settings(), *explorations.take_back(session, account, kept.id, seq, now(), expected))


@blp.route("/v1/explorations/<id:exploration_id>/board.svg", methods=["GET"])
@at_exploration
@query(BoardQuery)
@conditional
@blp.answers(200, {"type": "string"}, content_type=SVG, headers=PAST_HEADERS)
def get_exploration_board_svg(account: str, kept: Exploration, query: dict[str, Any]) -> Response:
    """Get a picture of an exploration as SVG, as of a game."""
    asked = _pictured(account, kept, query)
    return to_flask(svg_response(context_of(current_app), current_request(), asked))


@blp.route("/v1/explorations/<id:exploration_id>/board.png", methods=["GET"])
@at_exploration
@query(BoardQuery)
@refuses(429, 503)
@conditional
@blp.answers(200, BINARY, content_type=PNG, headers=PAST_HEADERS)
def get_exploration_board_png(account: str, kept: Exploration, query: dict[str, Any]) -> Response:
    """Get a picture of an exploration as PNG, as of a game."""
    asked = _pictured(account, kept, query)
    db.session().rollback()  # so that no connection is held while the picture is drawn
    return png_response(asked)


@blp.route("/v1/explorations/<id:exploration_id>/seats/<int:seat>/goals", methods=["GET"])
@at_exploration
@query(GoalsQuery)
@conditional
@blp.response(200, SeatGoalsSchema, example=GAME.goals, headers=PAST_HEADERS)
def list_exploration_goals(account: str, kept: Exploration, seat: int, query: dict[str, Any]) -> Any:
    """List the goals on a display of an exploration, and why each is met or not, as in a game."""

    def show(table: LoadedTable, asked: AskedState) -> Response:
        check_seat(table, seat)
        return json_response(goals_json(table, asked.version, seat, language(query["language"])))

    return at_state(kept, query, show)


def _loaded(kept: Exploration) -> LoadedTable:
    return reading.load_explored(db.session(), kept)


def _pictured(account: str, kept: Exploration, query: dict[str, Any]) -> Pictured:
    asked = Pictured(FoundTable(account, _loaded(kept)), query)
    asked.check_goal()
    return asked


def _tried(kept: Exploration, asked: AskedMove) -> Response:
    """Return the response that says what a move would do."""
    table = _loaded(kept)
    seat = explored_games.seat_to_play(kept, table) or 0
    check_letter(table, seat, asked)
    version = table.version
    step = play.preview(table, seat, asked.move, asked.expected, now())
    return json_response(tried(version, seat, asked.move, step))


def _made(account: str, kept: Exploration, asked: AskedMove) -> Response:
    """Make the move and return the response with the exploration after it."""
    check_version_named(asked)
    with transaction() as session:
        if asked.letter is not None:
            table = _loaded(kept)
            check_letter(table, explored_games.seat_to_play(kept, table) or 0, asked)
        made = explorations.move(session, account, kept.id, asked.move, asked.expected, now())
        return answer(settings(), *made, 201)
