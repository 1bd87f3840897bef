"""The past states of a table that a query can ask for: a version, and the head of the hash chain there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.phrases import Phrase, phrase
from service.errors import NotFound
from service.queries import replay
from service.queries.replay import Replay
from service.queries.table import LoadedTable

_UNDONE = Phrase(
    "This state does not exist any more: the service was restored to an earlier state, and the game went on from there."
    " Ask without `head` to get the present one."
)

_FOR_A_DAY = "max-age=86400, immutable"
"""The caching of what shows a past state: for a day only, because it has the present names, which can change."""


class AskedState(NamedTuple):
    """The state of a table that a query asks for.

    Attributes:
        version: the version.
        head: the first digits of the head of the hash chain there.
        tag: the content of the ETag of what shows this state.
        caching: the value of `Cache-Control`; None if the query names no version.
    """

    version: int
    head: str
    tag: str
    caching: str | None

    def headers(self, suffix: str = "") -> dict[str, str]:
        """Return the headers of a response that shows this state; `suffix` ends the ETag."""
        headers = {"ETag": f'"{self.tag}{suffix}"'}
        if self.caching is not None:
            headers["Cache-Control"] = self.caching
        return headers


def state_asked_for(table: LoadedTable, query: Mapping[str, Any], *, for_reader: bool = False) -> AskedState:
    """Return the state that a query asks for; raise NotFound if there is none, or not any more.

    A version alone may be shown otherwise later, because a restored backup can change what follows an earlier move. A
    version with its head can not.

    Args:
        table: the table, with its whole log if the query asks for the past.
        query: the query, with `at` and `head`, or without.
        for_reader: whether what is shown depends on who reads it, so that no shared cache may have it.
    """
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
    caching = None
    if "at" in query:
        scope = "public" if table.may_be_read_by(None) and not for_reader else "private"
        caching = f"{scope}, {_FOR_A_DAY if 'head' in query else 'no-cache'}"
    return AskedState(at, head, f"{at}-{table.table.revision}-{head}", caching)


def replay_at(table: LoadedTable, version: int) -> Replay:
    """Return a started game at a version that it has reached; for an earlier one the log must be loaded."""
    if version == table.version:
        return table.replay
    assert table.header is not None
    return replay.replay(table.header, table.tiles, table.entries[:version])
