"""What a caller is to a table, read together with what is asked about it, where that is not the table itself."""

from __future__ import annotations

from typing import NamedTuple

COLUMNS = "caller.account, tables.key, tables.kind, tables.visibility, tables.status, mine.seat"
"""The columns of a `TableAccess`."""

JOINS = """
  LEFT JOIN tables ON tables.id = %(table)s
  LEFT JOIN seats mine ON mine.game = tables.key AND mine.account = caller.account"""
"""What these come from, behind the item `{caller}` (`service.store.callers`)."""


class TableAccess(NamedTuple):
    """The caller's account (None: nobody's), the key of the table (None: there is no such), what kind it is, who may see
    it, its status, and the caller's seat."""

    account: str | None
    key: int | None
    kind: str | None
    visibility: str | None
    status: str | None
    seat: int | None

    @property
    def may_read(self) -> bool:
        """Whether the table is public, the caller's own, or a solo that has ended."""
        is_public = self.visibility == "public" or (self.kind == "solo" and self.status == "finished")
        return self.key is not None and (is_public or self.seat is not None)
