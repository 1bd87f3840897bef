"""Links that invite whoever has them: ``/v1/games/{game_id}/invitation-links``, and ``/v1/invitation-link``."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from flask import Response
from marshmallow import fields

from engine.record import stamp
from service.access import links
from service.api.at_table import at_table
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.bodies import body, query
from service.api.context import bounds, now, pool, settings
from service.api.etags import conditional
from service.api.invitation_schemas import (
    LINK_EXAMPLE,
    LINKED_EXAMPLE,
    InvitationLinkList,
    InvitationLinkRequest,
    InvitationLinkSchema,
    LinkedTableSchema,
)
from service.api.json_response import JSON, list_response
from service.api.json_text import encode
from service.api.openapi_annotations import refuses
from service.api.own_invitations import waiting_view
from service.api.paging import TAG_HEADER
from service.api.schema import RequestSchema
from service.api.validators import Length
from service.commands import invitation_links as commands
from service.queries import invitations
from service.queries.table import LoadedTable, load
from service.store.base import db
from service.store.invitations import InvitationLink
from service.store.tables import Table
from service.store.unit import transaction

blp = Blueprint(
    "invitation-links", __name__, description="Links to hand round, by which whoever has one joins a table."
)

_LINK = InvitationLinkSchema()


class LinkQuery(RequestSchema):
    """The text of an invitation link."""

    link = fields.String(
        required=True,
        validate=Length(1, 200),
        metadata={"description": "The `invitation` of an invitation link, which stands in its URL as `link`."},
    )


@blp.route("/v1/games/<id:game_id>/invitation-links", methods=["GET"])
@at_table("match", Role.MAKER)
@conditional
@blp.response(200, InvitationLinkList, example={"items": [LINK_EXAMPLE]}, headers=TAG_HEADER)
def list_invitation_links(account: str, table: LoadedTable) -> Any:
    """List the newest 100 invitation links to a table that you made, newest first."""
    at = now()
    found = invitations.links(db.session(), table.table.key)
    return list_response([encode(_LINK.dump(_shown(each, at))) for each in found])


@blp.route("/v1/games/<id:game_id>/invitation-links", methods=["POST"])
@at_table("match", Role.MAKER)
@body(InvitationLinkRequest, example={"uses": 3, "days": 14}, required=False)
@refuses(409, 429)
@blp.response(
    201,
    InvitationLinkSchema,
    example={**LINK_EXAMPLE, "used": 0},
    headers={"Location": {"description": "The URL of the link, for whoever made it.", "schema": {"type": "string"}}},
)
def make_invitation_link(account: str, table: LoadedTable, body: dict[str, Any]) -> Any:
    """Make a link to a table that you made, to hand round.

    Its `url` shows the table to everybody who has it, even if the game is private, and lets them ask for an invitation
    by mail. A program joins by its `invitation`. Nobody joins by opening it. It lets in so many players (`uses`), for
    so many days. A table may have 10 open links (409 `too_many_links`), an account 60 (409 `too_many_standing_links`),
    and it may make 60 a day (429 `too_many_new_links`). A link is deleted 30 days after it has expired. No
    `Idempotency-Key` is taken, as that would store the link: a repeated request makes a second one, which can be
    revoked.
    """
    at = now()
    with transaction() as session:
        link = commands.make(
            session,
            account,
            table.table.id,
            uses=body["uses"],
            lifetime=timedelta(days=body["days"]),
            now=at,
            bounds=bounds(),
        )
        shown = _shown(link, at)
    return shown, 201, {"Location": f"/v1/games/{table.table.id}/invitation-links/{shown['id']}"}


@blp.route("/v1/games/<id:game_id>/invitation-links/<id:link_id>", methods=["GET"])
@at_table("match", Role.MAKER)
@blp.response(200, InvitationLinkSchema, example=LINK_EXAMPLE)
def get_invitation_link(account: str, table: LoadedTable, link_id: str) -> Any:
    """Get one of the invitation links to a table that you made."""
    found = invitations.link(db.session(), table.table.key, link_id)
    if found is None:
        raise commands.no_such_link()
    return _shown(found, now())


@blp.route("/v1/games/<id:game_id>/invitation-links/<id:link_id>", methods=["DELETE"])
@at_table("match", Role.MAKER)
@refuses(404)
@blp.response(204)
def revoke_invitation_link(account: str, table: LoadedTable, link_id: str) -> None:
    """Revoke an invitation link, so that it lets in nobody any more.

    Players whom it has let in stay. Revoking it twice does no harm.
    """
    with transaction() as session:
        commands.revoke(session, account, table.table.id, link_id, now())


@blp.route("/v1/invitation-link", methods=["GET"])
@refuses(404, 409)
@query(LinkQuery)
@blp.response(200, LinkedTableSchema, example=LINKED_EXAMPLE)
def get_linked_table(query: dict[str, Any]) -> Any:
    """Get the table that an invitation link leads to.

    This joins nobody; to join, send the same text as `invitation` to `POST /v1/games/{game_id}/players`. A link that
    lets in nobody any more is 409: `link_revoked`, `link_used_up` or `link_expired`; so is one whose maker is
    suspended, `link_suspended`, and one to a table that waits for nobody, `table_closed` or `already_started`.
    """
    at, session = now(), db.session()
    link = commands.find(session, settings().secret_keys, query["link"])
    if link is None:
        raise commands.no_such_link()
    row = session.get_one(Table, link.game)
    commands.check_leads_somewhere(session, row, link, at)
    table = load(pool(), row.id)
    assert table is not None, "tables are never deleted"
    maker = next((player for player in table.players if player.account == link.made_by), None)
    inviter = {"id": maker and maker.public_id, "name": maker and maker.name}
    return Response(
        f'{{"game":{waiting_view(table, None, at)},"invited_by":{encode(inviter)},'
        f'"uses_left":{link.uses - link.used},"expires_at":"{stamp(link.expires_at)}"}}',
        content_type=JSON,
    )


def _shown(link: InvitationLink, at: datetime) -> dict[str, Any]:
    return {
        "id": link.id,
        "url": links.invitation_link(settings(), link.id),
        "invitation": links.invitation_text(settings().secret_keys, link.id),
        "state": link.state(at),
        "uses": link.uses,
        "used": link.used,
        "created_at": link.created_at,
        "expires_at": link.expires_at,
    }
