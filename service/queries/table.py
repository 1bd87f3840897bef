"""One table with all that belongs to it, brought by one statement: this module is on the hot path.

Token, table, players, set-up, projection and log come together, so that a request needs no other read. The log can be
left out for states that the caller has a view of already.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from sqlalchemy import Connection
from sqlalchemy.orm import Session

from engine import State
from engine.step import Step
from service.queries import replay
from service.store.log import Entry, Progress


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table as its row has it; `kind` is match or solo, `visibility` public or private, times are UTC."""

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


class Player(NamedTuple):
    """Who sits where; `name` is None when unset or erased."""

    seat: int
    account: str
    name: str | None
    entropy: str
    joined_at: datetime


@dataclass
class LoadedTable:
    """A table, its players in the order of seats and, once it started, its header, progress and log.

    `entries` is empty when the log was left out (`read`). The replay is made at its first use and then kept. A value
    of one request or job: it is not to be kept, and not to be shared between threads.
    """

    table: TableRow
    players: tuple[Player, ...]
    header: dict[str, Any] | None
    progress: Progress | None
    server_seed: bytes = field(repr=False)
    entries: tuple[Entry, ...]

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
        """What its ETag says: `version-revision`."""
        return f"{self.version}-{self.table.revision}"

    @property
    def is_complete(self) -> bool:
        """Whether the log is there, not left out."""
        return len(self.entries) == self.version

    @cached_property
    def tiles(self) -> tuple[int, ...]:
        """All 68 tiles in draw order; most of them are nobody's business while the game runs. ValueError if open."""
        return replay.draw_order(self.server_seed, self._started["draw"]["subject"], self._entropy)

    @cached_property
    def replay(self) -> replay.Replay:
        """The game after all its entries. ValueError if it has not started."""
        return replay.replay(self._started, self.tiles, self.entries)

    @property
    def state(self) -> State:
        """The state after all entries; clone it before advancing it. ValueError if it has not started."""
        return self.replay.state

    def steps(self) -> list[tuple[Entry, Step]]:
        """Each entry with what it did, from the start. ValueError if it has not started."""
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
        following = replace(self, progress=progress, entries=(*self.entries, entry))
        following.tiles, following.replay = self.tiles, self.replay
        return following

    @property
    def _started(self) -> dict[str, Any]:
        if self.header is None:
            raise ValueError(f"table {self.table.id} has not started")
        return self.header

    @property
    def _entropy(self) -> tuple[str, ...]:
        return tuple(self._started["draw"]["entropy"])


class Reading(NamedTuple):
    """What a request finds: the token's account (None: no such token, or none given) and the table (None: no such)."""

    account: str | None
    table: LoadedTable | None


_READ = """
SELECT token.account,
       tables.key, tables.id, tables.kind, tables.seats, tables.goal_discs, tables.visibility, tables.maker,
       tables.commitment, tables.created_at, tables.revision, tables.closed_at, tables.closed_because,
       sitting.seats, sitting.accounts, sitting.names, sitting.entropy, sitting.joined_at,
       setups.header, draw_secrets.server_seed,
       progress.status, progress.version, progress.head, progress.last_at, progress.turn, progress.wait_seq,
       progress.ended_at, progress.result,
       played.seqs, played.times, played.seats, played.bys, played.moves
  FROM (SELECT) AS request
  LEFT JOIN LATERAL (
       SELECT account FROM tokens WHERE hash = %(token)s AND (expires_at IS NULL OR expires_at > %(now)s)
       ) AS token ON true
  LEFT JOIN tables ON tables.id = %(table)s
  LEFT JOIN setups ON setups.game = tables.key
  LEFT JOIN draw_secrets ON draw_secrets.game = tables.key
  LEFT JOIN progress ON progress.game = tables.key
  LEFT JOIN LATERAL (
       SELECT array_agg(seat) AS seats, array_agg(account) AS accounts, array_agg(name) AS names,
              array_agg(entropy) AS entropy, array_agg(joined_at) AS joined_at
         FROM (SELECT seat, account, name, entropy, joined_at
                 FROM seats JOIN accounts ON accounts.id = seats.account
                WHERE seats.game = tables.key
                ORDER BY seat) AS ordered
       ) AS sitting ON true
  LEFT JOIN LATERAL (
       SELECT array_agg(seq) AS seqs, array_agg(at) AS times, array_agg(seat) AS seats, array_agg(by) AS bys,
              array_agg(move) AS moves
         FROM (SELECT seq, at, seat, by, move
                 FROM log
                WHERE log.game = tables.key
                  AND progress.version || '-' || tables.revision <> ALL (%(known)s::text[])
                ORDER BY seq) AS ordered
       ) AS played ON true
"""


def read(
    connection: Connection, table_id: str, token_hash: bytes | None, now: datetime | None, known: Collection[str] = ()
) -> Reading:
    """A table and whose token this is, in one statement.

    The log is left out when the table's `tag` is among `known`. A token that has expired at `now` is no token.
    """
    arguments = {"table": table_id, "token": token_hash, "now": now, "known": list(known)}
    row = connection.exec_driver_sql(_READ, arguments).one()
    account, key = row[0], row[1]
    if key is None:
        return Reading(account, None)
    header, seed = row[18], row[19]
    return Reading(
        account,
        LoadedTable(
            table=TableRow(*row[1:13]),
            players=tuple(map(Player._make, zip(*row[13:18], strict=True))) if row[13] else (),
            header=json.loads(header) if header else None,
            progress=Progress(*row[20:28]) if row[20] else None,
            server_seed=seed,
            entries=tuple(map(Entry._make, zip(*row[28:33], strict=True))) if row[28] else (),
        ),
    )


def load(session: Session, table_id: str) -> LoadedTable | None:
    """A table by its id, None when there is none; for whoever asks without a token."""
    return read(session.connection(), table_id, None, None).table
