"""Schemas of legal moves."""

from __future__ import annotations

from marshmallow import fields

from service.api.response_fields import nested, text, whole, wholes
from service.api.schema import ResponseSchema


class CellSchema(ResponseSchema):
    """A cell of a display."""

    x = whole()
    y = whole()
    letter = text("The label of the cell in pictures and mails: A to Z, then AA.")


class AllowedMovesSchema(ResponseSchema):
    """The moves that a player may make: each of the tiles may go to each of the cells."""

    tiles = wholes("The choices, nearest the marker first.")
    cells = nested(CellSchema, "In reading order.", many=True)
    refill = fields.Boolean(required=True)
    resign = fields.Boolean(required=True)


class LegalMovesSchema(AllowedMovesSchema):
    """The legal moves of the player to move: each of the tiles may go to each of the cells."""

    version = whole()
    seat = whole("The seat to move; null unless the game is running.", allow_none=True)
