"""``/v1/me/notifications`` and ``/v1/games/{game_id}/notifications``: which mails a player wants, and when."""

from typing import Any

from flask import Response

from engine.record import stamp
from service.api.at_table import at_table
from service.api.auth import signed_in
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.bodies import body
from service.api.callers import TableRequest, refuse_caller, with_caller, with_table_request
from service.api.context import now, pool
from service.api.json_response import json_response
from service.api.notification_schemas import (
    DEFAULT,
    NOTIFICATIONS_EXAMPLE,
    OFF,
    ON,
    GameNotificationsRequest,
    GameNotificationsSchema,
    NotificationsRequest,
    NotificationsSchema,
)
from service.api.openapi_annotations import refuses
from service.commands import notifications as commands
from service.commands import reminding
from service.commands.talk import mute
from service.queries.notifications import (
    GameNotifications,
    OwnNotifications,
    notifications_of,
    notifications_of_game,
    own_notifications,
)
from service.queries.table import LoadedTable
from service.store.callers import Bearer, KnownAccount
from service.store.unit import transaction

blp = Blueprint("notifications", __name__, description="Which mails you want, and when.")


@blp.route("/v1/me/notifications", methods=["GET"])
@with_caller
@blp.response(200, NotificationsSchema, example=NOTIFICATIONS_EXAMPLE)
def get_notifications(caller: Bearer) -> Any:
    """Get your notification settings.

    Each mail is sent at once, whether or not you have just looked at the game, unless you want it in the daily digest
    or not at all. You get one mail about each of your turns.
    """
    wishes = notifications_of(pool(), caller)
    if wishes is None:
        refuse_caller(caller)
    return _shown(wishes)


@blp.route("/v1/me/notifications", methods=["PATCH"])
@signed_in
@body(NotificationsRequest, example={"turn": "digest", "digest_hour": 7, "zone": "Europe/Berlin"})
@refuses(429)
@blp.response(200, NotificationsSchema, example=NOTIFICATIONS_EXAMPLE)
def change_notifications(account: str, body: dict[str, Any]) -> Any:
    """Change your notification settings.

    The change applies to every mail that has not been sent yet. Your zone counts for your quiet times too, so you can
    change it 6 times within 30 days (429 `too_often`). The digest is sent once a day, at the hour that you
    choose in your time zone, if there is anything new in it.
    """
    with transaction() as session:
        if "reminders" in body:
            reminding.choose(session, account, tuple(dict.fromkeys(body["reminders"])), now())
        commands.change(session, account, body, now())
        return _shown(own_notifications(session, account))


@blp.route("/v1/games/<id:game_id>/notifications", methods=["GET"])
@with_table_request("match", Role.PLAYER)
@blp.response(200, GameNotificationsSchema, example={"mail": "off", "answer": "default", "talk": "on"})
def get_game_notifications(asked: TableRequest) -> Any:
    """Get your notification settings for a game that you play."""
    found = notifications_of_game(pool(), asked.caller, asked.table_id)
    asked.admit(found.access)
    return _of_game(found)


@blp.route("/v1/games/<id:game_id>/notifications", methods=["PATCH"])
@at_table("match", Role.PLAYER)
@body(GameNotificationsRequest, example={"mail": "off"})
@blp.response(200, GameNotificationsSchema, example={"mail": "off", "answer": "default", "talk": "on"})
def change_game_notifications(account: str, table: LoadedTable, body: dict[str, Any]) -> Any:
    """Change your notification settings for a game that you play.

    They override the settings of your account. `answer` is how the service replies to your own mails about the game.
    While `talk` is off, mails leave out the messages of the other players; if you turn it on again, they include the
    messages from then on.
    """
    with transaction() as session:
        if "talk" in body:
            mute(session, table.table.id, account, body["talk"] == OFF)
        if "mail" in body:
            mail = None if body["mail"] == DEFAULT else body["mail"]
            commands.change_game(session, account, table.table.key, mail, now())
        if "answer" in body:
            answer = None if body["answer"] == DEFAULT else body["answer"]
            commands.change_answers(session, account, table.table.key, answer)
        return _of_game(notifications_of_game(session, KnownAccount(account), table.table.id))


def _of_game(found: GameNotifications) -> Response:
    talk = OFF if found.is_muted else ON
    return json_response({"mail": found.mail or DEFAULT, "answer": found.answer or DEFAULT, "talk": talk})


def _shown(wishes: OwnNotifications) -> Response:
    due = wishes.next_digest_at
    return json_response({**wishes._asdict(), "next_digest_at": None if due is None else stamp(due)})
