"""The changes that a move makes to a table, `engine.changes` in JSON, for clients that animate it."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from engine import changes
from engine.changes import Change
from engine.tiles import COUNT
from service.api.components import Component, union
from service.api.game_schemas import ResultSchema
from service.api.response_fields import const, nested, whole, wholes
from service.api.schema import ResponseSchema


def _start(description: str) -> fields.Integer:
    return fields.Integer(required=True, data_key="from", attribute="from", metadata={"description": description})


class TileTakenSchema(ResponseSchema):
    """A tile leaves the selection track: its space becomes null."""

    type = const("tile_taken")
    tile = whole("The tile's id.", minimum=1, maximum=COUNT)
    space = whole("The space where it lay, 0 to 11.")


class MarkerMovedSchema(ResponseSchema):
    """The marker moves on the selection track."""

    type = const("marker_moved")
    start = _start("The space that it leaves, 0 to 11.")
    to = whole("The space that it reaches.")


class DiscMovedSchema(ResponseSchema):
    """A player's disc moves on the moon track, onto the discs that lie on the space that it reaches."""

    type = const("disc_moved")
    seat = whole()
    start = _start("The distance from the start that it leaves; distances never wrap.")
    to = whole("The distance from the start that it reaches; its space on the printed ring is this modulo 24.")
    height = whole("The number of discs below it there.")


class TilePlacedSchema(ResponseSchema):
    """A tile is placed on a player's display, with no goal covered yet."""

    type = const("tile_placed")
    seat = whole()
    tile = whole("The tile's id.", minimum=1, maximum=COUNT)
    x = whole()
    y = whole()


class GoalCoveredSchema(ResponseSchema):
    """A goal disc is placed on a goal of a tile on the player's display."""

    type = const("goal_covered")
    seat = whole()
    tile = whole("The goal's tile.", minimum=1, maximum=COUNT)
    goal = whole("Which of the tile's goals, from 0.")
    counting = wholes("The ids of the tiles that count for it.")
    discs_left = whole("The player's goal discs that are left after this one.")


class PhaseBegunSchema(ResponseSchema):
    """The second phase of a solo begins."""

    type = const("phase_begun")
    phase = whole("The phase: 2.")
    first_total = whole("The total of the first phase.")


class TileDrawnSchema(ResponseSchema):
    """A tile comes from the draw pile to a space of the selection track."""

    type = const("tile_drawn")
    tile = whole("The tile's id.", minimum=1, maximum=COUNT)
    space = whole("The space that it comes to, 0 to 11.")
    pile_size = whole("The number of tiles that are left in the draw pile.")


class DiscRemovedSchema(ResponseSchema):
    """A player has left, and the disc is taken off the moon track."""

    type = const("disc_removed")
    seat = whole()
    start = _start("The distance from the start where it lay.")


class TurnPassedSchema(ResponseSchema):
    """It is another player's turn, since the time of the move."""

    type = const("turn_passed")
    seat = whole("The seat to move.")


class GameEndedSchema(ResponseSchema):
    """The game is over; nobody is to move."""

    type = const("game_ended")
    result = nested(ResultSchema)


CHANGE: Component = union(
    "Change",
    "type",
    {
        "tile_taken": TileTakenSchema,
        "marker_moved": MarkerMovedSchema,
        "disc_moved": DiscMovedSchema,
        "tile_placed": TilePlacedSchema,
        "goal_covered": GoalCoveredSchema,
        "phase_begun": PhaseBegunSchema,
        "tile_drawn": TileDrawnSchema,
        "disc_removed": DiscRemovedSchema,
        "turn_passed": TurnPassedSchema,
        "game_ended": GameEndedSchema,
    },
    "One change of the table. A move is a list of them, in the order in which hands would make them.",
)
"""A change of a table."""

_TYPES: dict[type[Change], str] = {
    changes.TileTaken: "tile_taken",
    changes.MarkerMoved: "marker_moved",
    changes.DiscMoved: "disc_moved",
    changes.TilePlaced: "tile_placed",
    changes.GoalCovered: "goal_covered",
    changes.PhaseBegun: "phase_begun",
    changes.TileDrawn: "tile_drawn",
    changes.DiscRemoved: "disc_removed",
    changes.TurnPassed: "turn_passed",
    changes.GameEnded: "game_ended",
}


NAMES = tuple(_TYPES.values())
"""The values of `type`."""


def to_json(change: Change) -> dict[str, Any]:
    """Return a change in JSON."""
    told: dict[str, Any] = {"type": _TYPES[type(change)]}
    if isinstance(change, changes.GameEnded):
        return {**told, "result": change.result.to_json()}
    if isinstance(change, changes.PhaseBegun):
        told["phase"] = 2
    return {**told, **{"from" if name == "start" else name: value for name, value in change._asdict().items()}}
