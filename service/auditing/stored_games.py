"""Read all that is stored about some games, in one statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from service.store.log import Entry


class StoredTable(NamedTuple):
    """The row of a table, with what follows from other rows, and the highest counters that any event has reported."""

    key: int
    id: str
    kind: str
    seats: int
    goal_discs: int
    commitment: bytes
    created_at: datetime
    revision: int
    facts: int
    closed_at: datetime | None
    status: str
    clock: str | None
    told_revision: int | None
    told_version: int | None


class StoredProgress(NamedTuple):
    """The row of a game's projection, column by column."""

    status: str
    version: int
    head: bytes
    last_at: datetime
    turn: int | None
    turn_account: str | None
    wait_seq: int | None
    ended_at: datetime | None
    result: str | None
    acted_seq: int | None
    clock_seq: int | None
    clock: str | None
    clock_due_at: datetime | None
    runs_out_at: datetime | None


class StoredSeat(NamedTuple):
    """The row of a taken seat."""

    seat: int
    account: str | None
    bot: str | None
    entropy: str
    kind: str
    status: str


class StoredGame(NamedTuple):
    """A table with its seats and, if it was ever started, its set-up, projection and log; whatever is missing is None.

    `hashes` are those of the entries.
    """

    table: StoredTable
    seats: tuple[StoredSeat, ...]
    seed: bytes | None
    header: str | None
    progress: StoredProgress | None
    entries: tuple[Entry, ...]
    hashes: tuple[bytes, ...]


_READ = """
SELECT tables.key, tables.id, tables.kind, tables.seats, tables.goal_discs, tables.commitment, tables.created_at,
       tables.revision, tables.facts, tables.closed_at, tables.status, tables.clock, told.revision, told.version,
       progress.status, progress.version, progress.head, progress.last_at, progress.turn, progress.turn_account,
       progress.wait_seq, progress.ended_at, progress.result, progress.acted_seq, progress.clock_seq, progress.clock,
       progress.clock_due_at, progress.runs_out_at,
       sitting.seats, sitting.accounts, sitting.bots, sitting.entropy, sitting.kinds, sitting.statuses,
       draw_secrets.server_seed, setups.header,
       played.seqs, played.times, played.seats, played.bys, played.moves, played.hashes
  FROM tables
  LEFT JOIN setups ON setups.game = tables.key
  LEFT JOIN draw_secrets ON draw_secrets.game = tables.key
  LEFT JOIN progress ON progress.game = tables.key
  LEFT JOIN LATERAL (SELECT max(revision) AS revision, max(version) AS version FROM events WHERE game = tables.key)
       AS told ON true
  LEFT JOIN LATERAL (
       SELECT array_agg(seat ORDER BY seat) AS seats, array_agg(account ORDER BY seat) AS accounts,
              array_agg(bot ORDER BY seat) AS bots, array_agg(entropy ORDER BY seat) AS entropy,
              array_agg(kind ORDER BY seat) AS kinds, array_agg(status ORDER BY seat) AS statuses
         FROM seats WHERE seats.game = tables.key
       ) AS sitting ON true
  LEFT JOIN LATERAL (
       SELECT array_agg(seq) AS seqs, array_agg(at) AS times, array_agg(seat) AS seats, array_agg(by) AS bys,
              array_agg(move) AS moves, array_agg(hash) AS hashes
         FROM (SELECT seq, at, seat, by, move, hash FROM log WHERE log.game = tables.key ORDER BY seq) AS ordered
       ) AS played ON true
 WHERE tables.key > %(after)s AND tables.key <= %(upto)s
 ORDER BY tables.key
"""

_OF_TABLE = len(StoredTable._fields)
_OF_PROGRESS = _OF_TABLE + len(StoredProgress._fields)
_OF_SEATS = _OF_PROGRESS + len(StoredSeat._fields)


def read(session: Session, after: int, upto: int) -> Iterator[StoredGame]:
    """Yield the games whose tables have a key after `after` and up to `upto`, in the order of their keys."""
    for row in session.connection().exec_driver_sql(_READ, {"after": after, "upto": upto}):
        yield _game(tuple(row))


def _game(row: Sequence[Any]) -> StoredGame:
    progress = StoredProgress._make(row[_OF_TABLE:_OF_PROGRESS])
    seed, header, *log = row[_OF_SEATS:]
    *columns, hashes = _lists(log)
    return StoredGame(
        StoredTable._make(row[:_OF_TABLE]),
        tuple(map(StoredSeat._make, zip(*_lists(row[_OF_PROGRESS:_OF_SEATS]), strict=True))),
        seed,
        header,
        None if progress.status is None else progress,
        tuple(map(Entry._make, zip(*columns, strict=True))),
        tuple(hashes),
    )


def _lists(columns: Sequence[list[Any] | None]) -> list[list[Any]]:
    """Return aggregated columns, which are null if there were no rows."""
    return [[] if column is None else column for column in columns]
