"""Fields that accept exactly what their JSON Schema says: no text for a number, no 1 for true.

The fields of ``marshmallow`` differ from what the OpenAPI document promises (they accept ``"5"`` and ``true`` as
integers, but not 6.0, which is one in JSON Schema), so the API uses these.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from marshmallow import ValidationError, fields

from engine.phrases import Phrase, phrase
from engine.record import stamp
from service.access import addresses, free_text, names
from service.access.invalid_text import InvalidText
from service.api.converters import id_or_none
from service.api.validators import Length, Matching
from service.store.log import HEAD_DIGITS


class Whole(fields.Integer):
    """An integer as JSON Schema defines it: 6 and 6.0, but neither ``true`` nor ``"6"``."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> int:
        if isinstance(value, float) and value.is_integer():
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise ValidationError([Phrase("Must be a whole number.")])
        return value


class QueryWhole(fields.Integer):
    """An integer in a query string: digits, without spaces, a plus sign or leading zeros."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> int:
        if not re.fullmatch(r"0|-?[1-9][0-9]{0,17}", value):
            raise ValidationError([Phrase("Must be a whole number.")])
        return int(value)


class Flag(fields.Boolean):
    """A JSON boolean: neither 1 nor a text is accepted."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise ValidationError([Phrase("Must be true or false.")])
        return value


class Id(fields.String):
    """The id of something that a body names, or `NO_ID` for any other text: as in a path, it names nothing then."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        return id_or_none(super()._deserialize(value, attr, data, **kwargs))


class Const(fields.String):
    """A text that is always the same."""

    def __init__(self, value: str, description: str = "") -> None:
        super().__init__(required=True, metadata={"description": description} if description else {})
        self.value = value

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        if value != self.value:
            raise ValidationError([phrase("Must be one of: %(choices)s.", choices=self.value)])
        return self.value


class QueryFlag(fields.Boolean):
    """A boolean in a query string: the word true or false."""

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> bool:
        if value not in ("true", "false"):
            raise ValidationError([Phrase("Must be true or false.")])
        return bool(value == "true")


class Head(fields.String):
    """The head of a table's hash chain in a query string, in the form that an ETag has it."""

    def __init__(self) -> None:
        super().__init__(
            validate=Matching(
                rf"[0-9a-f]{{{HEAD_DIGITS}}}\Z", phrase("Must be %(digits)s hex digits.", digits=HEAD_DIGITS)
            ),
            metadata={
                "pattern": rf"^[0-9a-f]{{{HEAD_DIGITS}}}$",
                "description": "The head of the log at that version: the last part of its ETag. If the log has another"
                " head"
                " there now, because the service was restored to an earlier state, the answer is 404 `no_such_state`.",
            },
        )


class Moment(fields.DateTime):
    """A time in RFC 3339, UTC, with milliseconds: ``2026-11-27T20:56:00.123Z``. Used in responses only."""

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        return None if value is None else stamp(value)


class _Checked(fields.String):
    """A text that a function of ``service.access`` checks and normalizes."""

    def __init__(self, check: Callable[[str], str], pattern: str, longest: int, **kwargs: Any) -> None:
        metadata = {"pattern": pattern, **kwargs.pop("metadata", {})}
        super().__init__(validate=Length(1, longest), metadata=metadata, **kwargs)
        self._check = check

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            return self._check(text)
        except InvalidText as invalid:
            raise ValidationError([invalid.phrase]) from None


class Email(_Checked):
    """An email address, normalized to lower case."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(_bare_address, addresses.PATTERN, addresses.MAX_LENGTH, **kwargs)


def _bare_address(text: str) -> str:
    if text != text.strip():
        raise InvalidText("Must have no white space around it.")
    return addresses.normalize(text)


class Name(_Checked):
    """The name of a player, normalized."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(names.check, names.PATTERN, names.MAX_LENGTH, **kwargs)


class SpokenLine(_Checked):
    """One line of free text that has visible characters, normalized."""

    def __init__(self, longest: int = free_text.MAX_LENGTH, **kwargs: Any) -> None:
        super().__init__(partial(free_text.check, most=longest), free_text.PATTERN, longest, **kwargs)
