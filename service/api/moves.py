"""``/v1/games/{game_id}/moves`` and what goes with it: the legal moves and the record."""

from typing import Any

from service.api import game_answers
from service.api.at_table import Role, at_table, never
from service.api.blueprint import Blueprint
from service.api.bodies import query
from service.api.callers import AtTable, about_table
from service.api.etags import conditional
from service.api.game_answers import TAG_HEADERS
from service.api.game_examples import GAME
from service.api.idempotent import given_slot
from service.api.move_schemas import LegalMovesShown, LogPage, RecordShown
from service.api.moving import move, takes_move
from service.api.paging import LINK_HEADER, PageQuery
from service.queries.table import LoadedTable
from service.store.idempotency import Kept

blp = Blueprint("moves", __name__, description="The moves of a game, and its record.")


@blp.route("/v1/games/<id:game_id>/moves", methods=["GET"])
@about_table("match")
@query(PageQuery)
@blp.response(200, LogPage, example=GAME.log, headers=LINK_HEADER)
def list_moves(asked: AtTable, query: dict[str, Any]) -> Any:
    """The log of a game: the accepted moves, oldest first, as the record has them."""
    return game_answers.log(asked, query)


@blp.route("/v1/games/<id:game_id>/moves", methods=["POST"])
@at_table("match", Role.PLAYER, from_start=never, slot=given_slot)
@takes_move(blp, GAME)
def make_move(
    account: str, table: LoadedTable, answered: Kept | None, query: dict[str, Any], body: dict[str, Any]
) -> Any:
    """Make a move.

    Say which version it is for, by `If-Match` (stale: 412) or by `expected_version` (stale: 409); resigning needs
    neither. An illegal move (422) names the `rule` and says what is `legal`; not your turn is rule 2.1. 409 and 412
    bring the current `version`; the other codes of 409 are `game_over`, `not_started` and `table_closed`. With
    `dry_run` the answer is 200 and says what the move would do; nothing is stored, and no version is needed.
    """
    return move(account, table, answered, query, body, f"/v1/games/{table.table.id}")


@blp.route("/v1/games/<id:game_id>/legal-moves", methods=["GET"])
@about_table("match")
@conditional
@blp.response(200, LegalMovesShown, example=GAME.legal, headers=TAG_HEADERS)
def list_legal_moves(asked: AtTable) -> Any:
    """What the player to move may do."""
    return game_answers.legal_moves(asked)


@blp.route("/v1/games/<id:game_id>/record", methods=["GET"])
@about_table("match")
@conditional
@blp.response(200, RecordShown, example=GAME.record, headers=TAG_HEADERS)
def get_record(asked: AtTable) -> Any:
    """The record, `nova-luna-record/1`, for anybody to verify.

    While the game runs it has no seed, and only the tiles that came out so far. Before the start there is none (404).
    """
    return game_answers.record(asked)
