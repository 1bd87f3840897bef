"""Schemas of notification settings, and of the delivery status of mails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields

from engine.clock.durations import parse, render
from engine.clock.errors import ClockError
from engine.phrases import Phrase, phrase
from service.api.clock_fields import DURATION
from service.api.fields import Flag, Moment, Whole
from service.api.schema import RequestSchema, ResponseSchema
from service.api.validators import AtMost, Length, OneOf, Range
from service.clocks.reminders import HALF, LEAST_LEFT, MOST, MOST_LEFT
from service.clocks.zones import zones
from service.store.deliveries import STATES
from service.store.delivery_preferences import ANSWERS, HOWS, HTTP_COMMANDS

_HOW = "`at_once`, in the daily `digest`, or `off`."
_OF_ANSWERS = (
    "The reply to a mail of yours, if it is not your turn again: `whole`, with the table; `short`, one line with the"
    " next step; or only `problems`: what went wrong, what the service asks you, and what you asked for."
)
_OF_HINTS = "Whether turn mails say on which cells a tile would cover goals, if the table allows it."
_OF_COMMANDS = (
    "Whether turn mails say how to move over HTTP: `auto` (while you have an access token), `on`, or `off`. You can"
    " always"
    " reply to a mail with a move, if the service receives mail."
)
_OF_REMINDERS = (
    f"When you are reminded that it is your turn, up to {MOST} times: at `half` of the time that you had when it came,"
    f" and when so much is left, from `{render(LEAST_LEFT)}` to `{render(MOST_LEFT)}`."
    " A point that is there twice, in whatever spelling, counts once."
)
DEFAULT = "default"
"""The setting of a game that has none of its own: that of the account applies."""

ON, OFF = TALK = ("on", "off")
"""Whether a game's mails include the messages of other players; `off` mutes them."""

DELIVERY_KINDS = (
    *("turn", "step", "reminder", "end", "closed", "talk", "invitation"),
    *("digest", "code", "address_changed", "answer"),
)
"""The kinds of mails that the list of deliveries shows."""

_LONGEST_ZONE = 64


