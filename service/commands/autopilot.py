"""Take a seat back from the bot that plays it (CLOCKS.md 6.6)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from engine.moves import Mark
from engine.phrases import Phrase
from service.commands import entries
from service.commands.expectation import Expectation
from service.errors import Conflict
from service.queries.table import LoadedTable, load

_NOT_ON_AUTOPILOT = Phrase("No bot plays for you here, so there is nothing to take back.")


def plays(table: LoadedTable, seat: int) -> bool:
    """Return whether a bot plays this seat in place of its player."""
    clock = table.clock
    return clock is not None and seat in clock.autopilot


def back(
    session: Session, table: LoadedTable, seat: int, now: datetime, expected: Expectation | None = None
) -> LoadedTable:
    """Take the seat back, and return the table after it.

    `expected` is the state in which it may be taken back; None for any.

    Raises:
        Conflict: no bot plays the seat (`not_on_autopilot`).
    """
    while True:
        if not plays(table, seat):
            raise Conflict("not_on_autopilot", _NOT_ON_AUTOPILOT, version=table.version)
        if expected is not None:
            expected.check(table)
        played = entries.add(session, table, seat, Mark("clock.back"), now)
        if played is not None:
            return played.table
        table = _again(session, table)


def _again(session: Session, table: LoadedTable) -> LoadedTable:
    found = load(session, table.table.id)
    assert found is not None, "tables are never deleted"
    return found
