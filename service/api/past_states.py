"""The past states of a table that a query can ask for: a version, and the head of the hash chain there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.phrases import Phrase, phrase
from service.errors import NotFound
from service.queries.table import LoadedTable

_UNDONE = Phrase(
    "This state does not exist any more: the service was restored to an earlier state, and the game went on from there."
    " Ask without `head` to get the present one."
)


def state_asked_for(table: LoadedTable, query: Mapping[str, Any]) -> tuple[int, str]:
    """Return the version that a query asks for, and its head; raise NotFound if there is none, or not any more."""
    at: int = query.get("at", table.version)
    if at > table.version:
        raise NotFound(
            "no_such_version",
            phrase("The game is at version %(version)s.", version=table.version),
            version=table.version,
        )
    head = table.head_at(at)
    if query.get("head", head) != head:
        raise NotFound("no_such_state", _UNDONE, version=table.version)
    return at, head
