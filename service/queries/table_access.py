"""Decide whether a caller may read a table, and where the caller sits. This is the only place that decides it."""

from __future__ import annotations

from typing import NamedTuple

COLUMNS = "caller.account, tables.key, tables.kind, tables.visibility, tables.status, mine.seat"
"""The columns of a `TableAccess`."""

JOINS = """
  LEFT JOIN tables ON tables.id = %(table)s
  LEFT JOIN seats mine ON mine.game = tables.key AND mine.account = caller.account"""
"""The joins that these columns need, after the item `{caller}` (`service.store.callers`)."""


READABLE_BY_ALL = "(tables.visibility = 'public' OR (tables.kind = 'solo' AND tables.status = 'finished'))"
"""The SQL of whether everybody may read a table."""

SITS = "(SELECT own.seat FROM seats own WHERE own.game = tables.key AND own.account = caller.account) IS NOT NULL"
"""The SQL of whether the caller sits at a table. For EXISTS, Postgres may read all tables that the caller sits at."""

MAY_READ = f"({READABLE_BY_ALL} OR {SITS})"
"""The SQL of `TableAccess.may_read` for a table that there is."""


class TableAccess(NamedTuple):
    """A caller's access to a table.

    Attributes:
        account: the caller's account; None for nobody.
        key: the key of the table; None if there is no such table.
        kind: `match` or `solo`.
        visibility: `public` or `private`.
        status: the status of the table.
        seat: the caller's seat, or None.
    """

    account: str | None
    key: int | None
    kind: str | None
    visibility: str | None
    status: str | None
    seat: int | None

    @property
    def may_read(self) -> bool:
        """True if the table is public, the caller's own, or a solo that has ended."""
        is_public = self.visibility == "public" or (self.kind == "solo" and self.status == "finished")
        return self.key is not None and (is_public or self.seat is not None)
