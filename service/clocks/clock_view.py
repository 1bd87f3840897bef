"""Show a game's clock to the players at its table and to others (CLOCKS.md 10.1, 11)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from engine.clock.durations import render
from engine.record import stamp
from service.clocks.absences import in_order
from service.clocks.game_clock import IN_TIME, ZERO, GameClock, Stretch
from service.clocks.reckoning import left, runs_out_at, standstill, step_at
from service.clocks.seats import SeatFacts
from service.clocks.steps import next_step

_HOUR = timedelta(hours=1)

View = dict[str, Any]
"""A JSON object of the API."""


def view(clock: GameClock, facts: Sequence[SeatFacts], at: datetime, viewer: int | None) -> View:
    """Return the view of a clock that a viewer gets at an instant (10.1).

    Args:
        clock: the clock, after the last entry before that instant.
        facts: the facts of the seats.
        at: the instant.
        viewer: the viewer's seat; None for somebody who is not at the table.
    """
    at = max(at, clock.last_at)
    stretch = clock.stretch
    if stretch is None or clock.terms is None:
        return nothing(clock.kind, clock.seats)
    own = viewer == stretch.seat
    reason = standstill(clock, facts, at)
    if not own and (reason == "quiet" or (reason == "absent" and viewer is None)):
        reason = None
    ends, step = runs_out_at(clock, facts), next_step(clock)
    following = None
    if step is not None:
        following = {"step": step, "at": _instant(step_at(clock, stretch, facts), own)}
    return {
        "kind": clock.kind,
        "seat": stretch.seat,
        "running": reason is None,
        "stands_still_because": reason,
        "stage": stretch.stage,
        "left": [_left(clock, stretch, facts, at, seat, viewer) for seat in range(clock.seats)],
        "runs_out_at": None if ends is None else _instant(ends, own),
        "next": following,
        "away": [] if viewer is None else away(clock, facts, at),
    }


def nothing(kind: str, seats: int) -> View:
    """Return the view of a clock that does not count: there is none, or the game has not begun or is over."""
    return {
        "kind": kind,
        "seat": None,
        "running": False,
        "stands_still_because": None,
        "stage": None,
        "left": [None] * seats,
        "runs_out_at": None,
        "next": None,
        "away": [],
    }


def away(clock: GameClock, facts: Sequence[SeatFacts], at: datetime) -> list[View]:
    """Return the current and future absences of the seats that have not left (4.7)."""
    return [
        {"seat": seat, "from": stamp(one.begins), "until": stamp(one.ends)}
        for seat in clock.remaining()
        for one in in_order(facts[seat].absences)
        if one.ends > at
    ]


def _left(
    clock: GameClock, stretch: Stretch, facts: Sequence[SeatFacts], at: datetime, seat: int, viewer: int | None
) -> str | None:
    """Return the time of a seat: exact for the own, for others whole hours that do not run down (11.2)."""
    if seat in clock.left_seats or not clock.is_person(seat):
        return None
    if seat != stretch.seat:
        time = clock.allowance(seat)
    elif seat == viewer:
        time = left(clock, facts, at) or ZERO
    else:
        time = stretch.left if stretch.stage == IN_TIME else ZERO
    return render(time if seat == viewer else time // _HOUR * _HOUR)


def _instant(at: datetime, exactly: bool) -> str:
    """Return an instant as it is shown: exact, or rounded up to a whole hour."""
    if not exactly:
        hour = at.replace(minute=0, second=0, microsecond=0)
        at = hour if hour == at else hour + _HOUR
    return stamp(at)
