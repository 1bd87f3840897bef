"""Schemas of explorations: what might have followed a position of a game."""

from __future__ import annotations

from marshmallow import fields

from engine import moves
from engine.draw import ALGORITHM
from engine.exploration import FORMAT
from engine.tiles import COUNT
from service.api.fields import Whole
from service.api.game_schemas import (
    KINDS,
    DisplaySchema,
    LastMoveSchema,
    MoonTrackSchema,
    ResultSchema,
    SelectionTrackSchema,
    SoloStateSchema,
    TurnSchema,
)
from service.api.made_move_schemas import MadeMoveSchema
from service.api.move_schemas import LogEntrySchema, RecordedDrawSchema, RecordedGameSchema, RecordedPlayerSchema
from service.api.response_fields import const, moment, nested, text, texts, whole
from service.api.schema import RequestSchema, ResponseSchema
from service.api.validators import OneOf, Range
from service.commands.bots import NAME
from service.queries.explored_games import KIND

STATUSES = ("running", "finished")


class ExplorationRequest(RequestSchema):
    """The position from which an exploration goes on, and who plays."""

    seq = Whole(
        validate=Range(0, moves.MOST),
        metadata={
            "description": "The number of the last move of the game that is kept, 0 for none. Without this, only the"
            " last move of a finished game is left out, and none of a running solo."
        },
    )
    opponent = fields.String(
        load_default=None,
        allow_none=False,  # else the default of None would allow it
        validate=OneOf([NAME]),
        metadata={
            "description": "The bot that plays all seats but yours. Without one, you play every seat in turn. A solo"
            " has no opponents."
        },
    )
    seat = Whole(
        validate=Range(0, 3),
        metadata={
            "description": "Your seat, if there is an opponent. Without this, it is the seat that you had in the game"
            " or, if you had none or had left, that of the player to move."
        },
    )


class OriginSchema(ResponseSchema):
    """The position from which an exploration goes on."""

    game = text("The id of the game or solo session.")
    kind = text("", enum=KINDS)
    seq = whole("The last entry of the game that is kept. What comes after it was never played.")
    hash = text("The hash of that entry in the game's record; for 0, of the record's header.")
    tiles = whole(
        "How many tiles of the draw order are those of the game: 68, or fewer if the rest was drawn anew, because the"
        " solo was running.",
        minimum=11,
        maximum=COUNT,
    )


class ExploringPlayerSchema(ResponseSchema):
    """A seat in an exploration. It has no name: whoever had it in the game did not make these moves."""

    seat = whole()
    bot = text("The bot that plays this seat; null if you do.", allow_none=True)
    discs_left = whole("Goal discs that are still to be placed.")
    left = fields.Boolean(required=True, metadata={"description": "Whether the player left the game."})
    position = whole("Distance from the start of the moon track; it never wraps.", allow_none=True)
    space = whole("The position on the printed ring, 0 to 23.", allow_none=True)
    height = whole("Place in the stack on that space; 0 is the bottom.", allow_none=True)


class ExploredDrawSchema(ResponseSchema):
    """The draw of the tiles, which is that of the game."""

    algorithm = text("", enum=(ALGORITHM,))
    subject = text("That of the game's draw.")
    commitment = text("That of the game's draw.")
    entropy = texts("Those of the game's draw.")
    server_seed = text("Hex; null until the end, and if tiles were drawn anew.", allow_none=True)


class ExplorationSummarySchema(ResponseSchema):
    """An exploration in a list."""

    id = text()
    kind = const(KIND, "An exploration is no game.")
    origin = nested(OriginSchema)
    status = text("", enum=STATUSES)
    opponent = text("The bot that plays all seats but yours; null if you play every seat.", allow_none=True)
    created_at = moment()
    version = whole("The number of the last move, those of the game included.")


class ExplorationPage(ResponseSchema):
    """A page of explorations, newest first."""

    items = nested(ExplorationSummarySchema, many=True)
    next = text("The cursor of the next page; null on the last page.", allow_none=True)


class ExplorationSchema(ExplorationSummarySchema):
    """An exploration, which goes on from a position of a game. It is no game, is never rated, and has no clock."""

    rules = text("The version of the rules.")
    seats = whole("The number of seats.")
    goal_discs = whole("The number of goal discs that each player has to place.")
    players = nested(ExploringPlayerSchema, "By seat.", many=True)
    turn = nested(TurnSchema, "Null at the end.", allow_none=True)
    selection_track = nested(SelectionTrackSchema)
    pile_size = whole("The number of tiles in the draw pile.")
    moon_track = nested(MoonTrackSchema, "Null in a solo.", allow_none=True)
    displays = nested(DisplaySchema, "By seat.", many=True)
    solo = nested(SoloStateSchema, "Null in a match.", allow_none=True)
    last_move = nested(LastMoveSchema, "Null before the first move.", allow_none=True)
    result = nested(ResultSchema, "Null until the end. It counts nowhere.", allow_none=True)
    draw = nested(ExploredDrawSchema)
    you = whole("The seat that you play; without an opponent, the one to move, and null at the end.", allow_none=True)
    page = text("The page on which you can go on, if your browser is signed in.")


class ExploredMoveSchema(MadeMoveSchema):
    """A move of an exploration, or of the game in it: what it was, what it did, and the table before and after it."""

    took_ms = whole("As in a game, for the game's entries; null for all others: nobody waited.", allow_none=True)
    prev = text("The hash of the entry before in the exploration's record, or of the header.")
    hash = text("The hash of the entry in the exploration's record.")
    before = nested(ExplorationSchema, "The exploration before it, as with `at`.")
    after = nested(ExplorationSchema, "The exploration after it, as with `at`.")


class RecordedOriginSchema(ResponseSchema):
    """The position from which an exploration goes on, as its record has it."""

    game = text("The id of the game.")
    seq = whole("The last entry of the game that is kept.")
    hash = text("The hash of that entry in the game's own record; for 0, of the header.")
    tiles = whole("How many tiles of the draw order are those of the game.", minimum=11, maximum=COUNT)


class ExplorationRecordSchema(ResponseSchema):
    """The record of an exploration, `nova-luna-exploration/1`: JSON serialized as RFC 8785 says, and a line feed."""

    format = text("", enum=(FORMAT,))
    rules = text("The version of the rules.")
    game = nested(RecordedGameSchema, "That of the game, with the id of the exploration.")
    origin = nested(RecordedOriginSchema)
    players = nested(RecordedPlayerSchema, "By seat.", many=True)
    draw = nested(RecordedDrawSchema, "That of the game.")
    log = nested(LogEntrySchema, "The entries of the game that are kept, chained anew, and what followed.", many=True)
    result = nested(ResultSchema, "Null until the end.", allow_none=True)
