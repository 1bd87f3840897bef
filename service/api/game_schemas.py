"""What a table looks like, in full and in a list. The full view is written by `service.api.game_view`; the schema of it
documents that, and a test holds real views to it."""

from typing import Any

from marshmallow import fields

from engine.draw import ALGORITHM
from service.api.schema import Shown
from service.api.tile_view import GoalSchema, TileSchema
from service.queries.tables import STATUSES

KINDS = ("match", "solo")
VISIBILITIES = ("public", "private")


def text(description: str = "", **options: Any) -> fields.String:
    """A text that is always there; with `allow_none=True` it may be null, with `enum=` it is one of these."""
    enum = options.pop("enum", None)
    metadata = {"description": description} if description else {}
    return fields.String(required=True, metadata=metadata | ({"enum": list(enum)} if enum else {}), **options)


def whole(description: str = "", **options: Any) -> fields.Integer:
    """A whole number that is always there; with `allow_none=True` it may be null."""
    return fields.Integer(required=True, metadata={"description": description} if description else {}, **options)


def moment(description: str = "", **options: Any) -> fields.String:
    """A point in time that is always there; with `allow_none=True` it may be null."""
    return fields.String(
        required=True,
        metadata={"description": description, "format": "date-time", "example": "2026-11-27T20:56:00.123Z"},
        **options,
    )


def nested(schema: type[Shown], description: str = "", **options: Any) -> fields.Nested:
    """An object that is always there; with `allow_none=True` it may be null, with `many=True` it is a list."""
    return fields.Nested(schema, required=True, metadata={"description": description}, **options)


def wholes(description: str) -> fields.List[Any]:
    """A list of whole numbers."""
    return fields.List(fields.Integer(), required=True, metadata={"description": description})


class PlayerShown(Shown):
    """A player at the table."""

    seat = whole()
    name = text("Null when it is not set or was erased.", allow_none=True)
    joined_at = moment()
    reachable = fields.Boolean(
        required=True,
        metadata={"description": "False: mail to this player does not arrive, or the account was deleted."},
    )
    discs_left = whole("Goal discs that are still to be placed.")
    left = fields.Boolean(required=True, metadata={"description": "Whether the player left the running game."})
    position = whole("Distance from the start of the moon track; it never wraps.", allow_none=True)
    space = whole("The same on the printed ring, 0 to 23.", allow_none=True)
    height = whole("Place in the stack on that space, 0 is the bottom.", allow_none=True)


class TurnShown(Shown):
    """Whose turn it is."""

    seat = whole()
    since = moment("When this player became the one to move.")


class SelectionTrackShown(Shown):
    """The twelve spaces around the moon wheel."""

    marker = whole("The space of the marker, 0 to 11; 0 is the golden one.")
    spaces = fields.List(
        fields.Integer(allow_none=True),
        required=True,
        metadata={"description": "The tiles' ids by space; null where none lies.", "minItems": 12, "maxItems": 12},
    )
    choices = nested(TileSchema, "The next three tiles clockwise from the marker, nearest first.", many=True)


class StackShown(Shown):
    """The player discs on one space of the moon track."""

    position = whole("Distance from the start; it never wraps.")
    space = whole("The same on the printed ring, 0 to 23.")
    seats = wholes("Bottom first.")


class MoonTrackShown(Shown):
    """The moon track."""

    stacks = nested(StackShown, "Furthest back first; the top disc of the first stack is to move.", many=True)


class PlacedGoalShown(GoalSchema):
    """A goal of a placed tile."""

    covered = fields.Boolean(required=True)


class PlacedTileShown(Shown):
    """A tile on a display."""

    id = whole()
    color = text()
    cost = whole("The time cost.")
    x = whole("It grows to the right; the first tile lies at 0, 0.")
    y = whole("It grows downwards.")
    goals = nested(PlacedGoalShown, many=True)


class DisplayShown(Shown):
    """The tiles that a player has placed."""

    seat = whole()
    tiles = nested(PlacedTileShown, "In the order of placement.", many=True)


class SoloShown(Shown):
    """What a solo has beside a match."""

    phase = whole("1 until the refill, then 2.")
    first_total = whole("Null in phase 1.", allow_none=True)
    second_total = whole("Null until the end, and without a score.", allow_none=True)
    score = whole("Lower is better. Null until the end, and after leaving.", allow_none=True)


class CoveredShown(Shown):
    """A goal that a move covered."""

    tile = whole("The goal's tile.")
    goal = whole("Which of the tile's goals, from 0.")
    counting = wholes("The ids of the tiles that count for it.")


