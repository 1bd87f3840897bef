"""Schemas of quiet times, with the example that the OpenAPI document shows and the tests send."""

from __future__ import annotations

from marshmallow import fields

from engine.phrases import Phrase
from service.api.notification_schemas import Zone
from service.api.response_fields import nested, text
from service.api.schema import RequestSchema, ResponseSchema
from service.api.validators import AtMost, Matching, OneOf

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MOST_WINDOWS = 14

_QUARTER = r"([01][0-9]|2[0-3]):(00|15|30|45)"
_OF_DAYS = "The days of the week on which it begins."
_OF_ZONE = "Your time zone, by its name in the IANA database."
_OF_WINDOWS = (
    f"Up to {MOST_WINDOWS} windows, which cover at most 112 of the 168 hours of a week. A window whose `to` is not"
    " after its `from` ends on the next day."
)


def _quarter(key: str) -> fields.String:
    return fields.String(
        required=True,
        data_key=key,
        attribute=key,
        validate=Matching(
            rf"{_QUARTER}\Z", Phrase("Must be a time of day at a full quarter of an hour, such as 22:00.")
        ),
        metadata={"pattern": f"^{_QUARTER}$", "description": "A time of day, in whole quarters of an hour."},
    )


class QuietWindowRequest(RequestSchema):
    """A time of the week that is quiet, by the clock on the wall in your time zone."""

    days = fields.List(
        fields.String(validate=OneOf(DAYS)),
        required=True,
        validate=AtMost(len(DAYS)),
        metadata={"description": _OF_DAYS, "maxItems": len(DAYS)},
    )
    begins = _quarter("from")
    ends = _quarter("to")


class QuietTimesRequest(RequestSchema):
    """Your quiet times; they take the place of those that you had."""

    zone = Zone(metadata={"description": f"{_OF_ZONE} Without this, it stays as it is.", "example": "Europe/Berlin"})
    quiet = fields.List(
        fields.Nested(QuietWindowRequest),
        required=True,
        validate=AtMost(MOST_WINDOWS),
        metadata={"description": f"{_OF_WINDOWS} Empty: you have none.", "maxItems": MOST_WINDOWS},
    )


class QuietWindowSchema(ResponseSchema):
    """A time of the week that is quiet."""

    days = fields.List(fields.String(), required=True, metadata={"description": _OF_DAYS})
    begins = fields.String(required=True, data_key="from", attribute="from")
    ends = fields.String(required=True, data_key="to", attribute="to")


class QuietTimesSchema(ResponseSchema):
    """Your quiet times. Nobody else can see them."""

    zone = text(_OF_ZONE)
    quiet = nested(QuietWindowSchema, _OF_WINDOWS, many=True)
    not_yet_in = fields.List(
        fields.String(),
        required=True,
        metadata={
            "description": "The running games in which it is your turn, and in which those quiet times still count that"
            " you had when it came, until you have moved."
        },
    )


QUIET_TIMES_EXAMPLE = {
    "zone": "Europe/Berlin",
    "quiet": [
        {"days": ["mon", "tue", "wed", "thu", "fri"], "from": "22:00", "to": "07:00"},
        {"days": ["sat", "sun"], "from": "00:00", "to": "10:00"},
    ],
    "not_yet_in": [],
}
