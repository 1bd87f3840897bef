"""Read the log of a game page by page, as the entries of its record."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from engine import record, text
from engine.moves import to_json
from service.queries.table import LoadedTable
from service.store import log


def entries(session: Session, table: LoadedTable, after: int = 0, limit: int | None = None) -> list[dict[str, Any]]:
    """Return a game's entries with seq above `after`, in the form of its record and with the stored hashes.

    An open table has none.
    """
    if table.header is None:
        return []
    genesis = record.digest(table.header)
    return [_entry(link, genesis) for link in log.read(session, table.table.key, after, limit)]


def _entry(link: log.Link, genesis: str) -> dict[str, Any]:
    entry = link.entry
    shown: dict[str, Any] = {
        "seq": entry.seq,
        "at": record.stamp(entry.at),
        "seat": entry.seat,
        "move": to_json(text.parse(entry.move)),
        "prev": genesis if link.prev is None else link.prev.hex(),
        "hash": link.hash.hex(),
    }
    if entry.by:
        shown["by"] = entry.by
    return shown
