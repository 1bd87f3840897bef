"""How wishes for mail, and what became of mails, are sent and shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError, fields

from engine.saying import Said
from service.api.bounds import Length, OneOf, Range
from service.api.fields import Flag, Moment, Whole
from service.api.schema import Given, Shown
from service.clocks.zones import zones
from service.store.deliveries import STATES
from service.store.wishes import ANSWERS, HOWS, HTTP_COMMANDS

_HOW = "`at_once`, in the daily `digest`, or `off`."
_OF_ANSWERS = (
    "What came of a mail of yours, where it is not your turn again: `whole`, with the table; `short`, in a line with the "
    "next step; or only `problems`: what went wrong, what is asked, and what you asked to be told."
)
_OF_HINTS = "Whether turn mails say at which cells a tile would cover goals, where the table allows it."
_OF_COMMANDS = (
    "Whether turn mails say how to move over HTTP: `auto` (while you have an access token), `on`, or `off`. Mails can always"
    " be answered with a move, if the service takes mail in."
)
DEFAULT = "default"
"""What a game's mails are without a wish of their own."""

ON, OFF = TALK = ("on", "off")
"""Whether what others say at a game's table is told by its mails; muted, it is not."""

_LONGEST_ZONE = 64


class Zone(fields.String):
    """The name of a time zone of the IANA database, such as ``Europe/Berlin``."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=Length(1, _LONGEST_ZONE), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        name = super()._deserialize(value, attr, data, **kwargs)
        if name not in zones():
            raise ValidationError(
                [Said("Must be the name of a time zone of the IANA database, such as Europe/Berlin.")]
            )
        return name


def _how(description: str) -> fields.String:
    return fields.String(validate=OneOf(HOWS), metadata={"description": f"{description}: {_HOW}"})


class NotificationsGiven(Given):
    """Changes of how mails are wanted; what is not named stays."""

    turn = _how("Your turn has come")
    end = _how("A game is over")
    closed = _how("A table was closed before its game began")
    invitation = _how("Somebody invites you")
    answer = fields.String(validate=OneOf(ANSWERS), metadata={"description": _OF_ANSWERS})
    hints = Flag(metadata={"description": _OF_HINTS})
    http_commands = fields.String(validate=OneOf(HTTP_COMMANDS), metadata={"description": _OF_COMMANDS})
    digest_hour = Whole(validate=Range(0, 23), metadata={"description": "The hour of your zone when the digest comes."})
    zone = Zone(
        metadata={
            "description": "Your time zone, by its name in the IANA database; times in mails are told in it.",
            "example": "Europe/Berlin",
        }
    )


def _shown(description: str) -> fields.String:
    return fields.String(required=True, metadata={"description": description, "enum": list(HOWS)})


class NotificationsShown(Shown):
    """How an account wants its mails. Codes come in any case, when they are asked for."""

    turn = _shown("Your turn has come.")
    end = _shown("A game is over.")
    closed = _shown("A table was closed before its game began.")
    invitation = _shown("Somebody invites you.")
    answer = fields.String(required=True, metadata={"description": _OF_ANSWERS, "enum": list(ANSWERS)})
    hints = fields.Boolean(required=True, metadata={"description": _OF_HINTS})
    http_commands = fields.String(required=True, metadata={"description": _OF_COMMANDS, "enum": list(HTTP_COMMANDS)})
    digest_hour = fields.Integer(required=True)
    zone = fields.String(required=True)
    next_digest_at = Moment(
        required=True, allow_none=True, metadata={"description": "Null while nothing goes into a digest."}
    )


class GameNotificationsGiven(Given):
    """Changes of how the mails of one game are wanted; what is not named stays."""

    mail = fields.String(
        validate=OneOf((DEFAULT, *HOWS)),
        metadata={"description": f"{_HOW} `{DEFAULT}`: as those of all games."},
    )
    answer = fields.String(
        validate=OneOf((DEFAULT, *ANSWERS)),
        metadata={"description": f"{_OF_ANSWERS} `{DEFAULT}`: as for all games."},
    )
    talk = fields.String(
        validate=OneOf(TALK),
        metadata={"description": "Whether the mails tell what others say at the table: `on`, or `off` (muted)."},
    )


class GameNotificationsShown(Shown):
    """How the mails of one game are wanted."""

    mail = fields.String(required=True, metadata={"enum": [DEFAULT, *HOWS]})
    answer = fields.String(required=True, metadata={"enum": [DEFAULT, *ANSWERS]})
    talk = fields.String(required=True, metadata={"enum": list(TALK)})


class DeliveryShown(Shown):
    """A mail to you, and what became of it."""

    kind = fields.String(
        required=True,
        metadata={
            "enum": ["turn", "end", "closed", "talk", "invitation", "digest", "code", "address_changed", "answer"],
        },
    )
    game = fields.String(required=True, allow_none=True, metadata={"description": "The id of the game it is about."})
    state = fields.String(required=True, metadata={"enum": list(STATES)})
    reason = fields.String(
        required=True, allow_none=True, metadata={"description": "Why, for programs. Further ones may come."}
    )
    detail = fields.String(required=True, metadata={"description": "The same in words."})
    answer = fields.String(
        required=True, allow_none=True, metadata={"description": "What the mail server said, without addresses."}
    )
    queued_at = Moment(required=True, metadata={"description": "When it was called for."})
    at = Moment(required=True, metadata={"description": "When it became what it is."})


class DeliveryPage(Shown):
    """A page of mails."""

    items = fields.List(fields.Nested(DeliveryShown), required=True)
    next = fields.String(required=True, allow_none=True, metadata={"description": "The cursor of the next page."})


NOTIFICATIONS_EXAMPLE = {
    "turn": "digest",
    "end": "at_once",
    "closed": "at_once",
    "invitation": "at_once",
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
    "detail": "It has left for your mail server.",
    "answer": None,
    "queued_at": "2026-11-27T20:56:00.123Z",
    "at": "2026-11-27T20:56:01.456Z",
}
