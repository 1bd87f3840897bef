"""Schemas of a game's clock, which `service.api.clock_view` writes; a test compares real views with them."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from service.api.clock_fields import CLOCK, LAST_STEP, Duration
from service.api.response_fields import component, moment, nested, text, whole
from service.api.schema import RequestSchema, ResponseSchema

KINDS = ("none", "per_wait", "bank")
STAGES = ("in_time", "nudge", "grace", "autopilot")
STEPS = ("nudge", "grace", "autopilot", "out")
STANDSTILLS = ("bot", "autopilot", "paused", "absent", "quiet")


def span(description: str = "", **options: Any) -> fields.String:
    """Return a required field for a duration; with `allow_none=True` it may be null."""
    return text(f"{description} A duration, such as `P2DT4H`.".lstrip(), **options)


class MoreTimeRequest(RequestSchema):
    """An offer of more time to the player to move."""

    duration = Duration(
        "more", "The time that you would give; null withdraws what you offered.", required=True, allow_none=True
    )


class LadderSchema(ResponseSchema):
    """The steps that follow when a player's time has run out."""

    nudge = span("How long the first step lasts, which tells the table that the time is up.")
    grace = span("How long the second step lasts, once a seat and game; null: there is none.", allow_none=True)
    then = component(
        LAST_STEP,
        "What comes last: a bot plays for the player (`autopilot`), the player is `out`, or the table waits (`wait`).",
    )


class ClockSettingsSchema(ResponseSchema):
    """The settings of a table's clock. They do not change after the start; the log's first entry has them."""

    clock = component(CLOCK)
    ladder = nested(LadderSchema, "Null without a clock.", allow_none=True)
    quiet = fields.Boolean(required=True, metadata={"description": "Whether the players' quiet times stop the clock."})
    absences = fields.Boolean(required=True, metadata={"description": "Whether the players' absences stop the clock."})


class NextStepSchema(ResponseSchema):
    """The next step, when a player's time has run out."""

    step = text("", enum=STEPS)
    at = moment("When it is due, if nothing changes.")


class AwaySchema(ResponseSchema):
    """An absence that somebody at the table has announced."""

    seat = whole()
    begins = fields.String(required=True, data_key="from", attribute="from", metadata={"format": "date-time"})
    until = moment()


class WordSchema(ResponseSchema):
    """The time that a player offers to the one to move. The least is given once everybody else has offered some."""

    seat = whole()
    duration = fields.String(
        required=True, data_key="for", attribute="for", metadata={"description": "A duration, such as `P2D`."}
    )


class ClockSchema(ResponseSchema):
    """The clock of a game, as of `as_of`.

    It changes as time passes, which does not change the game's ETag: count `left` of the seat down by yourself, from
    `as_of` and while `running`, or go by the times given.
    """

    kind = text("", enum=KINDS)
    seat = whole("The seat that the table waits for.", allow_none=True)
    running = fields.Boolean(required=True, metadata={"description": "Whether that seat's time is running."})
    stands_still_because = text(
        "Why it is not. Only the player to move is told of their quiet times; to all others the clock seems to run.",
        allow_none=True,
        enum=(*STANDSTILLS, None),
    )
    stage = text(
        "`in_time`; `nudge` and `grace`: the time is up, and a move still counts; `autopilot`: a bot plays the seat.",
        allow_none=True,
        enum=(*STAGES, None),
    )
    left = fields.List(
        fields.String(allow_none=True),
        required=True,
        metadata={
            "description": "The time that each seat has left: a duration, or null for a player who left, a bot, and a"
            " seat that a bot plays. Of others you see whole hours and, of the player to move, what they had when their"
            " turn came."
        },
    )
    runs_out_at = moment(
        "When the time of the seat runs out, if nothing changes; past in `nudge` and `grace`. For all but the player to"
        " move, the next whole hour.",
        allow_none=True,
    )
    next = nested(NextStepSchema, "Null if no step follows.", allow_none=True)
    away = nested(
        AwaySchema,
        "The players' absences that are on or ahead; only the players of the table see them.",
        many=True,
    )
    words = nested(
        WordSchema, "The offers of more time that not all have made yet; only the players see them.", many=True
    )
    settings = nested(ClockSettingsSchema)
    abandoned_after = span("After how long a game ends that nobody goes on with.")
    as_of = moment(
        "The time for which this was computed. Null, like `seat` to `next`, before the start, after the end, without a"
        " clock, and where the game is shown as it was.",
        allow_none=True,
    )
