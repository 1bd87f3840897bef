"""``/v1/games/{game_id}/rematch``: ask for another game with the same players and settings."""

from typing import Any

from service.api import game_answers
from service.api.at_table import at_table
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.bodies import body
from service.api.context import bounds, limiter, now, settings
from service.api.etags import takes_if_match
from service.api.flask_adapter import current_request
from service.api.game_answers import CREATED_HEADERS
from service.api.game_examples import GAME
from service.api.game_schemas import GameSchema
from service.api.idempotent import idempotent
from service.api.openapi_annotations import refuses
from service.api.table_schemas import RematchRequest
from service.commands import rematches
from service.commands.invitation_limits import InvitationLimits
from service.queries.table import LoadedTable
from service.store.unit import transaction

blp = Blueprint("rematches", __name__, description="Another game of the same players, once theirs is over.")


@blp.route("/v1/games/<id:game_id>/rematch", methods=["POST"])
@at_table("match", Role.PLAYER)
@body(RematchRequest, example={"entropy": "seven herons over the lake"}, required=False)
@refuses(409, 429)
@blp.alternative(
    200, GameSchema, description="Somebody has asked already: the table of the rematch.", example=GAME.started
)
@idempotent
@takes_if_match
@blp.response(201, GameSchema, example=GAME.open, headers=CREATED_HEADERS)
def ask_for_rematch(account: str, table: LoadedTable, body: dict[str, Any]) -> Any:
    """Ask for a rematch of a finished game that you played.

    If you are the first to ask, this opens a table with the settings of the finished game. You take seat 0, and the
    other players are each invited by mail, unless they have deleted their accounts. If somebody has asked already, you
    get the same table (200), and a seat at it if it waits for players, as if you had accepted the invitation. Once that
    table is closed, a rematch can be asked for again.

    The limits are those of opening a table and of sending invitations. If one is reached, nobody is invited. The code
    of a 409 can also be `not_over` (the game is not over) or `nobody_left` (the others have deleted their accounts).
    """
    limits = InvitationLimits.of(settings(), limiter())
    with transaction() as session:
        found = rematches.ask(
            session,
            account,
            table.table.id,
            entropy=body["entropy"],
            limits=limits,
            now=now(),
            bounds=bounds(),
            expected=current_request().if_match(),
        )
        return game_answers.fresh_view(found.table, account, 201 if found.is_new else 200, f"/v1/games/{found.table}")
