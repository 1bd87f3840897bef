"""The settings of an account: zone and quiet times, absences, reminders; and which are refused (3 to 5)."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tests.oracle.clocks import quiet
from tests.oracle.clocks.quiet import Schedule
from tests.oracle.clocks.times import DAY, HOUR, instant

NOTICE = 12 * HOUR
NEW_YEARS = [instant(f"{year}-01-01T00:00:00Z") for year in range(2020, 2041)]


class Refused(Exception):
    """A request is refused; `why` says the reason in one word."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass
class Absence:
    announced: int
    begins: int
    ends: int
    costs_until: int
    late_for: int | None = None  # the stretch whose time had run out when it was announced (4.6)


@dataclass
class Account:
    schedules: list[tuple[int, Schedule]] = field(default_factory=list)
    absences: list[Absence] = field(default_factory=list)
    chosen: dict[str, int] = field(default_factory=dict)  # a reminder, and since when it is chosen

    def schedule_at(self, when: int) -> Schedule:
        """Return the zone and windows that stand at this instant."""
        set_by_then = [schedule for at, schedule in self.schedules if at <= when]
        return set_by_then[-1] if set_by_then else quiet.NOTHING

    def set_schedule(self, when: int, zone: str, windows: list[dict[str, Any]]) -> None:
        """Change zone and windows, 6 times in any 30 days at most (3.1, 3.5)."""
        schedule = quiet.schedule(zone, windows)
        if quiet.too_much(schedule):
            raise Refused("too_much_quiet")
        if len([at for at, _ in self.schedules if at > when - 30 * DAY]) >= 6:
            raise Refused("too_often")
        self.schedules.append((when, schedule))

    def choose(self, when: int, reminders: list[str]) -> None:
        """Choose reminders; one that stays chosen is not chosen anew (5.6)."""
        self.chosen = {which: self.chosen.get(which, when) for which in reminders}

    def announce(self, when: int, begins: int | None, ends: int, late_for: int | None) -> None:
        """Announce an absence (4.1 to 4.4)."""
        if begins is not None and begins < when:
            raise Refused("past")
        begins = max(when + NOTICE, begins or 0)
        if ends - begins < DAY:
            raise Refused("too_short")
        if ends - begins > 21 * DAY:
            raise Refused("too_long")
        if any(begins < other.ends and other.begins < ends for other in self.absences):
            raise Refused("overlap")
        absence = Absence(when, begins, ends, ends, late_for)
        for year in pairwise(NEW_YEARS):
            taken = sum(overlap((other.begins, other.costs_until), year) for other in self.absences)
            if overlap((begins, ends), year) and taken + overlap((begins, ends), year) > 30 * DAY:
                raise Refused("allowance")
        self.absences.append(absence)

    def back(self, when: int) -> None:
        """End the absence that is on, and call off the later ones (4.4, 4.5)."""
        self.absences = [absence for absence in self.absences if absence.begins <= when]
        for absence in self.absences:
            if absence.ends > when:
                absence.ends = when
                absence.costs_until = max(when, absence.begins + DAY)


def overlap(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Return the time that two intervals have in common."""
    return max(0, min(one[1], other[1]) - max(one[0], other[0]))
