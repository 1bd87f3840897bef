"""Verify the games that were imported: that each is still what it was when it was imported."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from engine.audit import check
from engine.errors import EngineError
from service.auditing.differences import IMPORT, AuditDifference
from service.queries.imported_games import game_of, record_of, stored_summary, summary
from service.store.imports import Import

_AT_ONCE = 20


def differences(session: Session) -> Iterator[AuditDifference]:
    """Yield what is wrong with the imports, in the order of their ids; a few are held at a time."""
    for kept in session.scalars(select(Import).order_by(Import.id), execution_options={"yield_per": _AT_ONCE}):
        why = _wrong(kept)
        session.expunge(kept)
        if why is not None:
            yield AuditDifference(None, None, IMPORT, f"{kept.id}: {why}")


def _wrong(kept: Import) -> str | None:
    """Return the fault of an import, or None."""
    if hashlib.sha256(kept.content.encode()).digest() != kept.digest:
        return "its content is not the one that was imported"
    try:
        line = record_of(kept)
        if line is not None:
            check(line)
        if stored_summary(kept) != summary(game_of(kept)):
            return "lists tell of it what it is not"
    except (EngineError, ValueError) as error:
        return error.detail if isinstance(error, EngineError) else f"it can't be read: {type(error).__name__}"
    return None
