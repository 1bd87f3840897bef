"""Compute the time left to the seat to move, and when it runs out (CLOCKS.md 1.4, 2.2, 6.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from heapq import merge

from service.clocks.absences import Absence
from service.clocks.game_clock import IN_TIME, ZERO, GameClock, Stretch
from service.clocks.quiet_times import Interval, is_quiet, quiet
from service.clocks.seats import SeatFacts
from service.clocks.standstills import charged, reached


def standstill(clock: GameClock, facts: Sequence[SeatFacts], at: datetime) -> str | None:
    """Return the reason why the clock stands still at an instant; None if it runs, or if there is none (2.2)."""
    stretch = clock.stretch
    if stretch is None or clock.terms is None:
        return None
    if stretch.seat in clock.bots:
        return "bot"
    if stretch.seat in clock.autopilot:
        return "autopilot"
    if pause_end(clock, at) is not None:
        return "paused"
    if any(one.begins <= at < one.ends for one in _counting(clock, stretch, facts)):
        return "absent"
    return "quiet" if stretch.schedule is not None and is_quiet(stretch.schedule, at) else None


def pause_end(clock: GameClock, at: datetime) -> datetime | None:
    """Return the end of the host's pause that includes an instant; None if there is none (7.2)."""
    return next((end for begin, end in clock.pauses if begin <= at < end), None)


def unpaused(clock: GameClock, at: datetime) -> datetime:
    """Return when that can be done which is due at an instant, and was not done: no pause may be on (7.2)."""
    return max([at, *(end for _, end in clock.pauses)])


def left(clock: GameClock, facts: Sequence[SeatFacts], at: datetime) -> timedelta | None:
    """Return the time left to the seat to move: 0 if it has run out; None for a bot, or without a clock."""
    stretch = clock.runs()
    if stretch is None:
        return None
    if stretch.stage != IN_TIME:
        return ZERO
    return max(ZERO, stretch.left - charged(still(clock, stretch, facts, stretch.since), stretch.since, at))


def runs_out_at(clock: GameClock, facts: Sequence[SeatFacts]) -> datetime | None:
    """Return when the time of the seat to move runs out or ran out, if nothing changes (10.1)."""
    stretch = clock.runs()
    if stretch is None:
        return None
    return stretch.ran_out_at or _reached(clock, stretch, facts)


def step_at(clock: GameClock, stretch: Stretch, facts: Sequence[SeatFacts]) -> datetime:
    """Return when the next step is due, if nothing changes (6.2); a pause delays it (7.2)."""
    return unpaused(clock, _reached(clock, stretch, facts))


def _reached(clock: GameClock, stretch: Stretch, facts: Sequence[SeatFacts]) -> datetime:
    return reached(still(clock, stretch, facts, stretch.since), stretch.since, stretch.left)


def still(clock: GameClock, stretch: Stretch, facts: Sequence[SeatFacts], since: datetime) -> Iterator[Interval]:
    """Yield the times after an instant in which the clock of a stretch stands still, by beginning; they may overlap."""
    nights = iter(()) if stretch.schedule is None else quiet(stretch.schedule, since)
    absent = sorted((one.begins, one.ends) for one in _counting(clock, stretch, facts) if one.ends > since)
    others = [intervals for intervals in (clock.pauses, clock.outages, absent) if intervals]
    return merge(*others, nights) if others else nights


def _counting(clock: GameClock, stretch: Stretch, facts: Sequence[SeatFacts]) -> list[Absence]:
    """Return the absences of the seat to move that stop this stretch (4.6, 4.7)."""
    assert clock.terms is not None
    if not clock.terms.absences:
        return []
    return [one for one in facts[stretch.seat].absences if not is_late(stretch, one)]


def is_late(stretch: Stretch, absence: Absence) -> bool:
    """Return whether an absence was announced when the time of a stretch was up, and so does not stop it (4.6)."""
    at = absence.announced_at
    return any(begins < at and (ends is None or at <= ends) for begins, ends in stretch.late)
