"""Schemas of a table, in full and in a list.

`service.api.game_view` writes the full view; its schema here documents it, and a test checks real views against it.
"""

from marshmallow import fields

from engine.draw import ALGORITHM
from engine.tiles import COUNT
from service.api.clock_schemas import STANDSTILLS, ClockSchema
from service.api.logged_moves import MOVE
from service.api.response_fields import component, moment, nested, text, whole, wholes
from service.api.schema import ResponseSchema
from service.api.tile_view import COLOR, GoalSchema, TileSchema
from service.queries.tables import STATUSES

KINDS = ("match", "solo")
VISIBILITIES = ("public", "private")
CLOSED_BECAUSE = ("maker", "expired")
RESULT_REASONS = ("discs", "tiles", "left", "ended")

PLAYER_ID = "The player's id, which stays the same in all games; null for a bot, and once the account has been deleted."


class PlayerSchema(ResponseSchema):
    """A player at the table."""

    seat = whole()
    id = text(PLAYER_ID, allow_none=True)
    name = text("Null if it is not set or was erased.", allow_none=True)
    bot = text("The bot that plays this seat from the start, such as `greedy`; null for a person.", allow_none=True)
    joined_at = moment()
    reachable = fields.Boolean(
        required=True,
        metadata={"description": "False if mail to this player does not arrive, or the account was deleted."},
    )
    discs_left = whole("Goal discs that the player still has to place.")
    left = fields.Boolean(required=True, metadata={"description": "Whether the player left the running game."})
    position = whole("Distance from the start of the moon track; it never wraps.", allow_none=True)
    space = whole("The position on the printed ring, 0 to 23.", allow_none=True)
    height = whole("Place in the stack on that space; 0 is the bottom.", allow_none=True)


class TurnSchema(ResponseSchema):
    """The player to move."""

    seat = whole()
    since = moment("When this player's turn began.")


class SelectionTrackSchema(ResponseSchema):
    """The twelve spaces around the moon wheel."""

    marker = whole("The space of the marker, 0 to 11; 0 is the golden one.")
    spaces = fields.List(
        fields.Integer(allow_none=True),
        required=True,
        metadata={
            "description": "The id of the tile on each space; null where there is none.",
            "minItems": 12,
            "maxItems": 12,
        },
    )
    choices = nested(TileSchema, "The next three tiles clockwise from the marker, nearest first.", many=True)


class StackSchema(ResponseSchema):
    """The player discs on one space of the moon track."""

    position = whole("Distance from the start; it never wraps.")
    space = whole("The position on the printed ring, 0 to 23.")
    seats = wholes("Bottom first.")


class MoonTrackSchema(ResponseSchema):
    """The moon track."""

    stacks = nested(
        StackSchema, "Furthest back first. The player whose disc is on top of the first stack is to move.", many=True
    )


class PlacedGoalSchema(GoalSchema):
    """A goal of a placed tile."""

    covered = fields.Boolean(required=True)


class PlacedTileSchema(ResponseSchema):
    """A tile on a display."""

    id = whole("", minimum=1, maximum=COUNT)
    color = component(COLOR)
    cost = whole("The time cost.", minimum=1, maximum=7)
    x = whole("Grows to the right; the first tile is at 0, 0.")
    y = whole("Grows downward.")
    goals = nested(PlacedGoalSchema, many=True)


class DisplaySchema(ResponseSchema):
    """The tiles that a player has placed."""

    seat = whole()
    tiles = nested(PlacedTileSchema, "In the order of placement.", many=True)


class SoloStateSchema(ResponseSchema):
    """The fields that only a solo has."""

    phase = whole("1 until the refill, then 2.")
    first_total = whole("Null in phase 1.", allow_none=True)
    second_total = whole("Null until the end, and if the solo ends without a score.", allow_none=True)
    score = whole("Lower is better. Null until the end, and after leaving.", allow_none=True)


class CoveredGoalSchema(ResponseSchema):
    """A goal that a move covered."""

    tile = whole("The goal's tile.")
    goal = whole("Which of the tile's goals, from 0.")
    counting = wholes("The ids of the tiles that count for it.")


class DiscMovementSchema(ResponseSchema):
    """The move of a player disc on the moon track, in distances from the start."""

    start = fields.Integer(required=True, data_key="from", attribute="from")
    to = whole()


class RefilledSpaceSchema(ResponseSchema):
    """A space of the selection track that was filled."""

    space = whole()
    tile = whole()


class LastMoveSchema(ResponseSchema):
    """The last entry of the log, and what it did."""

    seq = whole("The version that it led to.")
    at = moment()
    seat = whole(allow_none=True)
    by = text("Who acted, if it was not the player.", allow_none=True)
    move = component(MOVE, "As in the record.")
    notation = text("The move in short notation, such as `17@0,0`.")
    moved = nested(DiscMovementSchema, "Null if no disc moved.", allow_none=True)
    covered = nested(CoveredGoalSchema, "The goals that were covered, in this order.", many=True)
    refilled = nested(RefilledSpaceSchema, "The spaces that were filled, in this order.", many=True)
    refilled_by_itself = fields.Boolean(required=True)
    turn_passed = fields.Boolean(required=True, metadata={"description": "Whether another player is to move now."})