class Zone(fields.String):
    """The name of a time zone of the IANA database, such as ``Europe/Berlin``."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=Length(1, _LONGEST_ZONE), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        name = super()._deserialize(value, attr, data, **kwargs)
        if name not in zones():
            raise ValidationError(
                [Phrase("Must be the name of a time zone of the IANA database, such as Europe/Berlin.")]
            )
        return name


class ReminderPoint(fields.Field[str]):
    """A point at which a player is reminded: `half`, or a duration that is left, returned in its shortest form."""

    def __init__(self) -> None:
        forms = [{"type": "string", "const": HALF}, {"type": "string", "pattern": DURATION}]
        super().__init__(metadata={"anyOf": forms})

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        if value == HALF:
            return HALF
        try:
            left = parse(value)
        except ClockError:
            left = None
        if left is None or not LEAST_LEFT <= left <= MOST_LEFT:
            raise ValidationError(
                [
                    phrase(
                        "Must be half, or a duration in days, hours and minutes from %(least)s to %(most)s.",
                        least=render(LEAST_LEFT),
                        most=render(MOST_LEFT),
                    )
                ]
            )
        return render(left)


def _how(description: str) -> fields.String:
    return fields.String(validate=OneOf(HOWS), metadata={"description": f"{description}: {_HOW}"})


class NotificationsRequest(RequestSchema):
    """Changes to your notification settings. Fields that are left out stay as they are."""

    turn = _how("Your turn has come")
    end = _how("A game is over")
    closed = _how("A table was closed before its game began")
    invitation = _how("Somebody invites you")
    reminder = _how("Your time is running out in a game")
    reminders = fields.List(
        ReminderPoint(), validate=AtMost(MOST), metadata={"description": _OF_REMINDERS, "maxItems": MOST}
    )
    answer = fields.String(validate=OneOf(ANSWERS), metadata={"description": _OF_ANSWERS})
    hints = Flag(metadata={"description": _OF_HINTS})
    http_commands = fields.String(validate=OneOf(HTTP_COMMANDS), metadata={"description": _OF_COMMANDS})
    digest_hour = Whole(
        validate=Range(0, 23), metadata={"description": "The hour, in your time zone, at which the digest is sent."}
    )
    zone = Zone(
        metadata={
            "description": "Your time zone, by its name in the IANA database. Mails give times in it.",
            "example": "Europe/Berlin",
        }
    )


def _shown(description: str) -> fields.String:
    return fields.String(required=True, metadata={"description": description, "enum": list(HOWS)})


class NotificationsSchema(ResponseSchema):
    """The notification settings of an account. Codes that you ask for are always mailed."""

    turn = _shown("Your turn has come.")
    end = _shown("A game is over.")
    closed = _shown("A table was closed before its game began.")
    invitation = _shown("Somebody invites you.")
    reminder = _shown("Your time is running out in a game.")
    reminders = fields.List(fields.String(), required=True, metadata={"description": _OF_REMINDERS})
    answer = fields.String(required=True, metadata={"description": _OF_ANSWERS, "enum": list(ANSWERS)})
    hints = fields.Boolean(required=True, metadata={"description": _OF_HINTS})
    http_commands = fields.String(required=True, metadata={"description": _OF_COMMANDS, "enum": list(HTTP_COMMANDS)})
    digest_hour = fields.Integer(required=True)
    zone = fields.String(required=True)
    next_digest_at = Moment(
        required=True, allow_none=True, metadata={"description": "Null while no kind of mail goes into the digest."}
    )


class GameNotificationsRequest(RequestSchema):
    """Changes to the notification settings of one game. Fields that are left out stay as they are."""

    mail = fields.String(
        validate=OneOf((DEFAULT, *HOWS)),
        metadata={"description": f"{_HOW} `{DEFAULT}`: as set for your account."},
    )
    answer = fields.String(
        validate=OneOf((DEFAULT, *ANSWERS)),
        metadata={"description": f"{_OF_ANSWERS} `{DEFAULT}`: as set for your account."},
    )
    talk = fields.String(
        validate=OneOf(TALK),
        metadata={"description": "Whether the mails include the messages of other players: `on`, or `off` (muted)."},
    )


class GameNotificationsSchema(ResponseSchema):
    """The notification settings of one game."""

    mail = fields.String(required=True, metadata={"enum": [DEFAULT, *HOWS]})
    answer = fields.String(required=True, metadata={"enum": [DEFAULT, *ANSWERS]})
    talk = fields.String(required=True, metadata={"enum": list(TALK)})


class DeliverySchema(ResponseSchema):
    """A mail to you, and its delivery status."""

    kind = fields.String(
        required=True,
        metadata={
            "enum": list(DELIVERY_KINDS),
        },
    )
    game = fields.String(
        required=True, allow_none=True, metadata={"description": "The id of the game that the mail is about."}
    )
    state = fields.String(required=True, metadata={"enum": list(STATES)})
    reason = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The reason of the state, for programs. More reasons may be added."},
    )
    detail = fields.String(required=True, metadata={"description": "The state and its reason in words."})
    answer = fields.String(
        required=True, allow_none=True, metadata={"description": "The reply of the mail server, without addresses."}
    )
    queued_at = Moment(required=True, metadata={"description": "When the mail was queued."})
    at = Moment(required=True, metadata={"description": "When it reached this state."})


class DeliveryPage(ResponseSchema):
    """A page of mails."""

    items = fields.List(fields.Nested(DeliverySchema), required=True)
    next = fields.String(
        required=True, allow_none=True, metadata={"description": "The cursor of the next page; null on the last page."}
    )


NOTIFICATIONS_EXAMPLE = {
    "turn": "digest",
    "end": "at_once",
    "closed": "at_once",
    "invitation": "at_once",
    "reminder": "at_once",
    "reminders": ["half", "P1D", "PT3H"],
    "answer": "short",
    "hints": True,
    "http_commands": "auto",
    "digest_hour": 7,
    "zone": "Europe/Berlin",
    "next_digest_at": "2026-11-28T06:00:00.000Z",
}

DELIVERY_EXAMPLE = {
    "kind": "turn",
    "game": "G4mE8sWqKzRt",
    "state": "sent",
    "reason": None,
    "detail": "The mail server accepted it.",
    "answer": None,
    "queued_at": "2026-11-27T20:56:00.123Z",
    "at": "2026-11-27T20:56:01.456Z",
}
