"""Read the log of a game page by page, as the entries of its record. This module is on the hot path."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from engine import record
from service.queries.table_access import COLUMNS, JOINS, TableAccess
from service.store.autocommit_pool import Statements, statements
from service.store.callers import Caller, by_caller
from service.store.log import Entry

_LOG = by_caller(f"""
SELECT {COLUMNS}, epoch.value, played.seq, played.at, played.seat, played.by, played.move, played.hash,
       CASE WHEN played.seq = 1 THEN setups.header END
  FROM epoch CROSS JOIN {{caller}}{JOINS}
  LEFT JOIN setups ON setups.game = tables.key
  LEFT JOIN LATERAL (
       SELECT seq, at, seat, by, move, hash FROM log
        WHERE log.game = tables.key AND seq >= CAST(%(from)s AS integer) ORDER BY seq LIMIT %(limit)s
       ) AS played ON true
 ORDER BY played.seq
""")


class Link(NamedTuple):
    """An entry with its place in the hash chain, in hex."""

    entry: Entry
    prev: str
    hash: str


class LogPage(NamedTuple):
    """A page of a game's log, the caller's access to the table, and the epoch of the data."""

    access: TableAccess
    epoch: str
    links: list[Link]


def page(store: Session | Statements, caller: Caller, table: str, after: int, limit: int) -> LogPage:
    """Return the entries with seq above `after` of a game, given by its table's id; none while the table is open.

    Hashes are as stored. The entry at `after` is read too, because the next entry contains its hash.
    """
    asked = {"table": table, "from": after, "limit": limit + (after > 0)}
    rows = statements(store).rows(_LOG[type(caller)], caller.arguments(**asked))
    return LogPage(TableAccess._make(rows[0][:6]), rows[0][6], list(_links([row[7:] for row in rows], after)))


def _links(rows: list[tuple[Any, ...]], after: int) -> Iterator[Link]:
    prev = ""
    for seq, at, seat, by, move, hash_, header in rows:
        if seq is None:
            return
        if seq == 1:
            prev = record.digest(json.loads(header))
        if seq > after:
            yield Link(Entry(seq, at, seat, by, move), prev, hash_.hex())
        prev = hash_.hex()
