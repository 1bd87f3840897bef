"""Schemas of invitations: by mail, by player id, and by a link."""

from typing import Any

from marshmallow import ValidationError, fields, validates_schema

from engine.phrases import Phrase
from service.api.example_players import PLAYER_IDS
from service.api.fields import Email, Id, Moment, Whole
from service.api.game_examples import GAME
from service.api.game_schemas import GameSchema
from service.api.response_fields import nested, text, whole
from service.api.schema import RequestSchema, ResponseSchema
from service.api.validators import Length, Range

INVITATION_STATES = ("open", "used", "declined", "taken_back", "expired")
LINK_STATES = ("open", "revoked", "used_up", "expired")

MOST_USES, MOST_DAYS = 10, 14
"""The most players whom an invitation link lets in, and the most days for which it is valid."""


def secret(**options: Any) -> fields.String:
    """Return a request's field with the secret of an invitation."""
    return fields.String(
        validate=Length(1, 100),
        metadata={
            "description": "The secret that was mailed with an invitation, or the `invitation` of one in `GET"
            " /v1/me/invitations` or of an invitation link."
        },
        **options,
    )


class InvitationRequest(RequestSchema):
    """A request to invite somebody: by mail to an address, or a player by id. Give one of the two."""

    email = Email()
    player = Id(metadata={"description": "The id of the player: `players[].id` in games."})

    @validates_schema(skip_on_field_errors=True)
    def check_one(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Refuse a request that names nobody, or somebody in both ways."""
        if len(data) != 1:
            raise ValidationError([Phrase("Must have either `email` or `player`.")])


class DeclineRequest(RequestSchema):
    """A request to decline an invitation."""

    invitation = secret(required=True)


class NamedPlayerSchema(ResponseSchema):
    """A player, by id and name."""

    id = text("The player's id; null once the account has been deleted.", allow_none=True)
    name = text("Null if it is not set or was erased.", allow_none=True)


class InvitationSchema(ResponseSchema):
    """An invitation, as the maker of the table sees it."""

    id = text()
    email = text("Null for a player who was invited by id, and once it has been erased.", allow_none=True)
    player = nested(NamedPlayerSchema, "Null unless the player was invited by id.", allow_none=True)
    state = text("", enum=INVITATION_STATES)
    created_at = Moment(required=True)
    expires_at = Moment(required=True)


class InvitationPage(ResponseSchema):
    """A page of invitations, newest first."""

    items = nested(InvitationSchema, many=True)
    next = text("The cursor of the next page; null on the last page.", allow_none=True)


class ReceivedInvitationSchema(ResponseSchema):
    """An open invitation to you."""

    id = text()
    invitation = text("The secret by which you join, or decline: as `invitation` in these requests.")
    game = nested(GameSchema, "The table, with its settings and its players.")
    invited_by = nested(NamedPlayerSchema, "Who invites you.")
    created_at = Moment(required=True)
    expires_at = Moment(required=True)


class ReceivedInvitationPage(ResponseSchema):
    """A page of the open invitations to you, newest first."""

    items = nested(ReceivedInvitationSchema, many=True)
    next = text("The cursor of the next page; null on the last page.", allow_none=True)


class InvitationLinkRequest(RequestSchema):
    """A request for an invitation link."""

    uses = Whole(load_default=1, validate=Range(1, MOST_USES), metadata={"description": "How many players it lets in."})
    days = Whole(
        load_default=7, validate=Range(1, MOST_DAYS), metadata={"description": "For how many days it is valid."}
    )


class InvitationLinkSchema(ResponseSchema):
    """An invitation link, as the maker of the table sees it."""

    id = text()
    url = text("The page to hand round. It shows the table, and joins nobody by being opened.")
    invitation = text("The text by which a program joins: as `invitation` in the request.")
    state = text("", enum=LINK_STATES)
    uses = whole("How many players it lets in.")
    used = whole("How many it has let in.")
    created_at = Moment(required=True)
    expires_at = Moment(required=True)


class InvitationLinkList(ResponseSchema):
    """The newest 100 invitation links to a table, newest first."""

    items = nested(InvitationLinkSchema, many=True)


class LinkedTableSchema(ResponseSchema):
    """The table that an invitation link leads to."""

    game = nested(GameSchema, "The table, with its settings and its players.")
    invited_by = nested(NamedPlayerSchema, "Who made the link.")
    uses_left = whole("How many more players it lets in.")
    expires_at = Moment(required=True)


_AT, _LATER = "2026-11-27T20:56:00.123Z", "2026-12-11T20:56:00.123Z"
_ANN = {"id": PLAYER_IDS["Ann"], "name": "Ann"}
_TEXT = "IjV5UXgyUm5WZEtzSCI.k3zVJc1nTq0uXo8yB5rWmE7hGdLfPs2iAaV4KbCxYtM"

INVITATION_EXAMPLE = {
    "id": "5yQx2RnVdKsH",
    "email": "ben@example.org",
    "player": None,
    "state": "open",
    "created_at": _AT,
    "expires_at": _LATER,
}

RECEIVED_EXAMPLE = {
    "id": "5yQx2RnVdKsH",
    "invitation": "kZ3vJc1nTq0uXo8yB5rWmE7hGdLfPs2iAaV4KbCxYtM",
    "game": GAME.open,
    "invited_by": _ANN,
    "created_at": _AT,
    "expires_at": _LATER,
}

LINK_EXAMPLE = {
    "id": "5yQx2RnVdKsH",
    "url": f"https://nova-luna.example.org/invitation?link={_TEXT}",
    "invitation": _TEXT,
    "state": "open",
    "uses": 3,
    "used": 1,
    "created_at": _AT,
    "expires_at": _LATER,
}

LINKED_EXAMPLE = {"game": GAME.open, "invited_by": _ANN, "uses_left": 2, "expires_at": _LATER}
