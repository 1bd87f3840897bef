"""``/v1/players`` and ``/v1/me/blocked``: players as others see them, and whom one has blocked."""

from datetime import datetime
from typing import Any

from engine.record import stamp
from service.api.auth import signed_in
from service.api.blueprint import Blueprint
from service.api.bodies import query
from service.api.callers import identified, with_caller, with_caller_if_any
from service.api.context import now, pool
from service.api.converters import NO_ID
from service.api.etags import conditional
from service.api.game_examples import GAME
from service.api.game_schemas import GamePage
from service.api.json_response import json_response, page_response
from service.api.json_text import encode
from service.api.openapi_annotations import refuses
from service.api.paging import PAGE_HEADERS, PageQuery, check_epoch, cut, encode_cursor, place_of
from service.api.people_schemas import BLOCKED_EXAMPLE, PROFILE_EXAMPLE, BlockedPlayerPage, PlayerProfileSchema
from service.api.table_lists import page
from service.api.table_schemas import TableFilters
from service.commands import blocks
from service.queries import people
from service.store import blocks as store
from service.store.callers import Bearer
from service.store.unit import transaction

blp = Blueprint("people", __name__, description="Players as others see them, and those whom you have blocked.")


@blp.route("/v1/players/<id:player_id>", methods=["GET"])
@with_caller_if_any
@refuses(404)
@blp.response(200, PlayerProfileSchema, example=PROFILE_EXAMPLE)
def get_player(caller: Bearer, player_id: str) -> Any:
    """Get a player.

    `players[].id` in games and `author_id` of messages are such ids, and so is the `id` of your own account. Whose
    account was deleted or suspended cannot be found (404 `unknown_player`).
    """
    account, found = people.profile(pool(), caller, player_id)
    identified(caller, account)
    if found is None:
        raise blocks.unknown_player()
    return json_response(
        {
            "id": found.id,
            "name": found.name,
            "created_at": stamp(found.created_at),
            "games_finished": found.games_finished,
            "blocked": found.is_blocked,
        }
    )


@blp.route("/v1/players/<id:player_id>/games", methods=["GET"])
@with_caller_if_any
@refuses(404)
@query(TableFilters)
@refuses(410)
@conditional
@blp.response(200, GamePage, example=GAME.page, headers=PAGE_HEADERS)
def list_games_of_player(caller: Bearer, player_id: str, query: dict[str, Any]) -> Any:
    """List the games of a player that you may see, newest first.

    These are the public ones and, with an access token, those at whose table you sit, too. A page examines a limited
    number of games, so it may have fewer than `limit`, and still a `next`.
    """
    account, is_there = people.exists(pool(), caller, player_id)
    identified(caller, account)
    if not is_there:
        raise blocks.unknown_player()
    return page("match", caller, query, player_id)


@blp.route("/v1/me/blocked", methods=["GET"])
@with_caller
@query(PageQuery)
@conditional
@blp.response(200, BlockedPlayerPage, example={"items": [BLOCKED_EXAMPLE], "next": None}, headers=PAGE_HEADERS)
def list_blocked_players(caller: Bearer, query: dict[str, Any]) -> Any:
    """List the players whom you have blocked, the latest first."""
    limit = query["limit"]
    place = place_of(query, datetime, str)
    found = people.blocked(pool(), caller, (place.parts[0], place.parts[1]) if place else None, limit + 1)
    identified(caller, found.account)
    check_epoch(place, found.epoch)
    players, last = cut(found.players, limit)
    following = None if last is None else encode_cursor(last.created_at, last.id, of=found.epoch)
    shown = [{"id": each.id, "name": each.name, "blocked_at": stamp(each.created_at)} for each in players]
    return page_response([encode(each) for each in shown], following)


@blp.route("/v1/me/blocked/<id:player_id>", methods=["PUT"])
@signed_in
@refuses(404, 409)
@blp.response(204)
def block_player(account: str, player_id: str) -> None:
    """Block a player.

    From then on, neither of you can join a table that the other sits at, get an invitation from the other, or have a
    rematch with the other; neither sees the other's open games in lists; and you get no messages of the player, at
    tables or by mail. Games that you share already go on. The player is not told: a table counts as full for them, and
    an invitation is accepted as if it were sent. Where you have blocked somebody yourself, the answer is 409
    `player_blocked`.

    You may block 1,000 players (409 `too_many_blocked`), but not yourself (409 `yourself`).
    """
    with transaction() as session:
        blocks.block(session, account, player_id, now())


@blp.route("/v1/me/blocked/<id:player_id>", methods=["DELETE"])
@signed_in
@refuses(404)
@blp.response(204)
def unblock_player(account: str, player_id: str) -> None:
    """Stop blocking a player.

    It does no harm if you have not blocked them.
    """
    if player_id == NO_ID:
        raise blocks.unknown_player()
    with transaction() as session:
        store.remove(session, account, player_id)
