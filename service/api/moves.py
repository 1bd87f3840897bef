"""``/v1/games/{game_id}/moves``, ``/legal-moves`` and ``/record``."""

from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Response
from marshmallow import Schema

from service.api import game_answers, read_table
from service.api.at_table import documents_role
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.bodies import documents_body, documents_query, query
from service.api.callers import TableRequest, with_table_request
from service.api.etags import IF_MATCH, conditional
from service.api.flask_adapter import answered
from service.api.game_answers import CREATED_HEADERS, PAST_HEADERS, TAG_HEADERS
from service.api.game_examples import GAME, Examples
from service.api.game_schemas import GameSchema
from service.api.goal_schemas import GoalsQuery, SeatGoalsSchema
from service.api.idempotent import takes_key
from service.api.legal_move_schemas import LegalMovesSchema
from service.api.made_move_schemas import MadeMoveQuery, MadeMoveSchema
from service.api.made_moves import show_move
from service.api.make_move import make_move as handler
from service.api.move_feed import ATOM, FeedQuery, show_feed
from service.api.move_schemas import (
    LogPage,
    LogQuery,
    MovePreviewSchema,
    MoveQuery,
    MoveRequest,
    RecordSchema,
    ViewQuery,
)
from service.api.openapi_annotations import View, annotate
from service.api.paging import PAGE_HEADERS
from service.api.seat_goals import show_goals

_TEXT: dict[str, Any] = {"type": "string"}

blp = Blueprint("moves", __name__, description="The moves of a game, and its record.")


@blp.route("/v1/games/<id:game_id>/moves", methods=["GET"])
@with_table_request("match")
@query(LogQuery)
@conditional
@blp.response(200, LogPage, example=GAME.log, headers=PAGE_HEADERS)
def list_moves(asked: TableRequest, query: dict[str, Any]) -> Any:
    """List the log of a game: the accepted moves, oldest first, in the same form as in the record."""
    return game_answers.log(asked, query)


def documents_move(blueprint: Blueprint, examples: Examples) -> Callable[[View], View]:
    """Document everything that `make_move` reads, refuses and returns (a decorator, below the route)."""

    def decorator(view: View) -> View:
        tried = blueprint.alt_response(200, schema=MovePreviewSchema, example=examples.tried, success=True)(view)
        made = blueprint.answers(201, GameSchema, example=examples.view, headers=CREATED_HEADERS)(tried)
        stated = annotate(takes_key(made), refuses=(409, 412, 428), parameters=(IF_MATCH,))
        taking = documents_query(documents_body(stated, MoveRequest, examples.move), MoveQuery)
        return documents_role(taking, Role.PLAYER)

    return decorator


def documents_made_move(blueprint: Blueprint, examples: Examples) -> Callable[[View], View]:
    """Document everything that `show_move` reads, refuses and returns (a decorator, below the route)."""

    def decorator(view: View) -> View:
        answers = blueprint.answers(200, MadeMoveSchema, example=examples.made, headers=PAST_HEADERS)(view)
        return documents_role(documents_query(conditional(answers), MadeMoveQuery), Role.READER)

    return decorator


@blp.route("/v1/games/<id:game_id>/moves/<int:seq>", methods=["GET"])
@documents_made_move(blp, GAME)
def get_move(game_id: str, seq: int) -> Response:
    """Get a move that was made: what it was and did, how long it took, and the game before and after it.

    `changes` lists what hands would do at the table, one after the other, for clients that animate it. A mark, such as
    a step of the clock, is an entry too. 404 `no_such_move` contains the current `version`, the number of the last
    entry.
    """
    return answered(partial(show_move, seq=seq), kind="match", table_id=game_id)


@blp.route("/v1/games/<id:game_id>/moves", methods=["POST"])
@documents_move(blp, GAME)
def make_move(game_id: str) -> Response:
    """Make a move.

    Name the version that you chose the move at, by `If-Match` (412 if it is stale) or by `expected_version` (409 if it
    is stale); to resign, you need neither. A mark in the log, such as a step of the clock, makes an `If-Match` stale,
    but no `expected_version`. The refusal of an illegal move (422) names the `rule` and lists what is `legal`; if it
    is not your turn, that is rule 2.1. A 409 or 412 for a stale version contains the current `version`; the other
    codes of 409 are `game_over`, `not_started` and `table_closed`. With `dry_run`, the answer is 200 and says what the
    move would do; nothing is stored, and no version is required.
    """
    return answered(handler, kind="match", table_id=game_id)


