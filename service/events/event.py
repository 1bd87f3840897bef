"""An event, and the JSON in which a reader gets it."""

from __future__ import annotations

import json
from datetime import datetime
from typing import NamedTuple

from engine.record import stamp
from service.queries.table_access import READABLE_BY_ALL

COLUMNS = f"""events.position, events.kind, events.number, events.seat, events.account, events.at, events.status,
       events.version, events.revision, events.head, events.turn, events.game, tables.id, tables.kind,
       {READABLE_BY_ALL}"""
"""The columns of an `Event`, of `events` and `tables`."""

_encode = json.JSONEncoder(separators=(",", ":")).encode


class Event(NamedTuple):
    """An event with the state of its table.

    Attributes:
        position: its place in the order.
        kind: one of `service.store.events.KINDS`.
        number: the number of the entry or message that it is about, or None.
        seat: who did it, or about whom it is; None for nobody at the table.
        account: the account that it is for; None: it is for the table.
        at: when it happened.
        status: the status of the table. This and what follows is as it was when the event got its position, when more
            may have happened already; then more events follow.
        version: the version of the game; 0 before the start.
        revision: the revision of the table.
        head: the beginning of the head of the log; of no use before the start.
        turn: the seat to move, or None.
        key: the key of the table.
        table: the id of the table.
        table_kind: `match` or `solo`.
        is_public: whether everybody may see the table, as it is now.
    """

    position: int
    kind: str
    number: int | None
    seat: int | None
    account: str | None
    at: datetime
    status: str
    version: int
    revision: int
    head: bytes
    turn: int | None
    key: int
    table: str
    table_kind: str
    is_public: bool

    @property
    def tag(self) -> str | None:
        """The ETag of the table, with its quotes; None if its game has not started."""
        if self.status not in ("running", "finished"):
            return None
        return f'"{self.version}-{self.revision}-{self.head.hex()}"'

    def json(self, epoch: str, seat: int | None) -> bytes:
        """Return the event as JSON for a reader with this seat, or without one."""
        return _encode(
            {
                "id": f"{epoch}-{self.position}",
                "kind": self.kind,
                "at": stamp(self.at),
                "game": self.table,
                "game_kind": self.table_kind,
                "number": self.number,
                "seat": self.seat,
                "status": self.status,
                "version": self.version,
                "etag": self.tag,
                "turn": self.turn,
                "you": seat,
                "your_turn": seat is not None and seat == self.turn,
            }
        ).encode()
