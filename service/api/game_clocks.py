"""``/v1/games/{game_id}/time``, ``/keep`` and ``/back``: the requests of players that concern the clock of a game."""

from typing import Any

from service.api import game_answers
from service.api.at_table import at_table
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.bodies import body
from service.api.clock_schemas import MoreTimeRequest
from service.api.context import now
from service.api.etags import takes_if_match
from service.api.flask_adapter import current_request
from service.api.game_answers import TAG_HEADERS
from service.api.game_examples import CLOCKED
from service.api.game_schemas import GameSchema
from service.api.idempotent import idempotent
from service.api.openapi_annotations import refuses
from service.commands import autopilot, more_time
from service.queries.table import LoadedTable
from service.store.unit import transaction

blp = Blueprint("clocks", __name__, description="More time, abandoned games, and seats that a bot plays.")


@blp.route("/v1/games/<id:game_id>/time", methods=["POST"])
@at_table("match", Role.PLAYER)
@body(MoreTimeRequest, example={"duration": "P2D"})
@refuses(409)
@idempotent
@takes_if_match
@blp.response(200, GameSchema, example=CLOCKED, headers=TAG_HEADERS)
def offer_time(account: str, table: LoadedTable, body: dict[str, Any]) -> Any:
    """Offer more time to the player to move.

    It is given when every other person at the table has offered some during this turn: the least of it. Until then you
    can change your offer, or withdraw it with `null`, and the table sees it in `words`. A player gets 28 days at most
    in this way until it is another's turn (422 `too_much`). The player to move cannot offer time to themselves, and a
    bot that is to move needs none (403 `not_yours_to_give`); nobody can in a game that is not running or has no clock
    (409 `not_running`, `no_clock`).
    """
    with transaction() as session:
        seat = table.seat_of(account)
        assert seat is not None, "only players get here"
        more_time.say(session, table, seat, body["duration"], now(), current_request().if_match())
        return game_answers.fresh_view(table.table.id, account)


@blp.route("/v1/games/<id:game_id>/keep", methods=["POST"])
@at_table("match", Role.PLAYER)
@refuses(409, 429)
@idempotent
@takes_if_match
@blp.response(200, GameSchema, example=CLOCKED, headers=TAG_HEADERS)
def keep_game(account: str, table: LoadedTable) -> Any:
    """Keep a game that would end because nobody goes on with it.

    The time after which it ends as abandoned begins anew. You can do so 5 times a day (429 `too_often`).
    """
    return game_answers.kept_view(account, table)


@blp.route("/v1/games/<id:game_id>/back", methods=["POST"])
@at_table("match", Role.PLAYER)
@refuses(409)
@idempotent
@takes_if_match
@blp.response(200, GameSchema, example=CLOCKED, headers=TAG_HEADERS)
def take_seat_back(account: str, table: LoadedTable) -> Any:
    """Take your seat back from the bot that plays it because your time had run out.

    Where no bot plays it, there is nothing to take back (409 `not_on_autopilot`). `POST /v1/me/back` does this in all
    your games.
    """
    with transaction() as session:
        seat = table.seat_of(account)
        assert seat is not None, "only players get here"
        autopilot.back(session, table, seat, now(), current_request().if_match())
        return game_answers.fresh_view(table.table.id, account)
