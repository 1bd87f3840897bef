"""Read what a player may note down of a game: the beginning of its header's hash, its last hash, and its checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from engine import record
from service.queries.table import LoadedTable
from service.store.autocommit_pool import Statements, statements
from service.store.checkpoints import PUBLISHED, SIGNED
from service.store.log import HEAD_DIGITS


@dataclass(frozen=True, slots=True)
class Commitment:
    """A checkpoint that commits to a game: its log's origin, its size, and how much of the game it has.

    `version` is the last version of the game that it has.
    """

    origin: str
    size: int
    signed_at: datetime
    version: int


@dataclass(frozen=True, slots=True)
class Notice:
    """The facts of a started game that a player may note down.

    Attributes:
        header: the first digits of the header's hash, in hex. Two players of one game see the same.
        version: the number of the last entry.
        head: the hash of that entry, in hex.
        commitment: the newest checkpoint that commits to the game; None if there is none.
        is_going_on: whether checkpoints are made, so that the next one will have the game as it is now.
    """

    header: str
    version: int
    head: str
    commitment: Commitment | None
    is_going_on: bool


COLUMNS = """committed.origin, committed.size, committed.signed_at, committed.version,
       (SELECT closed_at IS NULL FROM checkpoint_logs LEFT JOIN checkpoint_closings USING (log)
         ORDER BY log DESC LIMIT 1) IS TRUE"""
"""The SQL for the commitment of a game, as the columns of `Commitment`, and for whether checkpoints are made."""

JOIN = f"""
  LEFT JOIN LATERAL (
       SELECT logs.origin, note.size, note.signed_at, leaf.version
         FROM checkpoint_logs AS logs
        CROSS JOIN LATERAL (
              SELECT size, signed.at AS signed_at
                FROM checkpoint_notes AS published JOIN checkpoint_notes AS signed USING (log, size)
               WHERE log = logs.log AND published.stage = '{PUBLISHED}' AND signed.stage = '{SIGNED}'
               ORDER BY size DESC LIMIT 1
              ) AS note
        CROSS JOIN LATERAL (
              SELECT version FROM checkpoint_leaves
               WHERE game = tables.key AND log = logs.log AND index < note.size
               ORDER BY version DESC LIMIT 1
              ) AS leaf
        ORDER BY logs.log DESC LIMIT 1
       ) AS committed ON true
"""
"""The join that these columns need, after the table `tables`."""

_NOTICE = f"SELECT {COLUMNS} FROM (SELECT CAST(%(game)s AS bigint) AS key) AS tables{JOIN}"


def notice(store: Session | Statements, table: LoadedTable) -> Notice:
    """Return the notice of a game that has started."""
    return notice_of(table, statements(store).read(_NOTICE, {"game": table.table.key}))


def notice_of(table: LoadedTable, row: Sequence[Any]) -> Notice:
    """Return the notice of a game that has started, from a row of `COLUMNS`."""
    assert table.header is not None and table.progress is not None, "it has started"
    return Notice(
        record.digest(table.header)[:HEAD_DIGITS],
        table.version,
        table.progress.head.hex(),
        None if row[0] is None else Commitment(*row[:4]),
        row[4],
    )
