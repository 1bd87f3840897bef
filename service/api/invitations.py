"""``/v1/games/{game_id}/invitations`` and ``/declines``: invite by mail, and decline."""

from datetime import datetime
from typing import Any

from service.api.at_table import at_table
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.bodies import body, query
from service.api.context import bounds, limiter, now, settings
from service.api.etags import conditional
from service.api.idempotent import idempotent
from service.api.invitation_schemas import (
    INVITATION_EXAMPLE,
    DeclineRequest,
    InvitationPage,
    InvitationRequest,
    InvitationSchema,
)
from service.api.json_response import page_response
from service.api.json_text import encode
from service.api.openapi_annotations import refuses
from service.api.paging import PAGE_HEADERS, PageQuery, cut, decode_cursor, encode_cursor
from service.commands import invitations
from service.commands.invitation_limits import InvitationLimits
from service.queries.invitations import SentInvitation, sent, sent_one
from service.queries.table import LoadedTable
from service.store.accounts import Account
from service.store.base import db
from service.store.unit import transaction

blp = Blueprint(
    "invitations", __name__, description="Invitations to a table, by mail. Each is good for one player and for 14 days."
)

_INVITATION = InvitationSchema()


@blp.route("/v1/games/<id:game_id>/invitations", methods=["GET"])
@at_table("match", Role.MAKER)
@query(PageQuery)
@conditional
@blp.response(200, InvitationPage, example={"items": [INVITATION_EXAMPLE], "next": None}, headers=PAGE_HEADERS)
def list_invitations(account: str, table: LoadedTable, query: dict[str, Any]) -> Any:
    """List the invitations to a table that you made, newest first.

    Those that somebody has asked for on the page of an invitation link are not in it.
    """
    limit, at = query["limit"], now()
    before: tuple[datetime, str] | None = None
    if "cursor" in query:
        time, id = decode_cursor(query["cursor"], datetime, str)
        before = time, id
    found = sent(db.session(), table.table.key, before, limit + 1)
    shown, last = cut(found, limit)
    following = None if last is None else encode_cursor(last.invitation.created_at, last.invitation.id)
    return page_response([encode(_INVITATION.dump(_shown(each, at))) for each in shown], following)


@blp.route("/v1/games/<id:game_id>/invitations", methods=["POST"])
@at_table("match", Role.MAKER)
@body(InvitationRequest, example={"email": "ben@example.org"})
@refuses(404, 409, 429)
@blp.response(
    201,
    InvitationSchema,
    example=INVITATION_EXAMPLE,
    headers={"Location": {"description": "The URL of the invitation.", "schema": {"type": "string"}}},
)
def invite(account: str, table: LoadedTable, body: dict[str, Any]) -> Any:
    """Invite somebody to a table that you made: an address (`email`), or a player by id (`player`).

    Both get a mail; a player finds the invitation in `GET /v1/me/invitations`, too. You do not learn the address of a
    player, nor whether an address belongs to one. The mail contains a secret that lets one player in within 14 days.

    An account may send 20 invitations a day, 3 of them to one recipient (429), however its address is spelled. Of
    invitations by accounts that have not played with a recipient, 12 a day are mailed together; nothing tells whether
    one is. An invitation that is refused does not count. Who has an open invitation to this table is not invited again
    (409 `already_invited`), nor a player who sits there (409 `already_seated`) or whom you have blocked (409
    `player_blocked`), nor you yourself (409 `yourself`), and an account may have 60 unanswered invitations to its open
    tables (409 `too_many_standing_invitations`).
    """
    at = now()
    limits = InvitationLimits.of(settings(), limiter())
    with transaction() as session:
        if "player" in body:
            player = body["player"]
            invitation = invitations.invite_player(session, account, table.table.id, player, limits, at, bounds())
            name = session.get_one(Account, player).name
        else:
            name = None
            invitation = invitations.invite(session, account, table.table.id, body["email"], limits, at, bounds())
    place = f"/v1/games/{table.table.id}/invitations/{invitation.id}"
    return _shown(SentInvitation(invitation, name), at), 201, {"Location": place}


@blp.route("/v1/games/<id:game_id>/invitations/<id:invitation_id>", methods=["GET"])
@at_table("match", Role.MAKER)
@blp.response(200, InvitationSchema, example=INVITATION_EXAMPLE)
def get_invitation(account: str, table: LoadedTable, invitation_id: str) -> Any:
    """Get one of the invitations to a table that you made."""
    found = sent_one(db.session(), table.table.key, invitation_id)
    if found is None:
        raise invitations.none_such()
    return _shown(found, now())


@blp.route("/v1/games/<id:game_id>/invitations/<id:invitation_id>", methods=["DELETE"])
@at_table("match", Role.MAKER)
@refuses(404, 409)
@blp.response(204)
def take_invitation_back(account: str, table: LoadedTable, invitation_id: str) -> None:
    """Take an invitation back, unless it was used or declined (409)."""
    with transaction() as session:
        invitations.take_back(session, account, table.table.id, invitation_id, now())


@blp.route("/v1/games/<id:game_id>/declines", methods=["POST"])
@at_table("match", Role.HOLDER)
@body(DeclineRequest, example={"invitation": "kZ3vJc1nTq0uXo8yB5rWmE7hGdLfPs2iAaV4KbCxYtM"})
@refuses(409)
@idempotent
@blp.response(204)
def decline_invitation(account: str | None, table_id: str, body: dict[str, Any]) -> None:
    """Decline an invitation by the secret that was mailed.

    No account is needed, and declining twice does no harm.
    """
    with transaction() as session:
        invitations.decline(session, table_id, body["invitation"], settings().secret_keys, now())


def _shown(sent: SentInvitation, at: datetime) -> dict[str, Any]:
    invitation = sent.invitation
    return {
        "id": invitation.id,
        "email": invitation.email,
        "player": None if invitation.account is None else {"id": invitation.account, "name": sent.name},
        "state": invitation.state(at),
        "created_at": invitation.created_at,
        "expires_at": invitation.expires_at,
    }
