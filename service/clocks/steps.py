"""Find what has to be done next in a game, and when (CLOCKS.md 6, 7.5, 9)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from engine.clock.durations import render
from engine.clock.terms import WARNED_BEFORE, Ladder
from engine.moves import END, TIMEOUT, Mark, Move
from engine.record import stamp
from service.clocks.game_clock import AUTOPILOT, GRACE, IN_TIME, NUDGE, GameClock, Stretch
from service.clocks.more_time import given
from service.clocks.reckoning import step_at, unpaused
from service.clocks.seats import SeatFacts
from service.clocks.standstills import reached


class Due(NamedTuple):
    """An entry that has to be written, if nothing changes before.

    Attributes:
        at: when it is due; it may be written later, never before.
        what: "nudge", "grace", "autopilot", "out", "more", "warning" or "end".
        seat: the seat of its entry.
        move: its entry's move.
    """

    at: datetime
    what: str
    seat: int | None
    move: Move


def due(clock: GameClock, facts: Sequence[SeatFacts], now: datetime | None = None) -> Due | None:
    """Return the step that is due next; None if the game is over.

    Args:
        clock: the clock.
        facts: the facts of the seats.
        now: when its entry is written, if later than due: a warning names an instant that is counted from then (9.1).
    """
    stretch = clock.stretch
    if stretch is None:
        return None
    if not clock.persons() and len(clock.remaining()) > 1:
        return Due(clock.last_at, "end", None, END)  # 9.3
    time = given(clock)
    if time is not None:
        at = max(clock.last_at, *(word.at for word in clock.words))
        seats = sorted(word.seat for word in clock.words)
        data = {"wait": stretch.wait, "for": render(time), "given_by": seats}
        return Due(at, "more", stretch.seat, Mark("clock.more", data))
    step = next_step(clock)
    if step is None:
        return _abandoned(clock, stretch, now)
    return Due(step_at(clock, stretch, facts), step, stretch.seat, _step(clock, stretch, step))


def next_step(clock: GameClock) -> str | None:
    """Return the next step of the ladder: "nudge", "grace", "autopilot" or "out"; None if no step follows (6.1)."""
    stretch = clock.runs()
    return None if stretch is None else _following(clock, stretch.seat, _NAMES[stretch.stage])


_NAMES = {IN_TIME: None, NUDGE: "nudge", GRACE: "grace", AUTOPILOT: "autopilot"}
"""The step that began each stage."""


def _following(clock: GameClock, seat: int, step: str | None) -> str | None:
    """Return the step that follows another one for a seat; `step` is None while there is time."""
    ladder = _ladder(clock)
    if step is None:
        return "nudge"
    if step == "nudge" and ladder.grace is not None and seat not in clock.graced:
        return "grace"
    return ladder.then if step in ("nudge", "grace") and ladder.then != "wait" else None


def _step(clock: GameClock, stretch: Stretch, step: str) -> Move:
    """Return the move of a step's entry, which names the step after it (6.3)."""
    if step == "out":
        return TIMEOUT
    data: dict[str, object] = {"wait": stretch.wait}
    if step != "autopilot":
        duration = _ladder(clock).nudge if step == "nudge" else _ladder(clock).grace
        assert duration is not None
        data |= {"for": render(duration), "next": _following(clock, stretch.seat, step)}
    return Mark(f"clock.{step}", data)


def _abandoned(clock: GameClock, stretch: Stretch, now: datetime | None) -> Due:
    """Return the warning before the end of an abandoned game or, once it was warned, that end (9.1)."""
    if clock.not_before is not None:
        at = max(clock.not_before, reached(clock.pauses, clock.idle_since, clock.abandoned_after))
        return Due(unpaused(clock, at), "end", None, END)
    at = reached(clock.pauses, clock.idle_since, clock.abandoned_after - WARNED_BEFORE)
    at = unpaused(clock, at)
    written = at if now is None else max(at, now)
    data = {"wait": stretch.wait, "not_before": stamp(written + WARNED_BEFORE)}
    return Due(at, "warning", stretch.seat, Mark("clock.warning", data))


def _ladder(clock: GameClock) -> Ladder:
    assert clock.terms is not None
    return clock.terms.ladder
