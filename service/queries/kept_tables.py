"""Tables that this process has read, with the views it made of them: the newest of each, as long as there is room.

It is no state: all of it follows from what is stored, and any process can make it again. So nothing is ever told that a
game went on. A request asks the database what there is now; what is kept is used as far as it leads there.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from dataclasses import replace
from threading import Lock
from typing import NamedTuple

from service.queries.table import Asking, LoadedTable, Reading, newer, read
from service.store.straight import Statements


class _Kept(NamedTuple):
    table: LoadedTable
    body: bytes | None


class KeptTables:
    """At most `size` tables; the one used longest ago goes first. For several threads."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = Lock()

    def read(self, store: Statements, table_id: str, asking: Asking, known: Collection[str] = ()) -> Reading:
        """A table and whose token this is, as `service.queries.table.read` gives it, from what is kept and what is new.

        One statement, but where the table itself changed, such as by a player's new name: then there are two. An open
        table is read anew: it has no chain yet that would tell it from one that a restore has undone.
        """
        kept = self._kept.get(table_id)
        found = None
        if kept and kept.table.progress and (kept.table.is_complete or kept.table.tag in known):
            found = newer(store, kept.table, asking)
        return found or read(store, table_id, asking, known)

    def kept(self, table_id: str) -> LoadedTable | None:
        """A table as it was when it was kept; None if it is not, or without its replay. It may have gone on since."""
        kept = self._kept.get(table_id)
        return replace(kept.table) if kept and kept.table.base is not None and kept.table.is_complete else None

    def body(self, table: LoadedTable) -> bytes | None:
        """The view that is kept of the table as it is."""
        kept = self._kept.get(table.table.id)
        return kept.body if kept and _same(kept.table, table) else None

    def keep(self, table: LoadedTable, body: bytes | None = None) -> None:
        """Keep a table as the database has it, and the view of it, if it was made.

        Not before what made it so is committed. It is used up by this: nobody may go on with its replay.
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
        """Forget all."""
        with self._lock:
            self._kept.clear()


def _same(one: LoadedTable, other: LoadedTable) -> bool:
    """Return whether both are at one version of one log, and at one revision."""
    return one.tag == other.tag
