"""Read a game's clock as one of its players, or somebody else, may see it, for sentences about it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from engine.clock.durations import parse
from engine.record import moment
from service.clocks import clock_view, reckoning
from service.clocks.absences import away_at
from service.clocks.game_clock import GameClock
from service.clocks.quiet_times import Interval
from service.language.clock_words import ClockShown
from service.queries.loaded import LoadedTable


def shown(table: LoadedTable, seat: int | None, now: datetime) -> ClockShown | None:
    """Return the clock as the player at this seat sees it, or, if `seat` is None, anybody who is not at the table.

    Returns None if the game has no clock or is not running.
    """
    clock = table.clock
    if clock is None or clock.stretch is None:
        return None
    at = max(now, clock.last_at)
    view = clock_view.view(clock, table.seat_facts, at, seat)
    mover = view["seat"]
    if mover is None:
        return None
    left, coming = view["left"][mover], view["next"]
    return ClockShown(
        seat=mover,
        stage=view["stage"],
        stands_still_because=view["stands_still_because"],
        stands_still_until=_until(table, clock, seat, at) if view["stands_still_because"] else None,
        runs_out_at=None if view["runs_out_at"] is None else moment(view["runs_out_at"]),
        next_step=None if coming is None else coming["step"],
        next_at=None if coming is None else moment(coming["at"]),
        at=at,
        left=None if left is None else parse(left),
    )


def _until(table: LoadedTable, clock: GameClock, viewer: int | None, at: datetime) -> datetime | None:
    """Return when the clock runs again; others are told of pauses and absences only, not of quiet times (11.1)."""
    stretch, facts = clock.stretch, table.seat_facts
    if stretch is None or clock.runs() is None:
        return None
    if stretch.seat == viewer:
        return _end(reckoning.still(clock, stretch, facts, stretch.since), at)
    absence = away_at(facts[stretch.seat].absences, at)
    return reckoning.pause_end(clock, at) or (None if absence is None else absence.ends)


def _end(still: Iterable[Interval], at: datetime) -> datetime | None:
    """Return the end of the standstill that includes an instant; None if there is none."""
    end = at
    for begin, finish in still:
        if begin > end:
            break
        end = max(end, finish)
    return end if end > at else None
