"""Make the values that the arithmetic of clocks takes from what is stored. Pure; this module is on the hot path."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import lru_cache

from engine import record
from engine.clock import durations
from engine.clock.terms import Terms
from engine.table import Step
from service.clocks import clock_json, quiet_times
from service.clocks import entries as clock_entries
from service.clocks.absences import Absence
from service.clocks.game_clock import ClockEntry, GameClock
from service.clocks.seats import SeatFacts
from service.clocks.zones import known
from service.store.log import Entry


@lru_cache(maxsize=256)
def terms(text: str) -> Terms:
    """Return what a table agreed on, as its row has it."""
    return Terms.from_json(json.loads(text))


@lru_cache(maxsize=1024)
def parsed(text: str, agreed: str, abandoned_after: str) -> GameClock:
    """Return a game's clock, as the projection has it, at a table that agreed on this."""
    return clock_json.from_json(json.loads(text), terms(agreed), durations.parse(abandoned_after))


def rendered(clock: GameClock) -> str:
    """Return the text that `parsed` reads."""
    return record.canonical(clock_json.to_json(clock)).decode()


@lru_cache(maxsize=1024)
def facts(zone: str, quiet: str | None, absences: str | None) -> SeatFacts:
    """Return what an account has set for its clocks, as its row has it."""
    schedule = quiet_times.parse([] if quiet is None else json.loads(quiet), known(zone))
    return SeatFacts(False, schedule, tuple(map(absence, [] if absences is None else json.loads(absences))))


def absence(stored: Sequence[str]) -> Absence:
    """Return an absence as an account's row has it."""
    return Absence(*map(record.moment, stored))


def stored_absence(absence: Absence) -> list[str]:
    """Return what `absence` reads."""
    return [record.stamp(absence.announced_at), record.stamp(absence.begins), record.stamp(absence.ends)]


def entry_of(entry: Entry, step: Step) -> ClockEntry:
    """Return an entry as the arithmetic takes it; `step` is what it did."""
    return ClockEntry(entry.seq, entry.at, entry.seat, entry.by or None, step.move)


def folded(
    agreed: Terms | None,
    abandoned_after: str,
    facts_at: Callable[[datetime], Sequence[SeatFacts]],
    turn: int | None,
    at: datetime,
    steps: Iterable[tuple[Entry, Step]],
) -> GameClock:
    """Return the clock of a game after these steps; `turn` and `at` are who moved first, and when it started."""
    assert turn is not None, "a game starts with somebody's turn"
    entries = ((entry_of(entry, step), step.turn) for entry, step in steps)
    return clock_entries.fold(agreed, durations.parse(abandoned_after), facts_at, turn, at, entries)
