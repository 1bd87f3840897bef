"""``/v1/games/{game_id}/messages``: the conversation at a table."""

from typing import Any

from engine.record import stamp
from service.api.at_table import at_table
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.bodies import body, query
from service.api.callers import TableRequest, with_table_request
from service.api.context import limiter, now, pool, settings
from service.api.etags import conditional
from service.api.idempotent import idempotent
from service.api.json_response import page_response
from service.api.json_text import encode
from service.api.openapi_annotations import refuses
from service.api.paging import PAGE_HEADERS, check_epoch, cut, encode_cursor, place_of
from service.api.talk_schemas import MESSAGE_EXAMPLE, MessagePage, MessageRequest, MessageSchema, MessagesQuery
from service.commands import talk
from service.commands.talk import MessageLimits
from service.queries.table import LoadedTable
from service.queries.talk import TableMessage, messages
from service.store.unit import transaction

blp = Blueprint(
    "messages", __name__, description="The conversation at a table. Everybody who may see the table may read it."
)


@blp.route("/v1/games/<id:game_id>/messages", methods=["GET"])
@with_table_request("match")
@query(MessagesQuery)
@conditional
@blp.response(200, MessagePage, example={"items": [MESSAGE_EXAMPLE], "next": None}, headers=PAGE_HEADERS)
def list_messages(asked: TableRequest, query: dict[str, Any]) -> Any:
    """List the messages at a table, newest first."""
    limit = query["limit"]
    place = place_of(query, int)
    found = messages(pool(), asked.caller, asked.table_id, place.parts[0] if place else None, limit + 1)
    asked.admit(found.access)
    check_epoch(place, found.epoch)
    said = [each for each in found.messages if each.number > query["since"]]
    shown, last = cut(said, limit)
    following = None if last is None else encode_cursor(last.number, of=found.epoch)
    return page_response([encode({**_shown(each), "at": stamp(each.at)}) for each in shown], following)


@blp.route("/v1/games/<id:game_id>/messages", methods=["POST"])
@at_table("match", Role.PLAYER)
@body(MessageRequest, example={"text": "Well played. I had my eye on that one!"})
@refuses(409, 429)
@idempotent
@blp.response(201, MessageSchema, example=MESSAGE_EXAMPLE)
def say(account: str, table: LoadedTable, body: dict[str, Any]) -> Any:
    """Send a message to a table that you sit at.

    The other players get it in their next mail about the game, or in their digest. After the end, when there are no
    more such mails, they get a mail with the new messages at most once an hour. Each can mute the messages of a game
    (`PATCH /v1/games/{game_id}/notifications`). Everybody who may see the table can read them. If you delete your
    account, your messages are erased. An account may send 60 messages an hour (429).
    """
    limits = MessageLimits.of(settings(), limiter())
    with transaction() as session:
        made = talk.say(session, table.table.id, account, body["text"], now(), limits)
    mine = next(player for player in table.players if player.account == account)
    return _shown(TableMessage(made.number, mine.seat, mine.name, made.at, made.text, account)), 201


def _shown(spoken: TableMessage) -> dict[str, Any]:
    return {
        "number": spoken.number,
        "seat": spoken.seat,
        "author_id": spoken.author_id,
        "name": spoken.name,
        "at": spoken.at,
        "text": spoken.said,
    }
