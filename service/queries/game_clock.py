"""Show the clock of a game's table (CLOCKS.md 10.1, 11)."""

from __future__ import annotations

from datetime import datetime

from service.clocks import clock_view
from service.clocks.clock_view import View
from service.clocks.game_clock import Word
from service.queries.loaded import LoadedTable

_NONE = "none"


def whole_milliseconds(at: datetime) -> datetime:
    """Return a time cut to milliseconds, the precision of the log (1.1)."""
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def view(table: LoadedTable, at: datetime, viewer: int | None) -> View:
    """Return the view of the clock at a time for a viewer; all of it is null without a clock or a running game.

    `viewer` is a seat, None for somebody who is not at the table.
    """
    clock, at = table.clock, whole_milliseconds(at)
    if clock is None:
        kind = _NONE if table.terms is None else table.terms.clock.kind
        return clock_view.nothing(kind, table.table.seats)
    return clock_view.view(clock, table.seat_facts, at, viewer)


def words(table: LoadedTable) -> tuple[Word, ...]:
    """Return the players' offers of time in the current stretch (7.5), which only players may see."""
    return () if table.clock is None else table.clock.words
