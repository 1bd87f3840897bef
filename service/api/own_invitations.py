"""``/v1/me/invitations``: the open invitations to the caller."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from engine.record import stamp
from service.access import secrets
from service.api import clock_view, game_view
from service.api.blueprint import Blueprint
from service.api.bodies import query
from service.api.callers import identified, with_caller
from service.api.context import pool, settings
from service.api.etags import conditional
from service.api.invitation_schemas import RECEIVED_EXAMPLE, ReceivedInvitationPage
from service.api.json_response import page_response
from service.api.json_text import encode
from service.api.paging import PAGE_HEADERS, PageQuery, check_epoch, cut, encode_cursor, place_of
from service.commands.invitations import LIFETIME, PURPOSE
from service.queries.invitations import ReceivedInvitation, received
from service.queries.table import LoadedTable, load
from service.store.callers import Bearer

blp = Blueprint("received-invitations", __name__, description="The open invitations to you.")


@blp.route("/v1/me/invitations", methods=["GET"])
@with_caller
@query(PageQuery)
@conditional
@blp.response(200, ReceivedInvitationPage, example={"items": [RECEIVED_EXAMPLE], "next": None}, headers=PAGE_HEADERS)
def list_received_invitations(caller: Bearer, query: dict[str, Any]) -> Any:
    """List the open invitations to you, newest first: those to your address, and those to your player id.

    To accept one, join its game (`POST /v1/games/{game_id}/players`) with its `invitation`; to decline it, send that to
    `POST /v1/games/{game_id}/declines`.
    """
    limit = query["limit"]
    place = place_of(query, datetime, str)
    before = (place.parts[0], place.parts[1]) if place else None
    found = received(pool(), caller, before, limit + 1, LIFETIME)
    identified(caller, found.account)
    check_epoch(place, found.epoch)
    invitations, last = cut(found.invitations, limit)
    following = None if last is None else encode_cursor(last.created_at, last.id, of=found.epoch)
    shown = [_shown(each, found.account, caller.now) for each in invitations]
    return page_response(shown, following)


def waiting_view(table: LoadedTable, account: str | None, at: datetime) -> str:
    """Return the JSON of a table for somebody who is invited there."""
    seat = table.seat_of(account)
    return game_view.for_reader(game_view.of_table(table), clock_view.render(table, seat, at), seat).decode()


def _shown(each: ReceivedInvitation, account: str | None, at: datetime) -> str:
    table = load(pool(), each.game)
    assert table is not None, "tables are never deleted"
    secret = secrets.secret(settings().secret_keys, PURPOSE, each.id)
    return (
        f'{{"id":"{each.id}","invitation":"{secret}","game":{waiting_view(table, account, at)},'
        f'"invited_by":{encode({"id": each.inviter, "name": each.name})},'
        f'"created_at":"{stamp(each.created_at)}","expires_at":"{stamp(each.expires_at)}"}}'
    )
