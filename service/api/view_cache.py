"""Views that this process has rendered, by game: the newest version of each, for as long as there is room.

It is no state: a view follows from the table's tag and what is stored, and any process can make it again. So nothing
is ever told that a game went on; a view whose tag is not the table's is simply not looked at.
"""

from collections import OrderedDict
from threading import Lock


class ViewCache:
    """Bodies by table id and tag (`LoadedTable.tag`), at most `size` of them; the one used longest ago goes first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[str, tuple[str, bytes]] = OrderedDict()
        self._lock = Lock()

    def tag(self, table_id: str) -> str | None:
        """The tag of the view that is kept of a table."""
        kept = self._kept.get(table_id)
        return kept[0] if kept else None

    def get(self, table_id: str, tag: str) -> bytes | None:
        """The view of a table with this tag."""
        with self._lock:
            kept = self._kept.get(table_id)
            if kept is None or kept[0] != tag:
                return None
            self._kept.move_to_end(table_id)
            return kept[1]

    def put(self, table_id: str, tag: str, body: bytes) -> None:
        """Keep a view in place of the one that was kept of the table."""
        with self._lock:
            self._kept[table_id] = tag, body
            self._kept.move_to_end(table_id)
            if len(self._kept) > self._size:
                self._kept.popitem(last=False)
