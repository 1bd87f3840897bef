"""Schemas of moves: those that are sent, tried and listed, and those that are legal."""

from typing import Any, ClassVar

from marshmallow import ValidationError, fields, post_load

from engine import moves
from engine.errors import MalformedMove
from engine.phrases import phrase
from engine.tiles import COUNT
from service.api.fields import Head, QueryFlag, QueryWhole, Whole
from service.api.game_schemas import (
    CoveredGoalSchema,
    DiscMovementSchema,
    ResultSchema,
)
from service.api.response_fields import moment, nested, text, whole, wholes
from service.api.schema import RequestSchema, ResponseSchema
from service.api.validators import Matching, OneOf, Range

LETTERS = "^[A-Z]{1,3}$"
"""The pattern of the letters of a cell."""

_CELL = {"required": ["tile", "x", "y"], "properties": {"type": {"enum": ["place"]}}}
_NEVER: dict[str, Any] = {"not": {}}
_BARE = {
    "properties": {"type": {"enum": ["refill", "resign"]}, "tile": _NEVER, "x": _NEVER, "y": _NEVER, "letter": _NEVER}
}


def _coordinate(description: str) -> Whole:
    return Whole(validate=Range(-moves.MOST, moves.MOST), metadata={"description": f"{description} Only with `place`."})


class MoveRequest(RequestSchema):
    """A move of a player. Timeouts, marks and ends are no moves of players, so they are refused."""

    class Meta(RequestSchema.Meta):
        also: ClassVar = {"oneOf": [_CELL, _BARE]}

    type = fields.String(required=True, validate=OneOf(("place", "refill", "resign")))
    tile = Whole(validate=Range(1, COUNT), metadata={"description": "One of the choices. Only with `place`."})
    x = _coordinate("Grows to the right.")
    y = _coordinate("Grows downward.")
    letter = fields.String(
        validate=Matching(LETTERS, phrase("Must be one to three capital letters.")),
        metadata={"description": "The letters of the cell; optional, and checked if sent. Only with `place`."},
    )
    expected_version = Whole(
        validate=Range(0, moves.MOST),
        metadata={
            "description": "The version that the move was chosen at; if it is stale, the answer is 409. Marks, such as"
            " steps of the clock, make it no staler. Required unless `If-Match` is sent; not required to resign, nor"
            " for a dry run."
        },
    )

    @post_load
    def make(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Return the engine's move as `move`, with `expected_version` and `letter` (None if they were not sent)."""
        expected = data.pop("expected_version", None)
        letter = data.pop("letter", None) if data["type"] == "place" else None
        try:
            return {"move": moves.from_json(data), "expected_version": expected, "letter": letter}
        except MalformedMove as error:
            raise ValidationError([error.phrase]) from error


class MoveQuery(RequestSchema):
    """The options of a move."""

    dry_run = QueryFlag(load_default=False, metadata={"description": "Only say what the move would do; store nothing."})


class ViewQuery(RequestSchema):
    """The state of a table to return."""

    at = QueryWhole(
        validate=Range(0, moves.MOST),
        metadata={"description": "Return the table as it was at this version; without this, as it is now."},
    )
    head = Head()


class MovePreviewSchema(ResponseSchema):
    """The effects that a move would have. The tiles that a refill would draw are not shown."""

    version = whole("The version that the move was tried at.")
    seat = whole()
    move = fields.Dict(required=True)
    notation = text()
    moved = nested(DiscMovementSchema, "Null if no disc would move.", allow_none=True)
    covered = nested(CoveredGoalSchema, "The goals that would be covered, in this order.", many=True)
    discs_left = whole("Goal discs that the player would have left.")
    refills = fields.Boolean(required=True, metadata={"description": "Whether the selection track would be refilled."})
    turn = whole("The seat that would move next; null if the game would be over.", allow_none=True)
    result = nested(ResultSchema, "Null unless the move would end the game.", allow_none=True)


class CellSchema(ResponseSchema):
    """A cell of a display."""

    x = whole()
    y = whole()
    letter = text("The label of the cell in pictures and mails: A to Z, then AA.")


class LegalMovesSchema(ResponseSchema):
    """The legal moves of the player to move: each of the tiles may go to each of the cells."""

    version = whole()
    seat = whole("The seat to move; null unless the game is running.", allow_none=True)
    tiles = wholes("The choices, nearest the marker first.")
    cells = nested(CellSchema, "In reading order.", many=True)
    refill = fields.Boolean(required=True)
    resign = fields.Boolean(required=True)


class LogEntrySchema(ResponseSchema):
    """An entry of the log, in the same form as in the record."""

    seq = whole()
    at = moment()
    seat = whole(allow_none=True)
    move = fields.Dict(required=True)
    by = fields.String(metadata={"description": "Who acted; present only if it was not the player."})
    prev = text("The hash of the previous entry; for the first entry, of the header.")
    hash = text("SHA-256 in hex of the entry without this member, serialized as RFC 8785 says.")


class LogPage(ResponseSchema):
    """A page of the log, oldest entries first."""

    items = nested(LogEntrySchema, many=True)
    next = text("The cursor of the next page; null on the last page.", allow_none=True)


class RecordSchema(ResponseSchema):
    """The record of the game in the format `nova-luna-record/1`: JSON serialized as RFC 8785 says, and a line feed."""

    format = text("", enum=("nova-luna-record/1",))
    rules = text()
    game = fields.Dict(required=True)
    players = fields.List(fields.Dict(), required=True)
    draw = fields.Dict(required=True)
    log = nested(LogEntrySchema, many=True)
    result = fields.Dict(required=True, allow_none=True)
