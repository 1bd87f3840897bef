"""The schemas of moves as they stand in logs and records, `engine.moves` in JSON."""

from __future__ import annotations

from marshmallow import fields

from engine.tiles import COUNT
from service.api.components import Component, union
from service.api.response_fields import const, text, whole
from service.api.schema import ResponseSchema


class PlaceSchema(ResponseSchema):
    """A player took a tile from the selection track and placed it."""

    type = const("place")
    tile = whole("The tile's id.", minimum=1, maximum=COUNT)
    x = whole("Grows to the right; the first tile is at 0, 0.")
    y = whole("Grows downward.")


class RefillSchema(ResponseSchema):
    """A player refilled the selection track."""

    type = const("refill")


class ResignSchema(ResponseSchema):
    """A player left the game."""

    type = const("resign")


class TimeoutSchema(ResponseSchema):
    """A player was put out of the game, for not moving in time or by the host."""

    type = const("timeout")


class EndSchema(ResponseSchema):
    """The game ended without a ranking, by the host or because it was abandoned."""

    type = const("end")


class MarkSchema(ResponseSchema):
    """Something that changes nothing at the table, such as a step of the clock."""

    type = const("mark")
    kind = text("What it is, such as `clock.nudge`. More kinds may come.")
    data = fields.Raw(metadata={"description": "Depends on `kind`; there may be none."})


MOVE: Component = union(
    "Move",
    "type",
    {
        "place": PlaceSchema,
        "refill": RefillSchema,
        "resign": ResignSchema,
        "timeout": TimeoutSchema,
        "end": EndSchema,
        "mark": MarkSchema,
    },
    "A move as it stands in the log. All but `place`, `refill` and `resign` are entries that no player makes.",
)
"""A move in a log."""