def documents_feed(view: View) -> View:
    """Document everything that `show_feed` reads, refuses and returns (a decorator, below the route)."""
    headers = {**TAG_HEADERS, "Cache-Control": {"description": "A minute, also for shared caches.", "schema": _TEXT}}
    answers = blp.answers(200, _TEXT, content_type=ATOM, headers=headers)(view)
    return documents_query(annotate(conditional(answers), refuses=(404,)), FeedQuery)


def documents_read(blueprint: Blueprint, schema: type[Schema], example: Any) -> Callable[[View], View]:
    """Document everything that a handler of `service.api.read_table` reads, refuses and returns (a decorator)."""

    def decorator(view: View) -> View:
        answers = blueprint.answers(200, schema, example=example, headers=PAST_HEADERS)(view)
        return documents_role(documents_query(conditional(answers), ViewQuery), Role.READER)

    return decorator


def documents_record(blueprint: Blueprint, examples: Examples) -> Callable[[View], View]:
    """Document everything that `show_record` reads, refuses and returns (a decorator, below the route).

    The text notation is told in words only: of a response with two media types, generated clients would make one type
    that is either of both.
    """

    def decorator(view: View) -> View:
        return annotate(documents_read(blueprint, RecordSchema, examples.record)(view), refuses=(406,))

    return decorator


@blp.route("/v1/games/<id:game_id>/moves.atom", methods=["GET"])
@documents_feed
def get_move_feed(game_id: str) -> Response:
    """Get the moves of a public game as an Atom feed, for feed readers.

    It tells the last 50 moves in sentences, newest first. No access token is needed, and none is looked at: a private
    game has no feed (404). If you send the feed's ETag in `If-None-Match`, the answer is 304 as long as nothing has
    changed.
    """
    return answered(show_feed, kind="match", table_id=game_id)


@blp.route("/v1/games/<id:game_id>/legal-moves", methods=["GET"])
@documents_read(blp, LegalMovesSchema, GAME.legal)
def list_legal_moves(game_id: str) -> Response:
    """List the legal moves of the player to move; with `at`, as they were at that version."""
    return answered(read_table.list_legal_moves, kind="match", table_id=game_id)


def documents_goals(blueprint: Blueprint, examples: Examples) -> Callable[[View], View]:
    """Document everything that `show_goals` reads, refuses and returns (a decorator, below the route)."""

    def decorator(view: View) -> View:
        answers = blueprint.answers(200, SeatGoalsSchema, example=examples.goals, headers=PAST_HEADERS)(view)
        return documents_role(documents_query(conditional(answers), GoalsQuery), Role.READER)

    return decorator


@blp.route("/v1/games/<id:game_id>/seats/<int:seat>/goals", methods=["GET"])
@documents_goals(blp, GAME)
def list_goals(game_id: str, seat: int) -> Response:
    """List the goals on a player's display, and why each is met or not.

    For each color that a goal asks for, you get the chains that touch its tile, with the tiles that count and the sides
    where they touch, how many are missing, and the numbers of the rules that decide it. There are no goals before the
    start (404).
    """
    return answered(partial(show_goals, seat=seat), kind="match", table_id=game_id)


@blp.route("/v1/games/<id:game_id>/record", methods=["GET"])
@documents_record(blp, GAME)
def get_record(game_id: str) -> Response:
    """Get the record of a game, `nova-luna-record/1`, which anybody can verify; or the same as text.

    With `Accept: text/vnd.nova-luna` (or `text/plain`) the answer is `nova-luna-text/1`, the game in the text notation,
    for people.

    While the game is running, the record lacks the seed and all tiles that have not been drawn yet. With `at`, you get
    the record as it was at that version. There is no record before the start (404).
    """
    return answered(read_table.show_record, kind="match", table_id=game_id)
