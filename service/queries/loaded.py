"""What a table is to the service: its row, its players, its set-up, its log, and the game that follows. `service.queries.table` brings it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from engine import State, record
from engine.table import Step
from service.queries import replay
from service.store.entries import NONE, Entries
from service.store.log import HEAD_DIGITS, Entry, Progress


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table as its row has it; `kind` is match or solo, `visibility` public or private, times are UTC; `hints`: whether
    mails may say where tiles would cover goals."""

    key: int
    id: str
    kind: str
    seats: int
    goal_discs: int
    visibility: str
    maker: str
    commitment: bytes
    created_at: datetime
    revision: int
    closed_at: datetime | None
    closed_because: str | None
    hints: bool = True


class Player(NamedTuple):
    """Who sits where; `name` is None when unset or erased. `reachable`: mail to this player is not stopped."""

    seat: int
    account: str
    name: str | None
    entropy: str
    joined_at: datetime
    reachable: bool = True


@dataclass
class LoadedTable:
    """A table, its players in the order of seats and, once it started, its header, progress and log.

    `entries` are all those of the log, or those after `base` where that is given, a replay that was made before and is
    never advanced; they are none where the log was left out. The replay is made at its first use and then kept. A value
    of one request or job: it is not to be shared between threads.
    """

    table: TableRow
    players: tuple[Player, ...]
    header: dict[str, Any] | None
    progress: Progress | None
    server_seed: bytes = field(repr=False)
    entries: Entries
    base: replay.Replay | None = None

    @property
    def version(self) -> int:
        """The seq of the last entry; 0 before the first."""
        return self.progress.version if self.progress else 0

    @property
    def status(self) -> str:
        """`open`, `running`, `finished` or `closed`."""
        if self.table.closed_at:
            return "closed"
        return self.progress.status if self.progress else "open"

    @property
    def tag(self) -> str:
        """What its ETag says: `version-revision-head`."""
        return f"{self.version}-{self.table.revision}-{self.head}"

    @property
    def head(self) -> str:
        """The first 8 hex digits of the head of its hash chain, so that a state which a restore has undone is not taken
        for another one of the same version. An open table has no chain yet: then of a hash of what it has."""
        return (self.progress.head.hex() if self.progress else self._open_hash)[:HEAD_DIGITS]

    def head_at(self, version: int) -> str:
        """Return what `head` was at a version that the table has come to; of an earlier one only where it has its log."""
        if version == self.version or self.header is None:
            return self.head
        assert self.base is None and self.is_complete, "the log was left out"
        return replay.chained(record.digest(self.header), self.entries[:version])[:HEAD_DIGITS]

    @cached_property
    def _open_hash(self) -> str:
        table = self.table
        facts = (table.commitment.hex(), table.visibility, table.maker, table.closed_at, table.closed_because)
        return hashlib.sha256(repr((*facts, *self.players)).encode()).hexdigest()

    @property
    def is_complete(self) -> bool:
        """Whether the game can be replayed: the log was not left out."""
        return (self.base.version if self.base else 0) + len(self.entries) == self.version

    @cached_property
    def tiles(self) -> tuple[int, ...]:
        """All 68 tiles in draw order; most of them are nobody's business while the game runs. ValueError if open."""
        return replay.draw_order(self.server_seed, self._started["draw"]["subject"], self._entropy)

    @cached_property
    def replay(self) -> replay.Replay:
        """The game after all its entries. ValueError if it has not started."""
        if self.base is None:
            return replay.replay(self._started, self.tiles, self.entries)
        game = self.base.clone()
        game.follow(self.entries)
        return game

    @property
    def state(self) -> State:
        """The state after all entries; clone it before advancing it. ValueError if it has not started."""
        return self.replay.state

    def steps(self) -> list[tuple[Entry, Step]]:
        """Each entry with what it did, from the start; only of a table without a base. ValueError if it has not
        started."""
        return list(replay.steps(self._started, self.tiles, self.entries))

    def seat_of(self, account: str | None) -> int | None:
        """The account's seat, None when it has none."""
        return next((player.seat for player in self.players if player.account == account), None)

    def account_of(self, seat: int | None) -> str | None:
        """The account at a seat, None when nobody sits there."""
        return next((player.account for player in self.players if player.seat == seat), None)

    def name_of(self, seat: int) -> str | None:
        """The name of the player at a seat, None when unset, erased or nobody's."""
        return next((player.name for player in self.players if player.seat == seat), None)

    def may_be_read_by(self, account: str | None) -> bool:
        """Whether it is public, the account's own, or a solo that has ended."""
        if self.table.visibility == "public" or self.seat_of(account) is not None:
            return True
        return self.table.kind == "solo" and self.status == "finished"

    def advanced(self, entry: Entry, progress: Progress) -> LoadedTable:
        """The table after one more entry, which its `replay` has made already; it takes over the replay."""
        following = replace(self, progress=progress, entries=self.entries.and_then(entry))
        following.replay = self.replay
        return following

    def based(self) -> LoadedTable:
        """The same table for later requests: in place of the log it has the replay, where that was made or was the
        base. Nobody may advance that replay from now on."""
        if self.entries or self.base is None:
            known = self.base is not None or "replay" in self.__dict__
            return replace(self, entries=NONE, base=self.replay if known else None)
        return replace(self)

    @property
    def _started(self) -> dict[str, Any]:
        if self.header is None:
            raise ValueError(f"table {self.table.id} has not started")
        return self.header

    @property
    def _entropy(self) -> tuple[str, ...]:
        return tuple(self._started["draw"]["entropy"])
