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
from service.api.components import Component, union

T = TypeVar("T")

DURATION = r"^P(?=[0-9]|T[0-9])([0-9]{1,6}D)?(T(?=[0-9])([0-9]{1,6}H)?([0-9]{1,6}M)?)?$"
"""The pattern of a duration."""


def duration_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a duration with the bounds of this name."""
    least, most = map(render, BOUNDS[name])
    return {"type": "string", "pattern": DURATION, "description": f"A duration from `{least}` to `{most}`."}


def object_schema(*optional: str, **properties: object) -> dict[str, Any]:
    """Return the JSON Schema of an object with these properties and no others; only the optional ones may be absent."""
    return {
        "type": "object",
        "required": [name for name in properties if name not in optional],
        "properties": properties,
        "additionalProperties": False,
    }


def _kind(name: str) -> dict[str, Any]:
    return {"type": "string", "const": name}


CLOCK = union(
    "TimeControl",
    "kind",
    {
        "none": Component("NoClock", object_schema(kind=_kind("none"))),
        "per_wait": Component(
            "PerWaitClock", object_schema(kind=_kind("per_wait"), per_wait=duration_schema("per_wait"))
        ),
        "bank": Component(
            "BankClock",
            object_schema(
                kind=_kind("bank"),
                bank=duration_schema("bank"),
                increment=duration_schema("increment"),
                cap=duration_schema("cap"),
            ),
        ),
    },
    "`per_wait`: the time for each wait; `bank`: each player's supply of time, which grows by `increment` with each of"
    " their own turns, up to `cap` (not below `bank`); `none`: there is no clock.",
)
"""A clock as an object."""

CLOCK_PRESET = Component("ClockPreset", {"type": "string", "enum": list(PRESETS)})
"""The clocks that have a name."""

GRACE = {"anyOf": [duration_schema("grace"), {"type": "null"}]}
"""The JSON Schema of the second step's duration."""


LAST_STEP = Component("LastStep", {"type": "string", "enum": list(LAST_STEPS)})
"""What a ladder can end with."""

LADDER = Component(
    "LadderRequest",
    {
        "description": "The steps that follow when a player's time has run out. Without `grace` there is no second"
        " step.",
        **object_schema("grace", nudge=duration_schema("nudge"), grace=GRACE, then=LAST_STEP),
    },
)
"""A ladder that somebody chooses."""


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
        text = (
            "The clock of the table. `day`, `days-3`, `week`: so much time each time that a player's turn comes. Or"
            " an object."
        )
        super().__init__(metadata={"description": text, "oneOf": [CLOCK_PRESET, CLOCK]}, **options)

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
        text = (
            "What happens when a player's time has run out. The table is told (`nudge`: for how long); once a game"
            " there may be a second step (`grace`); `then` a bot plays on for the player (`autopilot`), the player is"
            " `out`, or the table waits (`wait`)."
        )
        super().__init__(metadata={"description": text, "component": LADDER}, **options)

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
