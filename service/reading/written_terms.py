"""The clock and the ladder of a new game, as people write them, and the terms of the table that they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from engine.clock.durations import parse, render
from engine.clock.terms import DEFAULT_LADDER, Terms


@dataclass(frozen=True, slots=True)
class WrittenClock:
    """The clock of a new game: `3 days a move`, `bank 5 days plus 1 day`, `no clock`.

    Attributes:
        per_wait: the time for each turn, or None.
        bank: the time that each player has at first, or None.
        increment: the time that each turn adds to a bank.
        cap: the limit of a bank, or None if not given.
    """

    per_wait: timedelta | None = None
    bank: timedelta | None = None
    increment: timedelta = timedelta()
    cap: timedelta | None = None

    def chosen(self) -> dict[str, str] | None:
        """Return the clock as a request has it; None for no clock.

        A bank without a given cap may grow by two increments.
        """
        if self.per_wait is not None:
            return {"kind": "per_wait", "per_wait": render(self.per_wait)}
        if self.bank is None:
            return None
        cap = self.bank + 2 * self.increment if self.cap is None else self.cap
        return {"kind": "bank", "bank": render(self.bank), "increment": render(self.increment), "cap": render(cap)}

    def to_json(self) -> list[str | None]:
        """Return the clock as plain JSON data."""
        lengths = (self.per_wait, self.bank, self.increment, self.cap)
        return [None if each is None else render(each) for each in lengths]

    @classmethod
    def from_json(cls, lengths: Sequence[str | None]) -> WrittenClock:
        """Return the clock for the data that `to_json` returned."""
        per_wait, bank, increment, cap = (None if each is None else parse(each) for each in lengths)
        return cls(per_wait, bank, increment or timedelta(), cap)


@dataclass(frozen=True, slots=True)
class WrittenLadder:
    """The ladder of a new game, and what stops its clock: `nudge 1 day, grace 2 days, then out, no quiet times`.

    Attributes:
        nudge: how long the nudge lasts, or None if not given.
        grace: how long the grace lasts, zero for no grace, or None if not given.
        then: the last step, `autopilot`, `out` or `wait`, or None if not given.
        quiet: whether quiet times stop the clock.
        absences: whether absences stop it.
    """

    nudge: timedelta | None = None
    grace: timedelta | None = None
    then: str | None = None
    quiet: bool = True
    absences: bool = True

    def chosen(self) -> dict[str, Any]:
        """Return the ladder as a request has it, with the usual steps where none is given."""
        usual = DEFAULT_LADDER
        grace = usual.grace if self.grace is None else self.grace or None
        return {
            "nudge": render(usual.nudge if self.nudge is None else self.nudge),
            "grace": None if grace is None else render(grace),
            "then": self.then or usual.then,
        }

    def to_json(self) -> list[Any]:
        """Return the ladder as plain JSON data."""
        lengths = [None if each is None else render(each) for each in (self.nudge, self.grace)]
        return [*lengths, self.then, self.quiet, self.absences]

    @classmethod
    def from_json(cls, parts: Sequence[Any]) -> WrittenLadder:
        """Return the ladder for the data that `to_json` returned."""
        nudge, grace = (None if each is None else parse(each) for each in parts[:2])
        return cls(nudge, grace, *parts[2:])


def terms(clock: WrittenClock | None, ladder: WrittenLadder | None) -> Terms | None:
    """Return the terms of a table with this clock and ladder; None for no clock.

    Raises:
        ClockError: no table can have them.
    """
    if clock is None:
        return None
    ladder = ladder or WrittenLadder()
    return Terms.chosen(clock.chosen(), ladder.chosen(), ladder.quiet, ladder.absences)
