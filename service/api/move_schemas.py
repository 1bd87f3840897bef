"""What moves look like: as they are sent, tried, listed, and what of them is legal."""

from typing import Any, ClassVar

from marshmallow import ValidationError, fields, post_load

from engine import moves
from engine.errors import MalformedMove
from engine.saying import said
from engine.tiles import COUNT
from service.api.bounds import OneOf, Range, Written
from service.api.fields import Head, QueryFlag, QueryWhole, Whole
from service.api.game_schemas import CoveredShown, MovedShown, ResultShown, moment, nested, text, whole, wholes
from service.api.schema import Given, Shown

LETTERS = "^[A-Z]{1,3}$"
"""How the letters of a cell are written."""

_CELL = {"required": ["tile", "x", "y"], "properties": {"type": {"enum": ["place"]}}}
_NEVER: dict[str, Any] = {"not": {}}
_BARE = {
    "properties": {"type": {"enum": ["refill", "resign"]}, "tile": _NEVER, "x": _NEVER, "y": _NEVER, "letter": _NEVER}
}


def _coordinate(description: str) -> Whole:
    return Whole(validate=Range(-moves.MOST, moves.MOST), metadata={"description": f"{description} For place alone."})


class MoveGiven(Given):
    """A move. Timeouts, marks and ends are no players' moves, so they are not taken."""

    class Meta(Given.Meta):
        also: ClassVar = {"oneOf": [_CELL, _BARE]}

    type = fields.String(required=True, validate=OneOf(("place", "refill", "resign")))
    tile = Whole(validate=Range(1, COUNT), metadata={"description": "One of the choices. For place alone."})
    x = _coordinate("It grows to the right.")
    y = _coordinate("It grows downwards.")
    letter = fields.String(
        validate=Written(LETTERS, said("Must be one to three capital letters.")),
        metadata={"description": "That of the cell; it may be sent along, and is then checked. For place alone."},
    )
    expected_version = Whole(
        validate=Range(0, moves.MOST),
        metadata={
            "description": "The version that the move was chosen at; a stale one is answered with 409. Needed unless"
            " `If-Match` is sent, but not to resign and not for a dry run."
        },
    )

    @post_load
    def make(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """The engine's move as `move`, beside `expected_version` and `letter` (None if they are not given)."""
        expected = data.pop("expected_version", None)
        letter = data.pop("letter", None) if data["type"] == "place" else None
        try:
            return {"move": moves.from_json(data), "expected_version": expected, "letter": letter}
        except MalformedMove as error:
            raise ValidationError([error.said]) from error


class MoveQuery(Given):
    """How a move is to be taken."""

    dry_run = QueryFlag(
        load_default=False, metadata={"description": "Only say what the move would do; nothing is stored."}
    )


class ViewQuery(Given):
    """Which state is to be shown."""

    at = QueryWhole(
        validate=Range(0, moves.MOST),
        metadata={"description": "The table as it was at this version; without it as it is."},
    )
    head = Head()


class MoveTried(Shown):
    """What a move would do. What a refill would show is not said."""

    version = whole("The version that it was tried at.")
    seat = whole()
    move = fields.Dict(required=True)
    notation = text()
    moved = nested(MovedShown, "Null where no disc would move.", allow_none=True)
    covered = nested(CoveredShown, "The goals that would be covered, in this order.", many=True)
    discs_left = whole("The player's goal discs left after that.")
    refills = fields.Boolean(required=True, metadata={"description": "Whether the selection track would be refilled."})
    turn = whole("The seat that would be next to move; null when the game would be over.", allow_none=True)
    result = nested(ResultShown, "Null unless the move would end the game.", allow_none=True)


class CellShown(Shown):
    """A cell of a display."""

    x = whole()
    y = whole()
    letter = text("By which pictures and mails show it: A to Z, then AA.")


class LegalMovesShown(Shown):
    """What the player to move may do: any of the tiles may go to any of the cells."""

    version = whole()
    seat = whole("The seat to move; null unless the game runs.", allow_none=True)
    tiles = wholes("The choices, nearest the marker first.")
    cells = nested(CellShown, "In reading order.", many=True)
    refill = fields.Boolean(required=True)
    resign = fields.Boolean(required=True)


class EntryShown(Shown):
    """An entry of the log, as in the record."""

    seq = whole()
    at = moment()
    seat = whole(allow_none=True)
    move = fields.Dict(required=True)
    by = fields.String(metadata={"description": "Who acted; only there when that was not the player."})
    prev = text("The hash of the entry before; of the header for the first.")
    hash = text("SHA-256, hex, of the entry without this, as RFC 8785 writes it.")


class LogPage(Shown):
    """A page of the log, oldest entries first."""

    items = nested(EntryShown, many=True)
    next = text("The cursor of the next page.", allow_none=True)


class RecordShown(Shown):
    """The game's record in the form `nova-luna-record/1`, as its RFC 8785 bytes and a line feed."""

    format = text("", enum=("nova-luna-record/1",))
    rules = text()
    game = fields.Dict(required=True)
    players = fields.List(fields.Dict(), required=True)
    draw = fields.Dict(required=True)
    log = nested(EntryShown, many=True)
    result = fields.Dict(required=True, allow_none=True)
