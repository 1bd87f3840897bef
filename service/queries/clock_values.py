"""Convert between what is stored about clocks and the values that their arithmetic uses. Pure, and on the hot path."""

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
    """Return the terms of a table from the text in its row."""
    return Terms.from_json(json.loads(text))


@lru_cache(maxsize=1024)
def parsed(text: str, agreed: str, abandoned_after: str) -> GameClock:
    """Return a game's clock from its text in the projection, with the terms from the table's row."""
    return clock_json.from_json(json.loads(text), terms(agreed), durations.parse(abandoned_after))


def rendered(clock: GameClock) -> str:
    """Return the text of a clock for the projection, which `parsed` reads."""
    return record.canonical(clock_json.to_json(clock)).decode()


def are_same(one: str | None, other: str | None) -> bool:
    """Return whether two texts of a game's clock are the same but for the time of seats that have left.

    That matters to nobody, and cannot be computed again once the player's quiet times were deleted with the account.
    """
    if one == other or one is None or other is None:
        return one == other
    try:
        return _without_left(one) == _without_left(other)
    except (ValueError, LookupError, TypeError):
        return False


def _without_left(text: str) -> object:
    clock = json.loads(text)
    if record.canonical(clock).decode() != text:
        raise ValueError("it is not as this service writes it")
    for seat in clock.get("left", ()) if clock.get("banks") else ():
        clock["banks"][seat] = None
    return clock


@lru_cache(maxsize=1024)
def facts(zone: str, quiet: str | None, absences: str | None, is_bots: bool = False) -> SeatFacts:
    """Return the facts of a seat from the row of its account; `is_bots` is whether a bot plays it from the start."""
    schedule = quiet_times.parse([] if quiet is None else json.loads(quiet), known(zone))
    return SeatFacts(is_bots, schedule, tuple(map(absence, [] if absences is None else json.loads(absences))))


def absence(stored: Sequence[str]) -> Absence:
    """Return an absence from its form in an account's row."""
    return Absence(*map(record.moment, stored))


def stored_absence(absence: Absence) -> list[str]:
    """Return an absence in the form that `absence` reads."""
    return [record.stamp(absence.announced_at), record.stamp(absence.begins), record.stamp(absence.ends)]


def entry_of(entry: Entry, step: Step) -> ClockEntry:
    """Return an entry and its step as the value that the arithmetic of clocks uses."""
    return ClockEntry(entry.seq, entry.at, entry.seat, entry.by or None, step.move)


def folded(
    agreed: Terms | None,
    abandoned_after: str,
    facts_at: Callable[[datetime], Sequence[SeatFacts]],
    turn: int | None,
    at: datetime,
    steps: Iterable[tuple[Entry, Step]],
) -> GameClock:
    """Return the clock of a game after these steps; `turn` is the seat that moved first, `at` when the game started."""
    assert turn is not None, "a game starts with somebody's turn"
    entries = ((entry_of(entry, step), step.turn) for entry, step in steps)
    return clock_entries.fold(agreed, durations.parse(abandoned_after), facts_at, turn, at, entries)
