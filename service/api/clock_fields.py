"""The fields of requests that choose a clock: a duration, a table's clock, its ladder (docs/CLOCKS.md 1.2, 2.1, 6.1).

What is right is said once, in `engine.clock`; the JSON Schemas here say the same as far as JSON Schema can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, TypeVar

from marshmallow import ValidationError, fields

from engine.clock.durations import render
from engine.clock.errors import ClockError
from engine.clock.terms import (
    BOUNDS,
    LAST_STEPS,
    PRESETS,
    Clock,
    Ladder,
    Terms,
    bounded,
    clock_from_json,
    ladder_from_json,
)

T = TypeVar("T")

DURATION = r"^P(?=[0-9]|T[0-9])([0-9]{1,6}D)?(T(?=[0-9])([0-9]{1,6}H)?([0-9]{1,6}M)?)?$"
"""The pattern of a duration."""


def duration_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a duration with the bounds of this name."""
    least, most = map(render, BOUNDS[name])
    return {"type": "string", "pattern": DURATION, "description": f"A duration from `{least}` to `{most}`."}


def object_schema(*optional: str, **properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of an object with these properties and no others; only the optional ones may be absent."""
    return {
        "type": "object",
        "required": [name for name in properties if name not in optional],
        "properties": properties,
        "additionalProperties": False,
    }


def _only(kind: str) -> dict[str, Any]:
    return {"type": "string", "enum": [kind]}


CLOCKS = [
    object_schema(kind=_only("none")),
    object_schema(kind=_only("per_wait"), per_wait=duration_schema("per_wait")),
    object_schema(
        kind=_only("bank"),
        bank=duration_schema("bank"),
        increment=duration_schema("increment"),
        cap=duration_schema("cap"),
    ),
]
"""The JSON Schemas of the kinds of clock."""

GRACE = {"anyOf": [duration_schema("grace"), {"type": "null"}]}
"""The JSON Schema of the second step's duration."""


class Duration(fields.Field[timedelta]):
    """A duration in days, hours and minutes, with the bounds that `engine.clock.terms.BOUNDS` has for `name`."""

    def __init__(self, name: str, description: str, **options: Any) -> None:
        least, most = map(render, BOUNDS[name])
        text = f"{description} ISO 8601, with days, hours and minutes only: from `{least}` to `{most}`."
        metadata = {"type": "string", "pattern": DURATION, "description": text}
        super().__init__(metadata=metadata, **options)
        self._bounds = name

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str:
        return render(value)

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> timedelta:
        return _settled(lambda: bounded(self._bounds, value), self._bounds)


class ClockField(fields.Field[Clock]):
    """The clock of a table: the name of a preset, or an object."""

    def __init__(self, **options: Any) -> None:
        named = {"type": "string", "enum": list(PRESETS)}
        text = (
            "The clock of the table. `day`, `days-3`, `week`: so much time each time that a player's turn comes. Or"
            " an object: `per_wait` with any such time; `bank` with a supply of time for each player, which each of"
            " their own turns adds to, up to `cap` (not below `bank`); or `none`."
        )
        super().__init__(metadata={"description": text, "anyOf": [named, *CLOCKS]}, **options)

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> dict[str, Any]:
        shown: dict[str, Any] = value.to_json()
        return shown

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Clock:
        if isinstance(value, str):
            terms = _settled(lambda: Terms.chosen(value), "clock")
            assert terms is not None, "every preset has a clock"
            return terms.clock
        return _settled(lambda: clock_from_json(value), "clock")


class LadderField(fields.Field[Ladder]):
    """The ladder of a table."""

    def __init__(self, **options: Any) -> None:
        schema = object_schema(
            "grace", nudge=duration_schema("nudge"), grace=GRACE, then={"type": "string", "enum": list(LAST_STEPS)}
        )
        text = (
            "What happens when a player's time has run out. The table is told (`nudge`: for how long); once a game"
            " there may be a second step (`grace`); `then` a bot plays on for the player (`autopilot`), the player is"
            " `out`, or the table waits (`wait`)."
        )
        super().__init__(metadata={"description": text, **schema}, **options)

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> dict[str, Any]:
        shown: dict[str, Any] = value.to_json()
        return shown

    def _deserialize(self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> Ladder:
        return _settled(lambda: ladder_from_json(value), "ladder")


def _settled(settle: Callable[[], T], field: str) -> T:
    """Return the result of `settle`, or raise its refusal as marshmallow does, by the wrong field within `field`."""
    try:
        return settle()
    except ClockError as error:
        inner = error.field.removeprefix(field).removeprefix(".")
        raise ValidationError({inner: [error.phrase]} if inner else [error.phrase]) from None