class ResultSchema(ResponseSchema):
    """The result of the game, as in the record. A match has `ranking`; a solo has the totals and the score."""

    reason = text("", enum=RESULT_REASONS)
    discs_left = wholes("By seat.")
    ranking = fields.List(
        fields.Integer(),
        allow_none=True,
        metadata={"description": "Seats, best first; null if `reason` is `ended`."},
    )
    first_total = fields.Integer(allow_none=True)
    second_total = fields.Integer(allow_none=True)
    score = fields.Integer(allow_none=True)


class DrawSchema(ResponseSchema):
    """The provable draw of the tiles."""

    algorithm = text("", enum=(ALGORITHM,))
    subject = text()
    commitment = text("SHA-256 in hex; it binds the host to the seed before anybody joins.")
    entropy = fields.List(
        fields.String(),
        required=True,
        allow_none=True,
        metadata={"description": "The players' own texts for the draw, by seat; null until the start."},
    )
    server_seed = text("Hex; null until the end.", allow_none=True)


class GameSchema(ResponseSchema):
    """A table with everything that a player at it may see."""

    id = text()
    kind = text("", enum=KINDS)
    rules = text(
        "The version of the rules that the game is played by; before the start, the one that it would be played by now."
        " `GET /v1/rules/{version}` has its text."
    )
    status = text("", enum=STATUSES)
    visibility = text("A solo is private while it is running.", enum=VISIBILITIES)
    seats = whole("The number of seats.")
    goal_discs = whole("The number of goal discs that each player has to place.")
    hints = fields.Boolean(
        required=True,
        metadata={"description": "Whether turn mails may say on which cells a tile would cover goals."},
    )
    created_at = moment()
    started_at = moment("Null until the last seat is taken.", allow_none=True)
    ended_at = moment(allow_none=True)
    closed_at = moment("When a table that never started was closed.", allow_none=True)
    closed_because = text("", allow_none=True, enum=(*CLOSED_BECAUSE, None))
    version = whole("The `seq` of the last entry in the log. A move names the version that it was chosen at.")
    players = nested(PlayerSchema, "By seat; only the seats that are taken.", many=True)
    turn = nested(TurnSchema, "Null unless the game is running.", allow_none=True)
    selection_track = nested(SelectionTrackSchema, "Null before the start.", allow_none=True)
    pile_size = whole("The number of tiles in the draw pile; null before the start.", allow_none=True)
    moon_track = nested(MoonTrackSchema, "Null before the start, and in a solo.", allow_none=True)
    displays = nested(DisplaySchema, "By seat; empty before the start.", many=True)
    solo = nested(SoloStateSchema, "Null in a match.", allow_none=True)
    last_move = nested(LastMoveSchema, "Null before the first move.", allow_none=True)
    result = nested(ResultSchema, "Null until the end.", allow_none=True)
    draw = nested(DrawSchema)
    clock = nested(ClockSchema, "Null in a solo.", allow_none=True)
    you = whole("Your own seat; null if you have none.", allow_none=True)


class SeatedPlayerSchema(ResponseSchema):
    """A player in a list of tables."""

    seat = whole()
    id = text(PLAYER_ID, allow_none=True)
    name = text(allow_none=True)
    bot = text("The bot that plays this seat from the start, such as `greedy`; null for a person.", allow_none=True)


class GameSummarySchema(ResponseSchema):
    """A table in a list."""

    id = text()
    kind = text("", enum=KINDS)
    status = text("", enum=STATUSES)
    visibility = text("", enum=VISIBILITIES)
    seats = whole("The number of seats.")
    goal_discs = whole()
    created_at = moment()
    ended_at = moment(allow_none=True)
    closed_at = moment(allow_none=True)
    version = whole()
    players = nested(SeatedPlayerSchema, many=True)
    turn = whole("The seat to move; null unless the game is running.", allow_none=True)
    you = whole("Your own seat; null if you have none.", allow_none=True)
    left = text("The time that you have left, a duration; null if no clock counts it.", allow_none=True)
    runs_out_at = moment(
        "When the time of the player to move runs out, if nothing changes, as in the game's `clock`.", allow_none=True
    )
    stands_still_because = text(
        "Why the clock of the player to move stands still, as in the game's `clock`; null if it runs or there is none.",
        allow_none=True,
        enum=(*STANDSTILLS, None),
    )


class GamePage(ResponseSchema):
    """A page of tables, newest first."""

    items = nested(GameSummarySchema, many=True)
    next = text("The cursor of the next page; null on the last page.", allow_none=True)
