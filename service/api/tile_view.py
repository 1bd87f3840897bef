"""The JSON of a tile, and its schema."""

from typing import Any

from marshmallow import fields

from engine.tiles import ALL, COLORS
from service.api.components import Component
from service.api.response_fields import component
from service.api.schema import ResponseSchema
from service.language import words

COLOR = Component("Color", {"type": "string", "enum": list(COLORS)})
"""The color of a tile."""


class GoalSchema(ResponseSchema):
    """A goal of a tile."""

    asks = fields.String(
        required=True, metadata={"description": "One letter (b, r, t, y) for each tile that the goal asks for."}
    )
    text = fields.String(required=True, metadata={"description": "The goal in words."})


class TileSchema(ResponseSchema):
    """One of the 68 tiles."""

    id = fields.Integer(required=True, metadata={"minimum": 1, "maximum": len(ALL)})
    color = component(COLOR)
    cost = fields.Integer(required=True, metadata={"minimum": 1, "maximum": 7, "description": "The time cost."})
    goals = fields.List(fields.Nested(GoalSchema), required=True)


TILES: tuple[dict[str, Any], ...] = (
    {},
    *(
        {
            "id": tile.id,
            "color": tile.color,
            "cost": tile.cost,
            "goals": [{"asks": goal, "text": words.goal(goal)} for goal in tile.goals],
        }
        for tile in ALL
    ),
)
"""The tiles by id; index 0 is no tile."""
