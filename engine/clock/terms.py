"""The terms of a game: its clock, its ladder, and what may stop the clock (CLOCKS.md 2.1, 6.1, 12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar

from engine.clock.durations import parse, render
from engine.clock.errors import ClockError
from engine.phrases import phrase

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_ZERO = timedelta(0)

BOUNDS: Mapping[str, tuple[timedelta, timedelta]] = {
    "per_wait": (_HOUR, 30 * _DAY),
    "bank": (_HOUR, 60 * _DAY),
    "increment": (_ZERO, 14 * _DAY),
    "cap": (_HOUR, 90 * _DAY),
    "nudge": (_HOUR, 7 * _DAY),
    "grace": (_HOUR, 14 * _DAY),
    "abandoned_after": (30 * _DAY, 365 * _DAY),
    "more": (_HOUR, 14 * _DAY),
}
"""The bounds of each duration (12); `more` is what players and the host may give at a time (7.5)."""

MOST_GIVEN = 28 * _DAY
"""The limit of the time that all players together may give in one stretch (7.5)."""

ABANDONED_AFTER = 90 * _DAY
"""The time without a move after which a game ends, unless its table has another one (9.1)."""

WARNED_BEFORE = 14 * _DAY
"""The time between the warning and the end of an abandoned game (9.1)."""

LONGEST_PAUSE = 30 * _DAY
"""The longest pause that the host may make (7.2)."""

LEAST_OUTAGE = timedelta(minutes=15)
"""The shortest outage: only a longer failure is given back (8.3)."""


@dataclass(frozen=True, slots=True)
class NoClock:
    """The absence of a clock: no time is counted, and the game can only end by itself as abandoned (2.1, 9.1)."""

    kind: ClassVar[str] = "none"

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind}


@dataclass(frozen=True, slots=True)
class PerWait:
    """A clock with the same time for each stretch (2.4)."""

    per_wait: timedelta

    kind: ClassVar[str] = "per_wait"

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "per_wait": render(self.per_wait)}


@dataclass(frozen=True, slots=True)
class Bank:
    """A clock with a supply of time for each seat, to which its moves add (2.4, 2.5)."""

    bank: timedelta
    increment: timedelta
    cap: timedelta

    kind: ClassVar[str] = "bank"

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "bank": render(self.bank),
            "increment": render(self.increment),
            "cap": render(self.cap),
        }


Clock = NoClock | PerWait | Bank

PRESETS: Mapping[str, PerWait] = {
    "day": PerWait(_DAY),
    "days-3": PerWait(3 * _DAY),
    "week": PerWait(7 * _DAY),
}
"""The clocks that have a name (2.1)."""

LAST_STEPS = ("autopilot", "out", "wait")
"""The possible last steps of the ladder (6.1)."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """The steps that follow when time runs out (6.1).

    Attributes:
        nudge: how long the first step lasts.
        grace: how long the second lasts, which each seat has once a game; None: there is none.
        then: the last step: "autopilot", "out" or "wait".
    """

    nudge: timedelta
    grace: timedelta | None
    then: str

    def to_json(self) -> dict[str, Any]:
        return {
            "nudge": render(self.nudge),
            "grace": None if self.grace is None else render(self.grace),
            "then": self.then,
        }


DEFAULT_LADDER = Ladder(_DAY, 2 * _DAY, "autopilot")
"""The ladder of a table that does not choose one."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The settings of a game with a clock, as entry 1 of its log holds them (12).

    Attributes:
        quiet: whether the players' quiet times stop the clock (3.6).
        absences: whether their absences do (4.7).
    """

    clock: Clock
    ladder: Ladder = DEFAULT_LADDER
    quiet: bool = True
    absences: bool = True

    def to_json(self) -> dict[str, Any]:
        return {
            "clock": self.clock.to_json(),
            "ladder": self.ladder.to_json(),
            "quiet": self.quiet,
            "absences": self.absences,
        }

    @classmethod
    def from_json(cls, data: object) -> Terms:
        """Return the terms for the data of a `clock` mark, which has every field.

        Durations may be spelled in any way that 1.2 allows; compare with `to_json()` to demand the shortest.

        Raises:
            ClockError: a field is missing, unknown, of another form or out of its bounds.
        """
        fields = _fields(data, "", {"clock", "ladder", "quiet", "absences"})
        return cls(
            clock_from_json(fields["clock"]),
            ladder_from_json(fields["ladder"]),
            _truth(fields["quiet"], "quiet"),
            _truth(fields["absences"], "absences"),
        )

    @classmethod
    def chosen(
        cls, clock: object, ladder: object = None, quiet: object = True, absences: object = True
    ) -> Terms | None:
        """Return the terms for what a table's maker chose, or None for a table without a clock.

        Args:
            clock: the name of a preset or a clock's JSON object; None for no clock.
            ladder: a ladder's JSON object; None for the default.
            quiet: whether quiet times stop the clock.
            absences: whether absences do.

        Raises:
            ClockError: something of it does not exist.
        """
        if isinstance(clock, str):
            if clock not in PRESETS:
                names = ", ".join(PRESETS)
                raise ClockError("bad_clock", phrase("A clock with a name is one of %(names)s.", names=names), "clock")
            settled: Clock = PRESETS[clock]
        else:
            settled = NoClock() if clock is None else clock_from_json(clock)
        terms = cls(
            settled,
            DEFAULT_LADDER if ladder is None else ladder_from_json(ladder),
            _truth(quiet, "quiet"),
            _truth(absences, "absences"),
        )
        return None if isinstance(settled, NoClock) else terms


def clock_from_json(data: object, field: str = "clock") -> Clock:
    """Return the clock for its JSON object (2.1).

    Raises:
        ClockError: there is no such clock; code `bad_clock`, `bad_duration` or `out_of_bounds`.
    """
    kind = data.get("kind") if isinstance(data, dict) else None
    if kind == "per_wait":
        fields = _fields(data, field, {"kind", "per_wait"})
        return PerWait(bounded("per_wait", fields["per_wait"], field))
    if kind == "bank":
        fields = _fields(data, field, {"kind", "bank", "increment", "cap"})
        clock = Bank(*(bounded(name, fields[name], field) for name in ("bank", "increment", "cap")))
        if clock.cap < clock.bank:
            why = phrase("The cap of a bank is at least the bank, %(bank)s.", bank=render(clock.bank))
            raise ClockError("out_of_bounds", why, f"{field}.cap")
        return clock
    if kind == "none":
        _fields(data, field, {"kind"})
        return NoClock()
    raise ClockError("bad_clock", "The kind of a clock is none, per_wait or bank.", f"{field}.kind")


def ladder_from_json(data: object, field: str = "ladder") -> Ladder:
    """Return the ladder for its JSON object (6.1); `grace` may be left out.

    Raises:
        ClockError: there is no such ladder; code `bad_clock`, `bad_duration` or `out_of_bounds`.
    """
    fields = _fields(data, field, {"nudge", "then"}, {"grace"})
    grace = fields.get("grace")
    if fields["then"] not in LAST_STEPS:
        raise ClockError("bad_clock", "The last step is autopilot, out or wait.", f"{field}.then")
    return Ladder(
        bounded("nudge", fields["nudge"], field),
        None if grace is None else bounded("grace", grace, field),
        fields["then"],
    )


def bounded(name: str, text: object, within: str = "") -> timedelta:
    """Return the duration for a text if it is within the bounds of its name (12).

    Args:
        name: a key of `BOUNDS`.
        text: the duration.
        within: the name of the object that it is in, for the error.

    Raises:
        ClockError: code `bad_duration` or `out_of_bounds`.
    """
    field = f"{within}.{name}" if within else name
    duration = parse(text, field)
    least, most = BOUNDS[name]
    if not least <= duration <= most:
        raise ClockError(
            "out_of_bounds",
            phrase("The least here is %(least)s, the most %(most)s.", least=render(least), most=render(most)),
            field,
        )
    return duration


def _fields(
    data: object, field: str, needed: set[str], optional: set[str] | frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Return a JSON object that has exactly these fields."""
    if not isinstance(data, dict):
        raise ClockError("bad_clock", "An object is needed here.", field)
    inside = f"{field}." if field else ""
    if missing := needed - data.keys():
        name = min(missing)
        raise ClockError("bad_clock", phrase("The field %(field)s is missing.", field=name), inside + name)
    if unknown := data.keys() - needed - optional:
        name = f"{min(unknown, key=str)!s:.40}"
        raise ClockError("bad_clock", phrase("There is no field %(field)s here.", field=name), inside + name)
    return data


def _truth(value: object, field: str) -> bool:
    if not isinstance(value, bool):
        raise ClockError("bad_clock", "This is true or false.", field)
    return value
