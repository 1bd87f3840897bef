"""The least time that each seat can have left: what its clock would show if it had never been stopped.

A record does not say how long a clock stood still for quiet times or absences. So the audit charges all of the time
that passed. A step that comes before even that time is used up is too early.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.clock.marks import LadderStep
from engine.clock.terms import Bank, PerWait, Terms

_NOTHING = timedelta(0)


@dataclass(slots=True)
class Stretch:
    """The current stretch (1.3).

    Attributes:
        number: the seq of the entry that began it, 0 for the start.
        seat: the seat to move.
        left: the least time that was left at `since`.
        since: the instant from which time is charged.
        step: the current step of the ladder, None while there is time.
        stepped_at: the time of that step's entry.
        given: the time that the players have given in this stretch.
    """

    number: int
    seat: int
    since: datetime
    left: timedelta
    step: LadderStep | None = None
    stepped_at: datetime | None = None
    given: timedelta = _NOTHING

    def left_at(self, at: datetime) -> timedelta:
        """Return the least time left at an instant; it is zero once a step of the ladder was taken."""
        return max(_NOTHING, self.left - (at - self.since)) if self.step is None else _NOTHING

    def renew(self, left: timedelta, at: datetime) -> None:
        """Leave the ladder, with this time left at this instant."""
        self.left, self.since, self.step, self.stepped_at = left, at, None, None

    def take(self, step: LadderStep, at: datetime) -> None:
        """Take a step of the ladder."""
        self.step, self.stepped_at = step, at


class LeastTime:
    """The least amounts in the banks of all seats, and from them the least time of the next stretch."""

    def __init__(self, terms: Terms, seats: int) -> None:
        self._clock = terms.clock
        self._banks = [self._clock.bank if isinstance(self._clock, Bank) else _NOTHING] * seats

    def allowance(self, seat: int) -> timedelta:
        """Return the least time with which a stretch of a seat begins (2.4)."""
        return self._clock.per_wait if isinstance(self._clock, PerWait) else self._banks[seat]

    def credit(self, seat: int, left: timedelta) -> None:
        """Add the time left at the end of a stretch and the increment to its seat's bank, up to the cap (2.4, 2.5)."""
        if isinstance(self._clock, Bank):
            self._banks[seat] = min(self._clock.cap, left + self._clock.increment)

    def empty(self, seat: int) -> None:
        """Empty the bank of a seat that goes on autopilot (6.5)."""
        self._banks[seat] = _NOTHING

    def take_back(self, seat: int) -> None:
        """Give a seat that comes back from autopilot the increment at least (6.6)."""
        if isinstance(self._clock, Bank):
            self._banks[seat] = max(self._banks[seat], self._clock.increment)
