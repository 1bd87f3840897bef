"""The host's commands in a game: pause it, give time, put a seat out, end it (CLOCKS.md 7.2, 7.3).

Each needs a reason, which the table sees and which stays in the log.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from engine import record
from engine.clock import durations
from engine.clock.terms import BOUNDS, LONGEST_PAUSE
from engine.moves import END, TIMEOUT, Mark
from engine.phrases import Phrase, phrase
from service.clocks import reckoning
from service.clocks.game_clock import GameClock
from service.commands import clock_folding, entries, tables
from service.commands.clock_refusals import check_reason, not_running
from service.commands.entries import HOST
from service.errors import Conflict, Malformed
from service.queries import legal
from service.queries.table import LoadedTable, load

_NOT_PAUSED = Phrase("The game is not paused.")
_NOT_TO_MOVE = Phrase("Time can only be given to the player who is waited for.")
_NO_CLOCK = Phrase("This game has no clock.")
_BOTS_SEAT = Phrase("This seat is a bot's, which moves at once and needs no time.")
_ON_AUTOPILOT = Phrase("A bot plays this seat until its player takes it back, so it needs no time.")
_GONE = Phrase("The player at this seat has left.")


def pause(session: Session, table_id: str, until: datetime, reason: str, now: datetime) -> LoadedTable:
    """Pause a game until a time at most 30 days ahead; a current pause is replaced."""
    check_reason(reason)
    until = until.replace(microsecond=until.microsecond // 1000 * 1000)
    if not now < until <= now + LONGEST_PAUSE:
        why = phrase("A pause can last at most %(days)s days.", days=LONGEST_PAUSE.days)
        raise Malformed("out_of_bounds", why)
    mark = Mark("clock.pause", {"until": record.stamp(until), "reason": reason})
    return _note(session, table_id, lambda table: mark, now)


def resume(session: Session, table_id: str, reason: str, now: datetime) -> LoadedTable:
    """End the current pause of a game."""
    check_reason(reason)

    def mark(table: LoadedTable) -> Mark:
        if reckoning.pause_end(_clock(session, table), now) is None:
            raise Conflict("not_paused", _NOT_PAUSED, version=table.version)
        return Mark("clock.resume", {"reason": reason})

    return _note(session, table_id, mark, now)


def give_time(
    session: Session, table_id: str, seat: int, duration: timedelta, reason: str, now: datetime
) -> LoadedTable:
    """Give the player to move more time."""
    check_reason(reason)
    least, most = BOUNDS["more"]
    if not least <= duration <= most:
        right = {"least": durations.render(least), "most": durations.render(most)}
        raise Malformed("out_of_bounds", phrase("The least here is %(least)s, the most %(most)s.", **right))

    def mark(table: LoadedTable) -> Mark:
        clock = table.clock
        if clock is None:
            raise Conflict("no_clock", _NO_CLOCK, version=table.version)
        if clock.stretch is None or clock.stretch.seat != seat:
            raise Conflict("not_to_move", _NOT_TO_MOVE, version=table.version)
        if table.is_bots(seat):
            raise Conflict("bots_seat", _BOTS_SEAT, version=table.version)
        if not clock.is_person(seat):
            raise Conflict("on_autopilot", _ON_AUTOPILOT, version=table.version)
        told: dict[str, Any] = {"wait": clock.stretch.wait, "seat": seat, "for": durations.render(duration)}
        return Mark("clock.more", told | {"reason": reason})

    return _note(session, table_id, mark, now)


def put_out(session: Session, table_id: str, seat: int, reason: str, now: datetime) -> LoadedTable:
    """Put a seat out of a game, as if its time had run out for good."""
    check_reason(reason)

    def mark(table: LoadedTable) -> Mark:
        if not 0 <= seat < table.table.seats or legal.has_left(table.state, seat):
            raise Conflict("has_left", _GONE, version=table.version)
        return Mark("host.out", {"seat": seat, "reason": reason})

    table = _note(session, table_id, mark, now)
    played = entries.add(session, table, seat, TIMEOUT, now)
    return _undisturbed(played)


def end(session: Session, table_id: str, reason: str, now: datetime) -> LoadedTable:
    """End a game without a ranking."""
    check_reason(reason)
    table = _note(session, table_id, lambda table: Mark("host.end", {"reason": reason}), now)
    return _undisturbed(entries.add(session, table, None, END, now, by=HOST))


def _undisturbed(played: entries.Played | None) -> LoadedTable:
    """Return the table after the entry that follows the host's mark.

    The mark is not committed yet, and others wait for that before they can take its number, so the next number is free.
    """
    assert played is not None, "the entry before it is not committed"
    return played.table


def _clock(session: Session, table: LoadedTable) -> GameClock:
    return clock_folding.current(session, table)


def _note(session: Session, table_id: str, mark: Callable[[LoadedTable], Mark], now: datetime) -> LoadedTable:
    """Append the host's mark to a running game, and return the table after it."""
    while True:
        table = load(session, table_id)
        if table is None:
            raise tables.unknown()
        if table.status != "running":
            raise not_running(table.version)
        played = entries.add(session, table, None, mark(table), now, by=HOST)
        if played is not None:
            return played.table
