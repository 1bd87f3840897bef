"""Compute from its log when a running game is next due."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from service.clocks import steps
from service.commands import clock_folding
from service.commands.clock_steps import BOT_IS_LATE
from service.queries.table import LoadedTable


def due_at(session: Session, table: LoadedTable) -> datetime | None:
    """Return when something is due in a running game, if nothing changes; None if nothing will be."""
    clock = clock_folding.current(session, table)
    due = steps.due(clock, table.seat_facts)
    if due is None:
        return None
    return due.at if clock.bot_moves() is None else min(due.at, clock.last_at + BOT_IS_LATE)
