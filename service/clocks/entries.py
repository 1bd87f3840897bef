"""Compute a game's clock from the entries of its log (CLOCKS.md 1.3, 2, 6.3, 7, 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from engine.clock.terms import Bank, NoClock, Terms
from engine.moves import Mark, Place, Refill, Resign, Timeout
from engine.record import moment
from service.clocks.game_clock import AUTOPILOT, ZERO, ClockEntry, GameClock, Stretch
from service.clocks.marks import MARKS, OUTAGE, STEPS, seen, taken_back, with_bank
from service.clocks.quiet_times import Interval
from service.clocks.reckoning import left
from service.clocks.seats import SeatFacts


def begin(
    terms: Terms | None, abandoned_after: timedelta, facts: Sequence[SeatFacts], turn: int, at: datetime
) -> GameClock:
    """Return the clock of a game that starts now with this seat to move."""
    if terms is not None and isinstance(terms.clock, NoClock):
        terms = None
    bank = terms.clock.bank if terms is not None and isinstance(terms.clock, Bank) else None
    clock = GameClock(
        terms=terms,
        abandoned_after=abandoned_after,
        seats=len(facts),
        bots=frozenset(seat for seat, fact in enumerate(facts) if fact.bot),
        banks=() if bank is None else (bank,) * len(facts),
        stretch=None,
        last_at=at,
        idle_since=at,
    )
    return replace(clock, stretch=_stretch(clock, facts, turn, 0, at))


def after(clock: GameClock, entry: ClockEntry, turn: int | None, facts: Sequence[SeatFacts]) -> GameClock:
    """Return the clock after one more entry, which is not an outage.

    An outage also changes the time charged in stretches that have ended (8.3): compute the clock again with `fold`.

    Args:
        clock: the clock before.
        entry: the entry.
        turn: the seat to move after it; None if the game is over.
        facts: the facts of the seats now.
    """
    if isinstance(entry.move, Mark) and entry.move.kind == OUTAGE:
        raise ValueError("After an outage the clock is computed anew from the whole log.")
    return _after(clock, entry, turn, facts)


def fold(
    terms: Terms | None,
    abandoned_after: timedelta,
    facts_at: Callable[[datetime], Sequence[SeatFacts]],
    turn: int,
    at: datetime,
    entries: Iterable[tuple[ClockEntry, int | None]],
) -> GameClock:
    """Return the clock of a game from its whole log.

    Args:
        terms: the game's terms; None for a game without a clock.
        abandoned_after: the time after which the game ends if nobody plays.
        facts_at: returns the facts of the seats at an instant: their schedules then, and all absences known now.
        turn: the seat that was to move at the start.
        at: when the game started.
        entries: each entry, and the seat to move after it.
    """
    log = list(entries)
    clock = begin(terms, abandoned_after, facts_at(at), turn, at)
    clock = replace(clock, outages=given_back(entry for entry, _ in log))
    for entry, turn_after in log:
        clock = _after(clock, entry, turn_after, facts_at(entry.at))
    return clock


def given_back(entries: Iterable[ClockEntry]) -> tuple[Interval, ...]:
    """Return the times in which all clocks of a game stood still because of outages.

    An outage counts only after the last step that was taken before it (8.4). Where outages overlap, the time counts
    once.
    """
    found: list[Interval] = []
    stepped_at: datetime | None = None
    for entry in entries:
        move = entry.move
        if (isinstance(move, Timeout) and entry.by is None) or (isinstance(move, Mark) and move.kind in STEPS):
            stepped_at = entry.at
        elif isinstance(move, Mark) and move.kind == OUTAGE:
            since, until = moment(move.data["from"]), moment(move.data["to"])
            if stepped_at is not None:
                since = max(since, stepped_at)
            if since < until:
                found.append((since, until))
    return tuple(sorted(found))


def _after(clock: GameClock, entry: ClockEntry, turn: int | None, facts: Sequence[SeatFacts]) -> GameClock:
    stretch = clock.stretch
    if stretch is None:
        return clock
    move, at = entry.move, entry.at
    if isinstance(move, Place | Refill):
        clock = _played(clock, stretch, entry, turn, facts)
    elif isinstance(move, Resign | Timeout):
        clock = _left(clock, entry)
    elif isinstance(move, Mark) and (marked := MARKS.get(move.kind)) is not None:
        clock = marked(clock, stretch, entry, facts)
    clock = replace(clock, last_at=at)
    if turn is None:
        return replace(clock, stretch=None, words=())
    assert clock.stretch is not None
    if turn != clock.stretch.seat:
        clock = replace(clock, stretch=_stretch(clock, facts, turn, entry.seq, at), words=())
    return _pruned(clock) if clock.pauses or clock.outages else clock


def _pruned(clock: GameClock) -> GameClock:
    """Return the clock without the pauses and outages that ended too early to matter any more."""
    assert clock.stretch is not None
    since = clock.stretch.began_at
    pauses = tuple(one for one in clock.pauses if one[1] > min(since, clock.idle_since))
    return replace(clock, pauses=pauses, outages=tuple(one for one in clock.outages if one[1] > since))


def _stretch(clock: GameClock, facts: Sequence[SeatFacts], seat: int, wait: int, at: datetime) -> Stretch:
    """Return a new stretch of a seat, which begins now."""
    terms = clock.terms
    if terms is None or seat in clock.bots:
        return Stretch(seat, wait, at, at)
    schedule = facts[seat].schedule if terms.quiet and facts[seat].schedule.windows else None
    if seat in clock.autopilot:
        return Stretch(seat, wait, at, at, schedule, AUTOPILOT)
    time = clock.allowance(seat)
    return Stretch(seat, wait, at, at, schedule, left=time, allowance=time)


def _played(
    clock: GameClock,
    stretch: Stretch,
    entry: ClockEntry,
    turn: int | None,
    facts: Sequence[SeatFacts],
) -> GameClock:
    """Return the clock after a placement or a refill, before the next stretch begins (6.3)."""
    seat = stretch.seat
    if entry.by is not None or seat in clock.bots:
        return clock
    clock = seen(clock, entry.at)
    if seat in clock.autopilot:
        return taken_back(clock, seat, entry.at)
    if turn == seat or clock.terms is None or not isinstance(clock.terms.clock, Bank):
        return clock
    bank = clock.terms.clock
    rest = left(clock, facts, entry.at) or ZERO
    return with_bank(clock, seat, min(bank.cap, rest + bank.increment))


def _left(clock: GameClock, entry: ClockEntry) -> GameClock:
    assert entry.seat is not None
    return replace(
        seen(clock, entry.at),
        left_seats=clock.left_seats | {entry.seat},
        autopilot=clock.autopilot - {entry.seat},
        words=tuple(word for word in clock.words if word.seat != entry.seat),
    )
