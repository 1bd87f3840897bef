"""Verify explorations: each continues the game that it names, and its stored state follows from its moves."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from engine import exploration
from engine.errors import EngineError
from service.auditing.differences import EXPLORATION, AuditDifference
from service.queries.explorations import load_explored
from service.queries.explored_games import line
from service.store.explorations import Exploration

_AT_ONCE = 20


def differences(session: Session) -> Iterator[AuditDifference]:
    """Yield what is wrong with the explorations, in the order of their ids; a few are held at a time."""
    last = ""
    while True:
        query = select(Exploration).where(Exploration.id > last).order_by(Exploration.id).limit(_AT_ONCE)
        found = session.scalars(query).all()
        for kept in found:
            why, last = _wrong(session, kept), kept.id
            session.expunge(kept)
            if why is not None:
                yield AuditDifference(None, None, EXPLORATION, f"{last}: {why}")
        if not found:
            return


def _wrong(session: Session, kept: Exploration) -> str | None:
    """Return the fault of an exploration, or None."""
    try:
        table = load_explored(session, kept)
        if len(table.entries) < kept.seq:
            return f"its game has no entry {kept.seq}"
        exploration.check(line(table))
        if (kept.version, kept.status) != (table.version, table.status):
            return f"it is {table.status} at {table.version}, not {kept.status} at {kept.version}"
    except (EngineError, ValueError) as error:
        return error.detail if isinstance(error, EngineError) else f"it can't be read: {type(error).__name__}"
    return None
