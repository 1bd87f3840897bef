"""Read a game's clock as one of its players, or somebody else, may see it, for sentences about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from engine.clock.durations import parse
from engine.record import moment
from service.clocks import clock_view, reckoning
from service.clocks.game_clock import GameClock
from service.language.clock_words import Away, ClockShown
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
    still = _Standstill(None, ()) if view["stands_still_because"] is None else _standstill(table, clock, seat, at)
    return ClockShown(
        seat=mover,
        stage=view["stage"],
        stands_still_because=view["stands_still_because"],
        stands_still_until=still.until,
        runs_out_at=None if view["runs_out_at"] is None else moment(view["runs_out_at"]),
        next_step=None if coming is None else coming["step"],
        next_at=None if coming is None else moment(coming["at"]),
        at=at,
        left=None if left is None else parse(left),
        away=tuple(_next_of_each(Away(one["seat"], moment(one["from"]), moment(one["until"])) for one in view["away"])),
        then_because=still.reasons[1:],
    )


def _next_of_each(absences: Iterable[Away]) -> Iterator[Away]:
    """Yield the first absence of each seat, with those that follow it at once; they come by seat and beginning."""
    for seat, announced in groupby(absences, key=attrgetter("seat")):
        first, *later = announced
        for one in later:
            if one.begins > first.ends:
                break
            first = Away(seat, first.begins, one.ends)
        yield first


class _Standstill(NamedTuple):
    """The end of a standstill, and its reasons in their order."""

    until: datetime | None
    reasons: tuple[str, ...]


def _standstill(table: LoadedTable, clock: GameClock, viewer: int | None, at: datetime) -> _Standstill:
    """Return until when, and why, a clock stands still at an instant.

    Others than its player are told of pauses and absences only, not of quiet times; who is not at the table is told of
    pauses only (11.2).
    """
    stretch, facts = clock.stretch, table.seat_facts
    if stretch is None or clock.runs() is None:
        return _Standstill(None, ())
    if stretch.seat != viewer:
        stretch = replace(stretch, schedule=None)
        clock = replace(clock, stretch=stretch)
    if viewer is None:
        facts = tuple(replace(each, absences=()) for each in facts)
    end, instants = at, {at}
    for begin, finish in reckoning.still(clock, stretch, facts, stretch.since):
        if begin > end:
            break
        if finish > at:
            instants.add(finish)
            end = max(end, finish)
    reasons = [reckoning.standstill(clock, facts, instant) for instant in sorted(instants - {end})]
    return _Standstill(end if end > at else None, tuple(dict.fromkeys(filter(None, reasons))))
