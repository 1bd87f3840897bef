"""Schemas of the story of a finished game, and its JSON."""

from __future__ import annotations

import json
from typing import Any

from marshmallow import fields

from engine import simulate
from engine.record import stamp
from engine.story import PlayerStory, Story, StoryMove
from service.api.game_schemas import KINDS, ResultSchema
from service.api.response_fields import flag, moment, nested, text, whole, wholes
from service.api.schema import RequestSchema, ResponseSchema
from service.api.validators import OneOf
from service.language.languages import CODES
from service.pictures.palette import SCHEMES
from service.queries import stories

AUTO = "auto"
"""The color scheme that follows the reader's own."""

PLOT_SCHEMES = (AUTO, *SCHEMES)

MOVE_TYPES = ("place", "refill", "resign", "timeout", "end")


class StoryMoveSchema(ResponseSchema):
    """An entry of the log that changed the table, and how things stood after it."""

    seq = whole("Its number in the log; marks are left out.")
    at = moment()
    seat = whole("Who moved; null for an end.", allow_none=True)
    type = text("The type of the move.", enum=MOVE_TYPES)
    by = text("Who acted instead of the player, such as `bot:greedy`; null for the player.", allow_none=True)
    tile = whole("The tile that was placed; null for other moves.", allow_none=True)
    covered = whole("How many goals it covered.")
    think = whole(
        "The seconds since the move before, or since it became the player's turn; null unless it is a placement or a"
        " refill.",
        allow_none=True,
    )
    discs_left = wholes("The goal discs left after it, by seat.")
    distance = wholes("The time cost of all tiles placed so far, by seat; in a match, the distance on the moon track.")
    leader = whole(
        "The seat with the fewest goal discs left of those in the game; of equals, the one that led before. Null while"
        " none of them has covered a goal, and in a solo.",
        allow_none=True,
    )
    margin = whole("By how many goal discs it leads; 0 if nobody does.")


class TempoSchema(ResponseSchema):
    """The time that a player took to think about placements and refills, but for those that a bot made for them."""

    moves = whole("How many moves that are.")
    total = whole("The seconds of all of them.")
    median = whole("The seconds of the middle one, the lower of two; null without moves.", allow_none=True)
    longest = whole("The seconds of the longest; null without moves.", allow_none=True)
    longest_seq = whole("The move with the longest; null without moves.", allow_none=True)


class PlayerStorySchema(ResponseSchema):
    """A seat's part in the game."""

    seat = whole()
    rank = whole("The final rank, from 1; null without a ranking.", allow_none=True)
    has_left = flag("Whether the player left the game.")
    tiles = whole("How many tiles the player placed.")
    goals = whole("How many goals the player covered.")
    discs_left = whole("The goal discs left at the end.")
    distance = whole("The time cost of all tiles; in a match, the distance on the moon track.")
    best_seq = whole("The move that covered the most goals; null if none covered any.", allow_none=True)
    best_covered = whole("How many goals that move covered.")
    longest_run = whole("The largest number of turns in a row.")
    took = whole("How many tiles of `denials` the player took.")
    lost = whole("How many tiles of `denials` the player could have used.")
    tempo = nested(TempoSchema)


class RunSchema(ResponseSchema):
    """Several placements of one player with none of another between them."""

    seat = whole()
    first = whole("The first placement.")
    last = whole("The last placement.")
    turns = whole("How many placements they are.", minimum=2)
    covered = whole("How many goals they covered.")


class DenialSchema(ResponseSchema):
    """A placement that took the tile with which another player could have covered the most goals."""

    seq = whole("The placement.")
    seat = whole("Who placed the tile.")
    tile = whole()
    covered = whole("How many goals it covered.")
    other = whole("The seat that could have used it.")
    goals = whole("How many goals that seat could have covered with it.", minimum=1)


class TurningPointSchema(ResponseSchema):
    """A move that took a lasting lead from another player.

    A lead lasts if it holds for 3 moves and for a tenth of all moves; the last one always lasts.
    """

    seq = whole("The move.")
    seat = whole("Who leads from then on.")
    before = whole("Who led before.")
    moves = whole("How many moves the lead lasted.")
    margin = whole("The largest number of goal discs by which the player led in that time.")


class StoryDaySchema(ResponseSchema):
    """A day on which somebody moved."""

    day = fields.String(required=True, metadata={"description": "In UTC.", "format": "date", "example": "2026-11-27"})
    moves = wholes("The numbers of placements and refills, by seat.")


class StorySchema(ResponseSchema):
    """The story of a finished game. Moves are named by their `seq`, durations are whole seconds."""

    kind = text("", enum=KINDS)
    seats = whole()
    goal_discs = whole("The goal discs of each player at the start.")
    version = whole("The `seq` of the last entry.")
    started_at = moment()
    ended_at = moment()
    result = nested(ResultSchema)
    players = nested(PlayerStorySchema, "By seat.", many=True)
    moves = nested(StoryMoveSchema, "In their order.", many=True)
    runs = nested(RunSchema, "Turns in a row, two or more; none in a solo.", many=True)
    denials = nested(DenialSchema, "Who took what others wanted.", many=True)
    turning_points = nested(TurningPointSchema, "In their order; none in a solo.", many=True)
    days = nested(StoryDaySchema, "The days on which somebody moved.", many=True)
    second_phase_seq = whole("The move with which phase 2 of a solo began; null if there is none.", allow_none=True)


class StoryPlotQuery(RequestSchema):
    """The options of the plots of a story."""

    scheme = fields.String(
        load_default=AUTO,
        validate=OneOf(PLOT_SCHEMES),
        metadata={"description": "The color scheme; `auto` follows the reader's own.", "example": "dark"},
    )
    language = fields.String(
        load_default="en",
        validate=OneOf(CODES),
        metadata={"description": "The language of the text in the plots, and of their description.", "example": "fr"},
    )


def story_json(story: Story) -> dict[str, Any]:
    """Return a story as the API has it."""
    return {
        "kind": story.kind,
        "seats": story.seats,
        "goal_discs": story.goal_discs,
        "version": story.version,
        "started_at": stamp(story.started_at),
        "ended_at": stamp(story.ended_at),
        "result": story.result.to_json(),
        "players": [_player(player) for player in story.players],
        "moves": [_move(move) for move in story.moves],
        "runs": [_fields(run) for run in story.runs],
        "denials": [_fields(denial) for denial in story.denials],
        "turning_points": [_fields(point) for point in story.turning_points],
        "days": [{"day": day.day.isoformat(), "moves": list(day.moves)} for day in story.days],
        "second_phase_seq": story.second_phase_seq,
    }


def _move(move: StoryMove) -> dict[str, Any]:
    return move._asdict() | {
        "at": stamp(move.at),
        "discs_left": list(move.discs_left),
        "distance": list(move.distance),
    }


def _player(player: PlayerStory) -> dict[str, Any]:
    return _fields(player) | {"tempo": _fields(player.tempo)}


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in type(value).__slots__}


def _example() -> dict[str, Any]:
    """Return the story of a short game between bots."""
    (line,) = simulate.records(1, 2, "a story", "greedy", 5)
    return story_json(stories.of_record(json.loads(line)))


EXAMPLE = _example()
"""The example of a story for the OpenAPI document."""
