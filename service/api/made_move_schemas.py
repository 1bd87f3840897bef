"""The schemas of a move that was made, with the table before and after it."""

from __future__ import annotations

from marshmallow import fields

from service.api.fields import Head
from service.api.game_schemas import GameSchema, LastMoveSchema
from service.api.move_changes import CHANGE
from service.api.response_fields import components, nested, text, whole
from service.api.schema import RequestSchema
from service.api.validators import OneOf
from service.language.languages import CODES


class MadeMoveQuery(RequestSchema):
    """The options of a move that was made."""

    head = Head()
    language = fields.String(
        load_default="en",
        validate=OneOf(CODES),
        metadata={"description": "The language of `sentence`.", "example": "fr"},
    )


class MadeMoveSchema(LastMoveSchema):
    """An entry of the log: what it was, what it did, and the table before and after it."""

    line = text("The entry as a line of the text notation, `nova-luna-text/1`.")
    sentence = text("What it did, in words; null for a mark that needs none.", allow_none=True)
    space = whole("The space of the selection track where the tile lay; null if none was taken.", allow_none=True)
    turn = whole("The seat to move after it; null if the game is over.", allow_none=True)
    in_a_row = whole(
        "Which turn in a row of this player it belongs to, from 1; null for what is not part of a turn.",
        allow_none=True,
    )
    took_ms = whole(
        "How many milliseconds the player took for it: since the turn began or, if later, since the player's move"
        " before. Null for a mark, and for what a player did out of turn.",
        allow_none=True,
    )
    prev = text("The hash of the entry before; for the first entry, of the header.")
    hash = text("The hash of the entry.")
    changes = components(
        CHANGE,
        "What changes on the table, in this order; empty for a mark. Applied to `before`, they give the `players`,"
        " `turn`, `selection_track`, `pile_size`, `moon_track`, `displays`, `solo`, `result` and `status` of `after`.",
    )
    before = nested(GameSchema, "The table before it, as with `at`.")
    after = nested(GameSchema, "The table after it, as with `at`.")
