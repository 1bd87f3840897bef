"""Cache the tables that this process has read, and the views made of them: the latest of each, up to a maximum number.

The cache holds no state of its own: everything follows from the database, and any process can rebuild it. So nobody
needs to be notified that a game went on. A request asks the database what has changed, and uses the cache as far as it
leads there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from dataclasses import replace
from threading import Lock
from typing import NamedTuple

from service.queries.table import Asking, LoadedTable, Reading, newer, read
from service.store.autocommit_pool import Statements


class _Kept(NamedTuple):
    table: LoadedTable
    body: bytes | None


class KeptTables:
    """A cache of at most `size` tables for several threads; the least recently used one is removed first."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = Lock()

    def read(self, store: Statements, table_id: str, asking: Asking, known: Collection[str] = ()) -> Reading:
        """Return a table and the account of the token, as `service.queries.table.read` does, using the cache.

        It takes one statement, or two if the table itself has changed, such as by a player's new name. An open table is
        always read completely: it has no hash chain yet that would distinguish it from one that a restore has undone.
        """
        kept = self._kept.get(table_id)
        found = None
        if kept and kept.table.progress and (kept.table.is_complete or kept.table.tag in known):
            found = newer(store, kept.table, asking)
        return found or read(store, table_id, asking, known)

    def kept(self, table_id: str) -> LoadedTable | None:
        """Return a table as it was cached, or None if it is not cached with its replay. It may have changed since."""
        kept = self._kept.get(table_id)
        return replace(kept.table) if kept and kept.table.base is not None and kept.table.is_complete else None

    def body(self, table: LoadedTable) -> bytes | None:
        """Return the cached view of the table in its present state, or None."""
        kept = self._kept.get(table.table.id)
        return kept.body if kept and _same(kept.table, table) else None

    def keep(self, table: LoadedTable, body: bytes | None = None) -> None:
        """Cache a table in its current state, and the view of it if one was made.

        Call this only after the commit that led to this state. The table is consumed: nobody may go on with its replay.
        """
        table_id = table.table.id
        kept = self._kept.get(table_id)
        if body is None and kept and _same(kept.table, table):
            with self._lock:
                if table_id in self._kept:
                    self._kept.move_to_end(table_id)
            return
        made = _Kept(table.based(), body)
        with self._lock:
            self._kept[table_id] = made
            self._kept.move_to_end(table_id)
            if len(self._kept) > self.size:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Remove everything from the cache."""
        with self._lock:
            self._kept.clear()


def _same(one: LoadedTable, other: LoadedTable) -> bool:
    """Return whether both are the same version of the same log, with the same revision."""
    return one.tag == other.tag
