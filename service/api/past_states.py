"""Which state of a table a query asks for: a version, and the head of its hash chain there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.saying import Said, said
from service.errors import NotFound
from service.queries.table import LoadedTable

_UNDONE = Said(
    "There is no such state any more: the service was put back to an earlier one, and the game went on from there. Ask"
    " without `head` for what there is now."
)


def state_asked_for(table: LoadedTable, query: Mapping[str, Any]) -> tuple[int, str]:
    """Return the version of a table that is asked for, and its head; refuses one that there is not, or not any more."""
    at: int = query.get("at", table.version)
    if at > table.version:
        raise NotFound(
            "no_such_version", said("The game is at version %(version)s.", version=table.version), version=table.version
        )
    head = table.head_at(at)
    if query.get("head", head) != head:
        raise NotFound("no_such_state", _UNDONE, version=table.version)
    return at, head
