"""Schemas of moves: those that are sent, tried and listed, and those that are legal."""

from types import MappingProxyType
from typing import Any

from marshmallow import fields, post_load

from engine import moves
from engine.draw import ALGORITHM
from engine.phrases import phrase
from engine.record import FORMAT
from engine.tiles import COUNT
from service.api.components import UnionRequest
from service.api.fields import Const, Head, QueryFlag, QueryWhole, Whole
from service.api.game_schemas import (
    KINDS,
    CoveredGoalSchema,
    DiscMovementSchema,
    ResultSchema,
)
from service.api.logged_moves import MOVE
from service.api.paging import PageQuery
from service.api.response_fields import component, moment, nested, text, texts, whole, wholes
from service.api.schema import RequestSchema, ResponseSchema
from service.api.validators import Matching, Range

LETTERS = "^[A-Z]{1,3}$"
"""The pattern of the letters of a cell."""


def _coordinate(description: str) -> Whole:
    return Whole(required=True, validate=Range(-moves.MOST, moves.MOST), metadata={"description": description})


def _expected_version(description: str) -> Whole:
    return Whole(validate=Range(0, moves.MOST), metadata={"description": description})


_VERSION = (
    "The version that the move was chosen at; if it is stale, the answer is 409. Marks, such as steps of the clock,"
    " make it no staler. Required unless `If-Match` is sent, and not for a dry run."
)


class _MoveOfPlayer(RequestSchema):
    """The base of the moves that players send."""

    @post_load
    def make(self, data: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """Return the engine's move as `move`, with `expected_version` and `letter` (None if they were not sent)."""
        expected = data.pop("expected_version", None)
        letter = data.pop("letter", None)
        return {"move": moves.from_json(data), "expected_version": expected, "letter": letter}


class PlaceMove(_MoveOfPlayer):
    """Take a tile from the selection track and place it."""

    type = Const("place")
    tile = Whole(required=True, validate=Range(1, COUNT), metadata={"description": "One of the choices."})
    x = _coordinate("Grows to the right.")
    y = _coordinate("Grows downward.")
    letter = fields.String(
        validate=Matching(LETTERS, phrase("Must be one to three capital letters.")),
        metadata={"description": "The letters of the cell; optional, and checked if sent."},
    )
    expected_version = _expected_version(_VERSION)


class RefillMove(_MoveOfPlayer):
    """Refill the selection track."""

    type = Const("refill")
    expected_version = _expected_version(_VERSION)


class ResignMove(_MoveOfPlayer):
    """Leave the game."""

    type = Const("resign")
    expected_version = _expected_version("As for the other moves, but never required.")


class MoveRequest(UnionRequest):
    """A move of a player. Timeouts, marks and ends are no moves of players, so they are refused."""

    variants = MappingProxyType({"place": PlaceMove, "refill": RefillMove, "resign": ResignMove})


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
    move = component(MOVE)
    notation = text()
    moved = nested(DiscMovementSchema, "Null if no disc would move.", allow_none=True)
    covered = nested(CoveredGoalSchema, "The goals that would be covered, in this order.", many=True)
    discs_left = whole("Goal discs that the player would have left.")
    refills = fields.Boolean(required=True, metadata={"description": "Whether the selection track would be refilled."})
    turn = whole("The seat that would move next; null if the game would be over.", allow_none=True)
    result = nested(ResultSchema, "Null unless the move would end the game.", allow_none=True)


class LogEntrySchema(ResponseSchema):
    """An entry of the log, in the same form as in the record."""

    seq = whole()
    at = moment()
    seat = whole(allow_none=True)
    move = component(MOVE)
    by = fields.String(metadata={"description": "Who acted; present only if it was not the player."})
    prev = text("The hash of the previous entry; for the first entry, of the header.")
    hash = text("SHA-256 in hex of the entry without this member, serialized as RFC 8785 says.")


class LogQuery(PageQuery):
    """The part of a log to list."""

    since = QueryWhole(
        load_default=0,
        validate=Range(0, moves.MOST),
        metadata={"description": "Only entries with a higher `seq` than this; the version that you have."},
    )


class LogPage(ResponseSchema):
    """A page of the log, oldest entries first."""

    items = nested(LogEntrySchema, many=True)
    next = text("The cursor of the next page; null on the last page.", allow_none=True)


class RecordedGameSchema(ResponseSchema):
    """The game of a record."""

    id = text()
    kind = text("", enum=KINDS)
    seats = whole("The number of seats.")
    goal_discs = whole("The number of goal discs that each player has to place.")
    created_at = moment()
    started_at = moment()


class RecordedPlayerSchema(ResponseSchema):
    """A player in a record."""

    seat = whole()
    name = text("Null if it is not set or was erased.", allow_none=True)


class RecordedDrawSchema(ResponseSchema):
    """The provable draw of the tiles in a record."""

    algorithm = text("", enum=(ALGORITHM,))
    subject = text()
    commitment = text("SHA-256 in hex; it binds the host to the seed before anybody joins.")
    entropy = texts("The players' own texts for the draw, by seat.")
    stack = wholes("The seats in the starting pile of player discs.")
    server_seed = text("Hex; null until the end.", allow_none=True)
    tiles = wholes("The ids of the tiles in the order in which they are drawn; until the end, only of those shown.")


class RecordSchema(ResponseSchema):
    """The record of the game in the format `nova-luna-record/1`: JSON serialized as RFC 8785 says, and a line feed."""

    format = text("", enum=(FORMAT,))
    rules = text("The version of the rules.")
    game = nested(RecordedGameSchema)
    players = nested(RecordedPlayerSchema, "By seat.", many=True)
    draw = nested(RecordedDrawSchema)
    log = nested(LogEntrySchema, many=True)
    result = nested(ResultSchema, "Null until the end.", allow_none=True)
