"""The entries of an imported game, what could have followed them, and its pictures."""

from __future__ import annotations

from typing import Any

from flask import Response, current_app

from service.api import made_moves
from service.api.at_import import at_import, at_state
from service.api.authorization import FoundTable
from service.api.blueprint import Blueprint
from service.api.boards import PNG, png_response
from service.api.bodies import query
from service.api.components import BINARY
from service.api.context import context_of, settings
from service.api.etags import conditional
from service.api.flask_adapter import current_request, to_flask
from service.api.game_answers import PAST_HEADERS
from service.api.import_schemas import (
    ImportedBoardQuery,
    ImportedLogPage,
    ImportedMoveQuery,
    ImportedMoveSchema,
    ImportedViewQuery,
)
from service.api.import_view import IMPORTED, import_json, log_json, move_json
from service.api.json_response import json_response, page_response
from service.api.json_text import encode
from service.api.legal_move_schemas import LegalMovesSchema
from service.api.move_schemas import LogQuery
from service.api.openapi_annotations import refuses
from service.api.paging import PAGE_HEADERS, cut, decode_cursor, encode_cursor
from service.api.past_states import AskedState
from service.api.show_board import SVG, Pictured, svg_response
from service.api.viewed_states import legal_moves_response
from service.queries import imported_games
from service.queries.table import LoadedTable
from service.store.base import db
from service.store.imports import Import

blp = Blueprint("imported-moves", __name__, description="The moves of imported games, and their pictures.")

_DRAWING: dict[str, Any] = {"type": "string"}


@blp.route("/v1/imports/<id:import_id>/moves", methods=["GET"])
@at_import
@query(LogQuery)
@conditional
@blp.response(200, ImportedLogPage, example=IMPORTED.log, headers=PAGE_HEADERS)
def list_imported_moves(kept: Import, account: str | None, query: dict[str, Any]) -> Any:
    """List the entries of an imported game, oldest first, as those of a game.

    An entry of a text without times has no `at`, and one of a text from which no record follows has no hashes.
    """
    after = query["since"]
    if "cursor" in query:
        (after,) = decode_cursor(query["cursor"], int)
    limit = query["limit"]
    shown, last = cut(log_json(kept, imported_games.loaded(kept))[max(after, 0) :], limit)
    following = None if last is None else encode_cursor(last["seq"])
    return page_response([encode(entry) for entry in shown], following)


@blp.route("/v1/imports/<id:import_id>/moves/<int:seq>", methods=["GET"])
@at_import
@query(ImportedMoveQuery)
@conditional
@blp.response(200, ImportedMoveSchema, example=IMPORTED.move, headers=PAST_HEADERS)
def get_imported_move(kept: Import, account: str | None, seq: int, query: dict[str, Any]) -> Any:
    """Get an entry of an imported game: what it was and did, and the import before and after it, as of a game."""

    def show(table: LoadedTable, asked: AskedState) -> Response:
        made_moves.check_made(table, seq)
        made = made_moves.made_move(table, seq)
        shown = move_json(import_json(settings(), kept, account), kept, table, made, query["language"])
        return json_response(shown)

    made_moves.check_made(imported_games.loaded(kept), seq)
    return at_state(kept, {"at": seq}, show, for_reader=True)


@blp.route("/v1/imports/<id:import_id>/legal-moves", methods=["GET"])
@at_import
@query(ImportedViewQuery)
@conditional
@blp.response(200, LegalMovesSchema, example=IMPORTED.legal, headers=PAST_HEADERS)
def list_imported_legal_moves(kept: Import, account: str | None, query: dict[str, Any]) -> Any:
    """List the moves that the player to move could make in an imported game; none can be made in it here."""
    return at_state(kept, query, legal_moves_response)


@blp.route("/v1/imports/<id:import_id>/board.svg", methods=["GET"])
@at_import
@query(ImportedBoardQuery)
@conditional
@blp.answers(200, _DRAWING, content_type=SVG, headers=PAST_HEADERS)
def get_imported_board(kept: Import, account: str | None, query: dict[str, Any]) -> Response:
    """Get a picture of an imported game as SVG, as of a game; it says that the game was imported."""
    return to_flask(svg_response(context_of(current_app), current_request(), _pictured(kept, account, query)))


@blp.route("/v1/imports/<id:import_id>/board.png", methods=["GET"])
@at_import
@query(ImportedBoardQuery)
@refuses(429, 503)
@conditional
@blp.answers(200, BINARY, content_type=PNG, headers=PAST_HEADERS)
def get_imported_board_png(kept: Import, account: str | None, query: dict[str, Any]) -> Response:
    """Get a picture of an imported game as PNG, as of a game; it says that the game was imported."""
    asked = _pictured(kept, account, query)
    db.session().rollback()  # so that no connection is held while the picture is drawn
    return png_response(asked)


def _pictured(kept: Import, account: str | None, query: dict[str, Any]) -> Pictured:
    asked = Pictured(FoundTable(account, imported_games.loaded(kept)), query)
    asked.check_goal()
    return asked
