"""The facts of a seat and its account that the clock of a game depends on."""

from __future__ import annotations

from dataclasses import dataclass

from service.clocks.absences import Absence
from service.clocks.quiet_times import NEVER, Schedule


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """The facts of one seat; they change without an entry in the log.

    Attributes:
        bot: whether a bot plays the seat from the start.
        schedule: the quiet times of its account; a stretch keeps those with which it begins (3.4).
        absences: the absences of its account, ended ones included.
    """

    bot: bool = False
    schedule: Schedule = NEVER
    absences: tuple[Absence, ...] = ()
