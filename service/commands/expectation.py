"""Name the states in which a client expects a table that it changes, and refuse the change in any other."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from engine.phrases import phrase
from service.errors import Conflict, StalePrecondition
from service.queries.loaded import LoadedTable


class Expectation(NamedTuple):
    """The versions or tags (`LoadedTable.tag`) at which a table may be changed, and how a stale one is refused.

    `refusal` is what HTTP maps to 409 or 412.
    """

    states: Collection[int | str]
    refusal: type[Conflict | StalePrecondition] = Conflict

    def holds_for(self, table: LoadedTable) -> bool:
        """Return whether the table is in one of these states; a mark changes the tag, but makes no version stale."""
        acted = 0 if table.progress is None else table.progress.acted_seq
        return any(
            state == table.tag if isinstance(state, str) else acted <= state <= table.version for state in self.states
        )

    def check(self, table: LoadedTable) -> None:
        """Refuse a change of a table that is in none of these states (`stale_version`)."""
        if not self.holds_for(table):
            detail = phrase(
                "This is for another state than that of the table, which is at version %(version)s; get it, and decide"
                " again.",
                version=table.version,
            )
            raise self.refusal("stale_version", detail, version=table.version)
