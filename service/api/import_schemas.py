"""Schemas of imports: games that were played elsewhere."""

from __future__ import annotations

from marshmallow import fields

from service.api.fields import Flag
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
from service.api.goal_schemas import GoalsQuery
from service.api.made_move_schemas import MadeMoveQuery, MadeMoveSchema
from service.api.move_schemas import LogEntrySchema, ViewQuery
from service.api.response_fields import flag, moment, nested, text, whole
from service.api.schema import RequestSchema, ResponseSchema
from service.api.show_board import BoardQuery


class ImportSchema(ResponseSchema):
    """A game that was played elsewhere."""

    id = text()
    imported_at = moment()
    imported_by = text("The player id of whoever imported it.")
    shared = flag("Whether others may see it.")
    kind = text("", enum=KINDS)
    seats = whole()
    goal_discs = whole("The goal discs of each player.")
    names = fields.List(
        fields.String(allow_none=True),
        required=True,
        metadata={"description": "By seat, as they were given; they are no accounts. Null where there is none."},
    )
    version = whole("The number of the last entry.")
    started_at = moment("Null for a text without times.", allow_none=True)
    timed = flag("Whether the times of the moves are known.")
    has_record = flag("Whether it is a record, or a complete text, from which its record follows.")
    result = nested(ResultSchema, "Null if the game is not over.", allow_none=True)
    page = text("The page on which the game can be replayed; your own link to it is for you alone.")


class ImportedPlayerSchema(ResponseSchema):
    """A seat in an imported game. Its name is as it was given, and is that of no account."""

    seat = whole()
    name = text("Null where there is none.", allow_none=True)
    discs_left = whole("Goal discs that are still to be placed.")
    left = flag("Whether the player left the game.")
    position = whole("Distance from the start of the moon track; it never wraps.", allow_none=True)
    space = whole("The position on the printed ring, 0 to 23.", allow_none=True)
    height = whole("Place in the stack on that space; 0 is the bottom.", allow_none=True)


class ImportedGameSchema(ImportSchema):
    """A game that was played elsewhere, with its table; in a text without times, all happened when it was imported."""

    version = whole("The number of the last entry that is shown.")
    result = nested(ResultSchema, "Null if the game is not over there.", allow_none=True)
    rules = text("The version of the rules.")
    status = text("", enum=("running", "finished"))
    players = nested(ImportedPlayerSchema, "By seat.", many=True)
    turn = nested(TurnSchema, "Null at the end.", allow_none=True)
    selection_track = nested(SelectionTrackSchema)
    pile_size = whole("The number of tiles in the draw pile, as far as they are known.")
    moon_track = nested(MoonTrackSchema, "Null in a solo.", allow_none=True)
    displays = nested(DisplaySchema, "By seat.", many=True)
    solo = nested(SoloStateSchema, "Null in a match.", allow_none=True)
    last_move = nested(LastMoveSchema, "Null before the first move.", allow_none=True)


class ImportedMoveSchema(MadeMoveSchema):
    """An entry of an imported game: what it was, what it did, and the table before and after it."""

    at = moment("Null in a text without times.", allow_none=True)
    took_ms = whole("As in a game; null in a text without times, too.", allow_none=True)
    prev = text("The hash of the entry before, or of the header; null if no record follows.", allow_none=True)
    hash = text("The hash of the entry; null if no record follows.", allow_none=True)
    before = nested(ImportedGameSchema, "The import before it, as with `at`.")
    after = nested(ImportedGameSchema, "The import after it, as with `at`.")


class ImportedEntrySchema(LogEntrySchema):
    """An entry of an imported game, as its record has it, or as much of that as its text tells."""

    at = moment("Null in a text without times.", allow_none=True)
    prev = text("The hash of the entry before, or of the header; null if no record follows.", allow_none=True)
    hash = text("The hash of the entry; null if no record follows.", allow_none=True)


class ImportedLogPage(ResponseSchema):
    """A page of the entries of an imported game, oldest first."""

    items = nested(ImportedEntrySchema, many=True)
    next = text("The cursor of the next page; null on the last page.", allow_none=True)


class ImportPage(ResponseSchema):
    """A page of imports, newest first."""

    items = nested(ImportSchema, many=True)
    next = text("The cursor of the next page; null on the last page.", allow_none=True)


class ImportChangeRequest(RequestSchema):
    """A change of an import."""

    shared = Flag(required=True, metadata={"description": "Whether others may see it, too."})


class ImportedBoardQuery(BoardQuery):
    """The options of a picture of an imported game, which has one history."""

    class Meta(RequestSchema.Meta):
        exclude = ("head",)


class ImportedViewQuery(ViewQuery):
    """The state of an imported game to return; it has one history."""

    class Meta(RequestSchema.Meta):
        exclude = ("head",)


class ImportedMoveQuery(MadeMoveQuery):
    """The options of an entry of an imported game, which has one history."""

    class Meta(RequestSchema.Meta):
        exclude = ("head",)


class ImportedGoalsQuery(GoalsQuery):
    """The options of the goals in an imported game, which has one history."""

    class Meta(RequestSchema.Meta):
        exclude = ("head",)
