"""Cache the tables that this process has read, and the views made of them: the latest of each, up to a maximum number.

The cache holds no state of its own: everything follows from the database, and any process can rebuild it. So nobody
needs to be notified that a game went on. A request asks the database what has changed, and uses the cache as far as it
leads there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Hashable
from threading import Lock
from typing import NamedTuple

from service.queries.table import LoadedTable, Reading, RequestCaller, newer, read
from service.store.autocommit_pool import Statements


class CachedTable(NamedTuple):
    """A table as it was read, and the view of it without `clock` and `you`, if one was made."""

    table: LoadedTable
    view: bytes | None


class TableCache:
    """A cache of at most `size` tables for several threads; the least recently used one is removed first."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._cached: OrderedDict[str, CachedTable] = OrderedDict()
        self._lock = Lock()

    def read(self, store: Statements, table_id: str, caller: RequestCaller, known: Collection[str] = ()) -> Reading:
        """Return a table and the account of the token, as `service.queries.table.read` does, using the cache.

        It takes one statement, or two if the table itself has changed, such as by a player's new name. An open table is
        always read completely: it has no hash chain yet that would distinguish it from one that a restore has undone.
        """
        cached = self._cached.get(table_id)
        found = None
        if cached and cached.table.progress and (cached.table.is_complete or cached.table.tag in known):
            found = newer(store, cached.table, caller)
        return found or read(store, table_id, caller, known)

    def replayed(self, table_id: str) -> LoadedTable | None:
        """Return a table as it was cached, or None if it is not cached with its replay. It may have changed since."""
        cached = self._cached.get(table_id)
        if cached is None or cached.table.base is None or not cached.table.is_complete:
            return None
        return cached.table.copied(cached.table.progress, cached.table.entries, cached.table.base)

    def view(self, table: LoadedTable) -> bytes | None:
        """Return the cached view of the table in its present state, or None."""
        cached = self._cached.get(table.table.id)
        return cached.view if cached and _same(cached.table, table) else None

    def put(self, table: LoadedTable, view: bytes | None = None) -> None:
        """Cache a table in its current state, and the view of it if one was made.

        Call this only after the commit that led to this state. The table is consumed: nobody may go on with its replay.
        """
        table_id = table.table.id
        cached = self._cached.get(table_id)
        if cached and (view is None or view is cached.view) and _same(cached.table, table):
            with self._lock:
                if table_id in self._cached:
                    self._cached.move_to_end(table_id)
            return
        made = CachedTable(table.based(), view)
        with self._lock:
            self._cached[table_id] = made
            self._cached.move_to_end(table_id)
            if len(self._cached) > self.size:
                self._cached.popitem(last=False)

    def clear(self) -> None:
        """Remove everything from the cache."""
        with self._lock:
            self._cached.clear()


def table_state(table: LoadedTable) -> Hashable:
    """Return a key that differs for all states of a table: its log, with its revision, facts and clock."""
    progress = table.progress
    if progress is None:
        return table.tag, table.table.facts
    return progress.head, progress.clock, table.table.revision, table.table.facts


def _same(one: LoadedTable, other: LoadedTable) -> bool:
    return table_state(one) == table_state(other)
