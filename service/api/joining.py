"""``/v1/games/{game_id}/players``: join a table, and leave it before the start."""

from typing import Any

from service.api import game_answers
from service.api.at_table import at_table
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.bodies import body
from service.api.context import bounds, now, settings
from service.api.etags import takes_if_match
from service.api.flask_adapter import current_request
from service.api.game_answers import CREATED_HEADERS, TAG_HEADERS
from service.api.game_examples import GAME
from service.api.game_schemas import GameSchema
from service.api.idempotent import idempotent
from service.api.openapi_annotations import refuses
from service.api.table_schemas import EntropyRequest, JoinRequest
from service.commands import players
from service.queries.table import LoadedTable
from service.store.unit import transaction

blp = Blueprint("players", __name__, description="Joining and leaving a table before its game starts.")


@blp.route("/v1/games/<id:game_id>/players", methods=["POST"])
@at_table("match", Role.GUEST)
@body(JoinRequest, example={"entropy": "seven herons over the lake"}, required=False)
@refuses(409)
@idempotent
@takes_if_match
@blp.response(201, GameSchema, example=GAME.started, headers=CREATED_HEADERS)
def join_game(account: str, table_id: str, body: dict[str, Any]) -> Any:
    """Take the first free seat.

    A private game requires the `invitation` that was mailed to you. When the last seat is taken, the game starts. The
    code of a 409 says why you cannot join: `already_seated`, `already_started`, `table_full` (somebody else has just
    taken the last seat), `table_closed`, `invitation_used`, `invitation_declined`, `invitation_taken_back`,
    `invitation_expired`, or `too_many_games` (you sit at 200 tables whose games are not over).
    """
    with transaction() as session:
        players.join(
            session,
            account,
            table_id,
            invitation=body.get("invitation"),
            entropy=body["entropy"],
            keys=settings().secret_keys,
            now=now(),
            bounds=bounds(),
            expected=current_request().if_match(),
        )
        return game_answers.fresh_view(table_id, account, 201, f"/v1/games/{table_id}")


@blp.route("/v1/games/<id:game_id>/players/me", methods=["PATCH"])
@at_table("match", Role.PLAYER)
@body(EntropyRequest, example={"entropy": "seven herons over the lake"})
@refuses(409)
@takes_if_match
@blp.response(200, GameSchema, example=GAME.open, headers=TAG_HEADERS)
def set_entropy(account: str, table: LoadedTable, body: dict[str, Any]) -> Any:
    """Change your text for the draw before the start."""
    with transaction() as session:
        players.give_entropy(session, account, table.table.id, body["entropy"], current_request().if_match())
        return game_answers.fresh_view(table.table.id, account)


@blp.route("/v1/games/<id:game_id>/players/me", methods=["DELETE"])
@at_table("match", Role.PLAYER)
@refuses(409)
@takes_if_match
@blp.response(204)
def leave_game(account: str, table: LoadedTable) -> None:
    """Leave the table before the start.

    If you made the table, this closes it. To leave a running game, make the move `resign`.
    """
    with transaction() as session:
        players.leave(session, account, table.table.id, now(), current_request().if_match())


@blp.route("/v1/games/<id:game_id>/players/<int:seat>", methods=["DELETE"])
@at_table("match", Role.MAKER)
@refuses(404, 409)
@takes_if_match
@blp.response(204)
def put_player_out(account: str, table: LoadedTable, seat: int) -> None:
    """Remove a player from the table before the start.

    Only the player who made the table may do so. If you remove yourself, the table is closed.
    """
    with transaction() as session:
        players.remove_player(session, account, table.table.id, seat, now(), current_request().if_match())
