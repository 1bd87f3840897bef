"""Compute a game's clock from its whole log and the offers of time, where the last entry alone is not enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace

from sqlalchemy.orm import Session

from engine.clock import durations
from engine.clock.errors import ClockError
from engine.table import Step
from service.clocks import more_time
from service.clocks.game_clock import GameClock
from service.queries import clock_history
from service.queries.table import LoadedTable
from service.store import clock_words
from service.store.clock_words import Word
from service.store.log import Entry


def current(session: Session, table: LoadedTable) -> GameClock:
    """Return the clock of a running game that is loaded with its log.

    A table without a clock has none stored; its computed one only shows how long ago anybody last played.
    """
    if table.terms is not None and table.progress is not None and table.progress.clock is not None:
        assert table.clock is not None, "it is running"
        return table.clock
    return folded(session, table)


def folded(session: Session, table: LoadedTable) -> GameClock:
    """Return the clock that follows from the log, with the offers of time that wait for others."""
    clock = clock_history.folded(session, table)
    return clock if table.terms is None else with_words(clock, words_of(session, table))


def refolding(session: Session, table: LoadedTable) -> Callable[[Entry, Step], GameClock]:
    """Return a function that computes the clock again with one more entry that changes the past, such as an outage."""
    facts_at = clock_history.facts_at(session, table)
    words = words_of(session, table)

    def after(entry: Entry, step: Step) -> GameClock:
        assert table.progress is not None, "it is running"
        entries = table.entries.and_then(entry)
        following = replace(table, entries=entries, progress=table.progress._replace(version=entry.seq))
        return with_words(following.folded_clock(facts_at), words)

    return after


def words_of(session: Session, table: LoadedTable) -> list[Word]:
    """Return the offers of time since time was given last, which uses up all offers."""
    return standing(table, clock_words.of_game(session, table.table.key))


def standing(table: LoadedTable, words: Iterable[Word]) -> list[Word]:
    """Return those of the words of a table that were said since time was given last."""
    times = [entry.at for entry in table.entries if entry.move.startswith("mark clock.more ")]
    return [word for word in words if not times or word.at > times[-1]]


def with_words(clock: GameClock, words: Iterable[Word]) -> GameClock:
    """Return the clock with those offers of time that were made in its stretch and are still allowed."""
    for word in words:
        if clock.stretch is not None and word.wait == clock.stretch.wait:
            with suppress(ClockError):
                clock = more_time.with_word(clock, word.seat, durations.parse(word.duration), word.at)
    return clock
