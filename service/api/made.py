"""The answer to a move that was made: the same in front of Flask and behind it, and so is what is kept of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from service.api import game_view
from service.api.game_answers import shown_as
from service.api.idempotent import body_hash
from service.api.json_response import JSON
from service.commands.play import Played
from service.queries.table import LoadedTable
from service.store.idempotency import Kept, Slot
from service.store.log import Answer

_CREATED = 201


class Made:
    """What a request for a move gets. Where it has a key, that is kept under `slot` by the statement that makes the move:
    this is a `service.commands.play.Once`.

    `path` is where the table is, `data` the request's body; `lost` raises if a race was lost to the same request.
    """

    def __init__(self, path: str, slot: Slot | None, data: Any, lost: Callable[[], None]) -> None:
        self.slot = slot
        self._path, self._data, self._lost = path, data, lost
        self._view: bytes | None = None

    def by(self, account: str) -> Made | None:
        """The same, now that it is known who asks; None if nothing is to be kept."""
        if self.slot is None:
            return None
        self.slot = replace(self.slot, account=account)
        return self

    def view(self, table: LoadedTable) -> bytes:
        """The table after the move, without `you`."""
        return self._view or shown_as(table)

    def location(self, table: LoadedTable) -> str:
        """Return where that stays."""
        return f"{self._path}?at={table.version}&head={table.head}"

    def answer(self, played: Played) -> Answer:
        """As `Once` has it."""
        assert self.slot is not None, "no key, nothing to keep"
        table = played.table
        self._view = view = shown_as(table)
        headers = {"Content-Type": JSON, "ETag": f'"{table.tag}"', "Location": self.location(table)}
        body = game_view.with_you(view, table.seat_of(self.slot.account))
        return Answer(self.slot, Kept(body_hash(self._data), _CREATED, headers, body.decode()))

    def check(self) -> None:
        """As `Once` has it."""
        self._lost()
