"""Offer more time to the player to move (CLOCKS.md 7.5)."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from engine.clock import durations
from engine.clock.errors import ClockError
from engine.phrases import Phrase
from engine.table import Step
from service.clocks import entries as clock_entries
from service.clocks import more_time, reckoning, steps
from service.clocks.game_clock import GameClock
from service.commands import entries
from service.commands.clock_refusals import not_running, refusing
from service.commands.expectation import Expectation
from service.queries import clock_values
from service.queries.table import LoadedTable, load
from service.store import clock_words, due_games
from service.store.clock_words import Word
from service.store.due_games import DueGame
from service.store.log import Entry

_NO_CLOCK = ClockError("no_clock", Phrase("This game has no clock."))


def say(
    session: Session,
    table: LoadedTable,
    seat: int,
    duration: timedelta | None,
    now: datetime,
    expected: Expectation | None = None,
) -> LoadedTable:
    """Store a seat's offer, or withdraw it with None; once all others have made one, give the least of them.

    `expected` is the state in which an offer may be made; None for any.

    Returns:
        the table after it.

    Raises:
        Conflict: the game is not running, or has no clock (`no_clock`).
        Forbidden: the seat may not offer time in this stretch (`not_yours_to_give`).
        Malformed: the duration is out of bounds, or more than a stretch allows (`too_much`).
    """
    game = DueGame(table.table.key, table.table.id)
    due_games.lock(session, game.key)
    while True:
        table = _load(session, game.id)
        if table.status != "running":
            raise not_running(table.version)
        with refusing(table.version):
            if table.clock is None:
                raise _NO_CLOCK
            clock = more_time.with_word(table.clock, seat, duration, now)
        if expected is not None:
            expected.check(table)
        given = _given(session, table, clock, now)
        if given is not None:
            return given
        if more_time.given(clock) is None and _note(session, table, clock, now):
            break
    assert clock.stretch is not None, "somebody is to move"
    if duration is None:
        clock_words.take_back(session, game.key, seat)
    else:
        clock_words.say(session, game.key, Word(seat, clock.stretch.wait, durations.render(duration), now))
    due_games.changed(session, [game.key], visibly=True)
    return _load(session, game.id)


def _given(session: Session, table: LoadedTable, clock: GameClock, now: datetime) -> LoadedTable | None:
    """Append the entry that gives the time if all have made an offer; return the table after it, or None."""
    due = steps.due(clock, table.seat_facts, now)
    if more_time.given(clock) is None or due is None:
        return None

    def after(entry: Entry, step: Step) -> GameClock:
        return clock_entries.after(clock, clock_values.entry_of(entry, step), step.turn, table.seat_facts)

    played = entries.add(session, table, due.seat, due.move, now, refolded=after)
    if played is None:
        return None
    clock_words.forget(session, table.table.key)
    return played.table


def _note(session: Session, table: LoadedTable, clock: GameClock, now: datetime) -> bool:
    """Store the clock with an offer that waits for others; return False if the game has gone on meanwhile."""
    runs_out_at = reckoning.runs_out_at(clock, table.seat_facts)
    stored = clock_values.rendered(clock)
    return due_games.set_clock(session, table.table.key, table.version, stored, runs_out_at, now)


def _load(session: Session, table: str) -> LoadedTable:
    found = load(session, table)
    assert found is not None, "tables are never deleted"
    return found
