"""Schemas of absences, with the examples that the OpenAPI document shows and the tests send."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from marshmallow import ValidationError, fields

from engine.phrases import Phrase
from service.api.fields import Moment
from service.api.response_fields import nested
from service.api.schema import RequestSchema, ResponseSchema
from service.clocks.absences import YEARS

_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?([Zz]|[+-][0-9]{2}:[0-9]{2}))?"
)
_BELOW_MICROSECONDS = re.compile(r"(?<=\.[0-9]{6})[0-9]+")


class DayOrTime(fields.Field[date | datetime]):
    """A day, or a time with its offset from UTC; it is returned as a date or as an aware datetime in UTC."""

    def __init__(self, description: str, **options: Any) -> None:
        forms = [{"type": "string", "format": "date-time"}, {"type": "string", "format": "date"}]
        super().__init__(metadata={"description": description, "anyOf": forms}, **options)

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> date | datetime:
        try:
            match = _TIME.fullmatch(value) if isinstance(value, str) else None
            if match is not None and int(value[:4]) in YEARS:
                # Python knows neither "z" nor nanoseconds, which RFC 3339 allows and clients in Go and C# send.
                read = _BELOW_MICROSECONDS.sub("", value.upper())
                return datetime.fromisoformat(read).astimezone(UTC) if match[1] else date.fromisoformat(read)
        except ValueError:
            pass  # there is no such day or time
        raise ValidationError(
            [Phrase("Must be a day, such as 2026-12-05, or a time with its offset, such as 2026-12-05T18:00:00Z.")]
        )


class AbsenceRequest(RequestSchema):
    """An absence to announce."""

    begins = DayOrTime(
        "When it begins, not in the past; a day begins at midnight in your time zone. Without this, as soon as it can."
        " It counts from 12 hours after you announced it at the earliest.",
        data_key="from",
        allow_none=True,
        load_default=None,
    )
    until = DayOrTime("When it ends; a day counts to its end in your time zone.", required=True)


class AbsenceSchema(ResponseSchema):
    """An absence."""

    announced_at = Moment(required=True)
    begins = Moment(required=True, data_key="from", metadata={"description": "From when on it counts."})
    until = Moment(required=True, attribute="ends")


class AbsenceListSchema(ResponseSchema):
    """The absences of an account, the earliest first, including those of this calendar year that are over."""

    items = nested(AbsenceSchema, many=True)


class AnnouncedAbsenceSchema(AbsenceSchema):
    """An absence that was announced, and what became of it."""

    moved = fields.Boolean(
        required=True,
        metadata={"description": "Whether it begins later than you asked for, because it counts after 12 hours."},
    )
    not_in = fields.List(
        fields.String(),
        required=True,
        metadata={
            "description": "The running games in which it does not stop your clock: the table has ruled it out, or your"
            " time had run out there before."
        },
    )


class ReturnSchema(ResponseSchema):
    """The absences and seats that coming back has changed."""

    ended = nested(AbsenceSchema, "The absences that ended or were called off.", many=True)
    seats_taken_back = fields.List(
        fields.String(),
        required=True,
        metadata={"description": "The games in which a bot played for you, and in which you play again."},
    )


ABSENCE_EXAMPLE = {
    "announced_at": "2026-11-27T20:56:00.123Z",
    "from": "2026-12-23T23:00:00.000Z",
    "until": "2027-01-05T23:00:00.000Z",
}
