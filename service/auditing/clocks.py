"""Compute the clock of a running game from its log, and when somebody has to look at it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from sqlalchemy.orm import Session

from service.clocks import reckoning, steps
from service.commands import clock_folding
from service.commands.clock_steps import BOT_IS_LATE
from service.queries import clock_values
from service.queries.table import LoadedTable, load
from service.store.log import Progress


def with_clock(session: Session, table_id: str, progress: Progress) -> LoadedTable:
    """Return a running game's table with the progress that its log gives, and its clock in that if it has one."""
    table = load(session, table_id)
    assert table is not None, "it was read in this snapshot"
    table = replace(table, progress=progress)
    if table.terms is None:
        return table
    clock = clock_folding.folded(session, table)
    out_at = reckoning.runs_out_at(clock, table.seat_facts)
    return replace(table, progress=progress._replace(clock=clock_values.rendered(clock), runs_out_at=out_at))


def due_at(session: Session, table: LoadedTable) -> datetime | None:
    """Return when something is due in a running game, if nothing changes; None if nothing will be."""
    clock = clock_folding.current(session, table)
    due = steps.due(clock, table.seat_facts)
    if due is None:
        return None
    return due.at if clock.bot_moves() is None else min(due.at, clock.last_at + BOT_IS_LATE)
