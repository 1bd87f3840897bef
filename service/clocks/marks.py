"""Change a clock by the marks in the log (CLOCKS.md 6, 7, 9, 12)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from engine.clock.durations import parse
from engine.clock.terms import Bank
from engine.moves import Mark
from engine.record import moment
from service.clocks.game_clock import (
    AUTOPILOT,
    GRACE,
    IN_TIME,
    NUDGE,
    ZERO,
    ClockEntry,
    GameClock,
    Late,
    Segment,
    Stretch,
)
from service.clocks.quiet_times import Interval
from service.clocks.reckoning import left, runs_out_at
from service.clocks.seats import SeatFacts

OUTAGE = "clock.outage"

STEPS = frozenset({"clock.nudge", "clock.grace", "clock.autopilot"})
"""The marks that are steps of the ladder."""

Marked = Callable[[GameClock, Stretch, ClockEntry, Sequence[SeatFacts]], GameClock]


def seen(clock: GameClock, at: datetime) -> GameClock:
    """Return the clock with the time since somebody played restarted (9.1)."""
    return replace(clock, idle_since=at, not_before=None)


def with_bank(clock: GameClock, seat: int, time: timedelta) -> GameClock:
    """Return the clock with this time in the bank of one seat."""
    return replace(clock, banks=(*clock.banks[:seat], time, *clock.banks[seat + 1 :]))


def taken_back(clock: GameClock, seat: int, at: datetime) -> GameClock:
    """Return the clock after a seat was taken back from the autopilot (6.6)."""
    if seat not in clock.autopilot:
        return clock
    clock = replace(clock, autopilot=clock.autopilot - {seat})
    if clock.terms is not None and isinstance(clock.terms.clock, Bank):
        clock = with_bank(clock, seat, max(clock.banks[seat], clock.terms.clock.increment))
    stretch = clock.stretch
    if stretch is None or stretch.seat != seat:
        return clock
    time = clock.allowance(seat)
    anew = replace(
        stretch,
        stage=IN_TIME,
        since=at,
        left=time,
        allowance=time,
        added=ZERO,
        ran_out_at=None,
    )
    return replace(clock, stretch=anew)


def _nudge(clock: GameClock, stretch: Stretch, entry: ClockEntry, facts: Sequence[SeatFacts]) -> GameClock:
    later = replace(
        stretch,
        stage=NUDGE,
        since=entry.at,
        left=_duration(entry),
        late=(*stretch.late, Late(entry.at, None)),
        ran_out_at=runs_out_at(clock, facts),
        before=(),
    )
    return replace(seen(clock, entry.at), stretch=later)


def _grace(clock: GameClock, stretch: Stretch, entry: ClockEntry, facts: Sequence[SeatFacts]) -> GameClock:
    later = replace(stretch, stage=GRACE, since=entry.at, left=_duration(entry))
    return replace(seen(clock, entry.at), stretch=later, graced=clock.graced | {stretch.seat})


def _autopilot(clock: GameClock, stretch: Stretch, entry: ClockEntry, facts: Sequence[SeatFacts]) -> GameClock:
    seat = stretch.seat
    clock = replace(seen(clock, entry.at), autopilot=clock.autopilot | {seat})
    if clock.banks:
        clock = with_bank(clock, seat, ZERO)
    late = tuple(Late(begins, ends or entry.at) for begins, ends in stretch.late)
    return replace(clock, stretch=replace(stretch, stage=AUTOPILOT, since=entry.at, left=ZERO, late=late))


def _more(clock: GameClock, stretch: Stretch, entry: ClockEntry, facts: Sequence[SeatFacts]) -> GameClock:
    if clock.runs() is None:
        return clock
    duration = _duration(entry)
    rest = duration + (left(clock, facts, entry.at) or ZERO)
    before = stretch.before
    if stretch.stage == IN_TIME:
        before = (*before, Segment(stretch.since, stretch.left, stretch.added))
    later = replace(
        stretch,
        stage=IN_TIME,
        since=entry.at,
        left=rest,
        added=stretch.added + duration,
        before=before,
        by_table=stretch.by_table if entry.by == "host" else stretch.by_table + duration,
        late=(),
        ran_out_at=None,
    )
    return replace(seen(clock, entry.at), stretch=later, words=())


def _pause(clock: GameClock, stretch: Stretch, entry: ClockEntry, facts: Sequence[SeatFacts]) -> GameClock:
    return replace(clock, pauses=(*_until(clock.pauses, entry.at), (entry.at, moment(_data(entry)["until"]))))


def _resume(clock: GameClock, stretch: Stretch, entry: ClockEntry, facts: Sequence[SeatFacts]) -> GameClock:
    return replace(clock, pauses=_until(clock.pauses, entry.at))


def _until(pauses: Sequence[Interval], at: datetime) -> tuple[Interval, ...]:
    """Return the pauses, the current one of which ends now."""
    return tuple((begin, min(end, at)) for begin, end in pauses if begin < at)


def _back(clock: GameClock, stretch: Stretch, entry: ClockEntry, facts: Sequence[SeatFacts]) -> GameClock:
    assert entry.seat is not None
    return taken_back(clock, entry.seat, entry.at)


def _keep(clock: GameClock, stretch: Stretch, entry: ClockEntry, facts: Sequence[SeatFacts]) -> GameClock:
    return seen(clock, entry.at)


def _warning(clock: GameClock, stretch: Stretch, entry: ClockEntry, facts: Sequence[SeatFacts]) -> GameClock:
    return replace(clock, not_before=moment(_data(entry)["not_before"]))


MARKS: Mapping[str, Marked] = {
    "clock.nudge": _nudge,
    "clock.grace": _grace,
    "clock.autopilot": _autopilot,
    "clock.more": _more,
    "clock.pause": _pause,
    "clock.resume": _resume,
    "clock.back": _back,
    "clock.keep": _keep,
    "clock.warning": _warning,
}
"""The functions that return the clock after a mark, by its kind; other marks change nothing."""


def _data(entry: ClockEntry) -> dict[str, Any]:
    assert isinstance(entry.move, Mark)
    data: dict[str, Any] = entry.move.data
    return data


def _duration(entry: ClockEntry) -> timedelta:
    return parse(_data(entry)["for"])
