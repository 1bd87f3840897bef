"""The schemas of the goals on a display, and why each is met or not."""

from __future__ import annotations

from marshmallow import fields

from engine.goals import SIDES
from engine.tiles import COUNT
from service.api.move_schemas import ViewQuery
from service.api.response_fields import component, flag, nested, text, texts, whole, wholes
from service.api.schema import ResponseSchema
from service.api.tile_view import COLOR
from service.api.validators import OneOf
from service.language.languages import CODES


class GoalsQuery(ViewQuery):
    """The options of the goals on a display."""

    language = fields.String(
        load_default="en",
        validate=OneOf(CODES),
        metadata={"description": "The language of the sentences.", "example": "fr"},
    )


class TouchingChainSchema(ResponseSchema):
    """A chain that touches the goal's tile at a side."""

    tiles = wholes("The ids of its tiles in the order of placement, without the goal's own tile.")
    sides = fields.List(
        fields.String(metadata={"enum": list(SIDES)}),
        required=True,
        metadata={"description": "The sides of the goal's tile where it touches; it counts once."},
    )


class AskedColorSchema(ResponseSchema):
    """A color that a goal asks for."""

    color = component(COLOR)
    needed = whole("How many tiles the goal asks for.")
    counted = whole("How many tiles count.")
    missing = whole("How many tiles are missing; 0 if there are enough.")
    chains = nested(TouchingChainSchema, "The chains that the tiles come by.", many=True)
    sentence = text("The same in words.")


class ExplainedGoalSchema(ResponseSchema):
    """A goal of a placed tile, and why it is met or not."""

    tile = whole("The id of its tile.", minimum=1, maximum=COUNT)
    goal = whole("Which of the tile's goals, from 0.")
    name = text("The goal as the text notation names it, counted from 1, such as `34.2`; pictures take it as `why`.")
    asks = text("One letter (b, r, t, y) for each tile that the goal asks for.")
    met = flag("Whether there are enough tiles of each color.")
    covered = flag("Whether a goal disc lies on it. A goal that is met and not covered waits for a disc.")
    covered_by = whole("The `seq` of the move that covered it; null if it is not covered.", allow_none=True)
    colors = nested(AskedColorSchema, "The colors that it asks for.", many=True)
    counting = wholes("The ids of the tiles that count for it.")
    rules = texts("The numbers of the rules that decide it, as in `GET /v1/rules`.")
    sentence = text("In words what it asks for, and what it lacks.")


class SeatGoalsSchema(ResponseSchema):
    """The goals on a player's display."""

    version = whole("The version of the game.")
    seat = whole("The seat of the player.")
    goals = nested(ExplainedGoalSchema, "By tile in the order of placement.", many=True)
