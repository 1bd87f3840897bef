"""Schemas of players as others see them."""

from marshmallow import fields

from service.api.example_players import PLAYER_IDS
from service.api.response_fields import moment, nested, text, whole
from service.api.schema import ResponseSchema
from service.queries.people import COUNTED


class PlayerProfileSchema(ResponseSchema):
    """A player, as everybody sees them."""

    id = text("The player's id, which stays the same in all games.")
    name = text("Null if it is not set.", allow_none=True)
    created_at = moment("When the player signed up.")
    games_finished = whole(f"How many of the player's newest {COUNTED:,} finished games you may see.")
    blocked = fields.Boolean(required=True, metadata={"description": "Whether you have blocked this player."})


class BlockedPlayerSchema(ResponseSchema):
    """A player whom you have blocked."""

    id = text("The player's id.")
    name = text("Null if it is not set.", allow_none=True)
    blocked_at = moment("When you blocked the player.")


class BlockedPlayerPage(ResponseSchema):
    """A page of the players whom you have blocked, the latest first."""

    items = nested(BlockedPlayerSchema, many=True)
    next = text("The cursor of the next page; null on the last page.", allow_none=True)


PROFILE_EXAMPLE = {
    "id": PLAYER_IDS["Ben"],
    "name": "Ben",
    "created_at": "2026-11-27T20:56:00.123Z",
    "games_finished": 12,
    "blocked": False,
}

BLOCKED_EXAMPLE = {"id": PLAYER_IDS["Cleo"], "name": "Cleo", "blocked_at": "2026-11-27T20:56:00.123Z"}