class MovedShown(Shown):
    """How a player disc moved on the moon track, in distances from the start."""

    start = fields.Integer(required=True, data_key="from", attribute="from")
    to = whole()


class RefilledShown(Shown):
    """A space of the selection track that was filled."""

    space = whole()
    tile = whole()


class LastMoveShown(Shown):
    """The last entry of the log, and what it did."""

    seq = whole("The version that it led to.")
    at = moment()
    seat = whole(allow_none=True)
    by = text("Who acted, when that was not the player.", allow_none=True)
    move = fields.Dict(required=True, metadata={"description": "As in the record."})
    notation = text("The same in short, such as `17@0,0`.")
    moved = nested(MovedShown, "Null where no disc moved.", allow_none=True)
    covered = nested(CoveredShown, "The goals covered, in this order.", many=True)
    refilled = nested(RefilledShown, "The spaces filled, in this order.", many=True)
    refilled_by_itself = fields.Boolean(required=True)
    turn_passed = fields.Boolean(required=True, metadata={"description": "Whether another player is to move now."})


class ResultShown(Shown):
    """How the game ended, as in the record. A match has `ranking`, a solo the totals and the score."""

    reason = text("", enum=("discs", "tiles", "left", "ended"))
    discs_left = wholes("By seat.")
    ranking = fields.List(
        fields.Integer(), allow_none=True, metadata={"description": "Seats, best first; null when the game was ended."}
    )
    first_total = fields.Integer(allow_none=True)
    second_total = fields.Integer(allow_none=True)
    score = fields.Integer(allow_none=True)


class DrawShown(Shown):
    """The provable draw of the tiles."""

    algorithm = text("", enum=(ALGORITHM,))
    subject = text()
    commitment = text("SHA-256, hex, that binds the host to the seed before anybody joins.")
    entropy = fields.List(
        fields.String(),
        required=True,
        allow_none=True,
        metadata={"description": "The players' texts by seat; null until the start."},
    )
    server_seed = text("Hex; null until the end.", allow_none=True)


class GameShown(Shown):
    """A table with all that a player at it sees."""

    id = text()
    kind = text("", enum=KINDS)
    status = text("", enum=STATUSES)
    visibility = text("A solo is private while it runs.", enum=VISIBILITIES)
    seats = whole("How many.")
    goal_discs = whole("How many each player is to place.")
    hints = fields.Boolean(
        required=True,
        metadata={"description": "Whether turn mails may say at which cells a tile would cover goals."},
    )
    created_at = moment()
    started_at = moment("Null until the last seat is taken.", allow_none=True)
    ended_at = moment(allow_none=True)
    closed_at = moment("When a table that never started was closed.", allow_none=True)
    closed_because = text("", allow_none=True, enum=("maker", "expired", None))
    version = whole("The seq of the last entry of the log; a move names the version that it is made for.")
    players = nested(PlayerShown, "By seat, as far as they are taken.", many=True)
    turn = nested(TurnShown, "Null unless the game runs.", allow_none=True)
    selection_track = nested(SelectionTrackShown, "Null before the start.", allow_none=True)
    pile_size = whole("How many tiles the draw pile has; null before the start.", allow_none=True)
    moon_track = nested(MoonTrackShown, "Null before the start, and in a solo.", allow_none=True)
    displays = nested(DisplayShown, "By seat; empty before the start.", many=True)
    solo = nested(SoloShown, "Null in a match.", allow_none=True)
    last_move = nested(LastMoveShown, "Null before the first.", allow_none=True)
    result = nested(ResultShown, "Null until the end.", allow_none=True)
    draw = nested(DrawShown)
    you = whole("Your own seat; null if you have none.", allow_none=True)


class SittingShown(Shown):
    """Who sits where."""

    seat = whole()
    name = text(allow_none=True)


class GameListed(Shown):
    """A table in a list."""

    id = text()
    kind = text("", enum=KINDS)
    status = text("", enum=STATUSES)
    visibility = text("", enum=VISIBILITIES)
    seats = whole("How many.")
    goal_discs = whole()
    created_at = moment()
    ended_at = moment(allow_none=True)
    closed_at = moment(allow_none=True)
    version = whole()
    players = nested(SittingShown, many=True)
    turn = whole("The seat to move; null unless the game runs.", allow_none=True)
    you = whole("Your own seat; null if you have none.", allow_none=True)


class GamePage(Shown):
    """A page of tables, newest first."""

    items = nested(GameListed, many=True)
    next = text("The cursor of the next page.", allow_none=True)
