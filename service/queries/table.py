"""Read a table, and the account of the request's token, in one statement. This module is on the hot path.

`read` returns everything about a table: players, set-up, projection and log. `newer` reads only what can have changed
since this process last read the table, which costs Postgres half as much. Most of the cost of a short statement is its
planning, so leaving out a table saves more than leaving out rows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from service.queries import replay
from service.queries.loaded import LoadedTable, Player, TableRow
from service.queries.table_access import TableAccess
from service.store.autocommit_pool import Statements, statements
from service.store.callers import ACCOUNT_OF_TOKEN
from service.store.entries import AGGREGATED, AS_JSON, NONE, Entries
from service.store.idempotency import LIFETIME, Slot, StoredResponse
from service.store.log import HEAD_DIGITS, Progress

__all__ = ["LoadedTable", "Player", "Reading", "RequestCaller", "TableRow", "load", "newer", "read"]


class RequestCaller(NamedTuple):
    """The caller of a request, and where its response may be stored.

    Attributes:
        token: the hash of the access token, or None.
        now: the time at which the token must be valid.
        slot: where the response to the same request is stored if it was made before. Its account is the token's.
    """

    token: bytes | None = None
    now: datetime | None = None
    slot: Slot | None = None

    def arguments(self, **further: object) -> Mapping[str, object]:
        """Return the arguments of the caller's statement, with further ones."""
        told = {"token": self.token, "now": self.now, **further}
        if self.slot is None:
            return told
        assert self.now is not None
        slot = {"method": self.slot.method, "path": self.slot.path, "key": self.slot.key}
        return {**told, **slot, "cutoff": self.now - LIFETIME}


NOBODY = RequestCaller()


class Reading(NamedTuple):
    """The result of reading a table for a request.

    Attributes:
        account: the token's account; None if there is no valid token.
        table: the table; None if there is no such table.
        stored: the response stored in the request's slot, or None.
        hashes: the hashes of the entries, if they were asked for.
    """

    account: str | None
    table: LoadedTable | None
    stored: StoredResponse | None = None
    hashes: tuple[bytes, ...] = ()

    @property
    def access(self) -> TableAccess:
        """The caller's access to the table."""
        if self.table is None:
            return TableAccess(self.account, None, None, None, None, None)
        return self.table.access(self.account)


_HASH_WIDTH = 32

_TAG = re.compile(rf"[0-9]+-[0-9]+-[0-9a-f]{{{HEAD_DIGITS}}}")

# The SQL of `LoadedTable.tag` for a table that has started.
_KNOWN_BY = f"""
       progress.version || '-' || tables.revision || '-' || left(encode(progress.head, 'hex'), {HEAD_DIGITS})"""

_TOKEN = f"""
  LEFT JOIN LATERAL ({ACCOUNT_OF_TOKEN}) AS token ON true
"""

_PROGRESS = """
       progress.status, progress.version, {head}, progress.last_at, progress.turn, progress.wait_seq,
       progress.ended_at, progress.result,
       CASE WHEN progress.clock_seq = progress.version THEN progress.acted_seq ELSE progress.version END,
       CASE WHEN progress.clock_seq = progress.version THEN progress.clock END,
       progress.clock_due_at, progress.runs_out_at"""

_PLAYED = """
       SELECT {columns}
         FROM (SELECT at, seat, by, move FROM log WHERE log.game = tables.key AND {wanted} ORDER BY seq) AS ordered
"""

_READ = f"""
SELECT token.account,
       tables.key, tables.id, tables.kind, tables.seats, tables.goal_discs, tables.visibility, tables.maker,
       tables.commitment, tables.created_at, tables.revision, tables.closed_at, tables.closed_because, tables.hints,
       tables.clock, tables.abandoned_after, tables.facts,
       sitting.seats, sitting.accounts, sitting.names, sitting.entropy, sitting.joined_at, sitting.reachable,
       sitting.zones, sitting.quiets, sitting.absences,
       setups.header, draw_secrets.server_seed,{_PROGRESS.format(head="progress.head")},
       played.times, played.seats, played.bys, played.moves{{stored}}
  FROM (SELECT) AS request{_TOKEN}
  LEFT JOIN tables ON tables.id = %(table)s
  LEFT JOIN setups ON setups.game = tables.key
  LEFT JOIN draw_secrets ON draw_secrets.game = tables.key
  LEFT JOIN progress ON progress.game = tables.key
  LEFT JOIN LATERAL (
       SELECT array_agg(seat) AS seats, array_agg(account) AS accounts, array_agg(name) AS names,
              array_agg(entropy) AS entropy, array_agg(joined_at) AS joined_at, array_agg(reachable) AS reachable,
              array_agg(zone) AS zones, array_agg(quiet::text) AS quiets, array_agg(absences::text) AS absences
         FROM (SELECT seat, account, coalesce(name, 'bot:' || bot) AS name, entropy, joined_at,
                      CASE WHEN bot IS NOT NULL THEN true WHEN email IS NOT NULL THEN mail_stopped_at IS NULL END
                      AS reachable, coalesce(zone, 'UTC') AS zone, quiet, absences
                 FROM seats LEFT JOIN accounts ON accounts.id = seats.account
                WHERE seats.game = tables.key
                ORDER BY seat) AS ordered
       ) AS sitting ON true
  LEFT JOIN LATERAL ({_PLAYED.format(columns=AGGREGATED, wanted=f"{_KNOWN_BY} <> ALL (%(known)s::text[])")}
       ) AS played ON true
"""

_CHANGE = f"json_build_array({_PROGRESS.format(head='NULL')},{AS_JSON})"

# Without a clock, everything about a game follows from the head of its log. Each column of a result costs about as
# much as a condition, so what is rarely needed comes in one.
_NEWER = f"""
SELECT token.account, tables.revision, tables.facts, progress.head,
       CASE WHEN progress.head <> %(head)s OR tables.clock IS NOT NULL
       THEN ({_PLAYED.format(columns=_CHANGE, wanted="log.seq > %(after)s AND progress.head <> %(head)s")})::text
       END{{stored}}
  FROM (SELECT) AS request{_TOKEN}
  LEFT JOIN tables ON tables.key = %(table)s
  LEFT JOIN progress ON progress.game = tables.key
"""

_STORED = """
  LEFT JOIN idempotency AS slot ON slot.account = token.account AND slot.method = %(method)s AND slot.path = %(path)s
        AND slot.key = %(key)s AND slot.created_at > %(cutoff)s
"""
_RESPONSE = ", slot.body_hash, slot.status, slot.headers, slot.body"

_CHAINED = f"""
  LEFT JOIN LATERAL (
       SELECT string_agg(hash, '') AS hashes
         FROM (SELECT hash FROM log WHERE log.game = tables.key AND {_KNOWN_BY} <> ALL (%(known)s::text[])
                ORDER BY seq) AS ordered
       ) AS chain ON true
"""
_HASHES = ", chain.hashes"

_READ_CHAINED = _READ.format(stored=_HASHES) + _CHAINED
_READS = {False: _READ.format(stored=""), True: _READ.format(stored=_RESPONSE) + _STORED}
_NEWERS = {False: _NEWER.format(stored=""), True: _NEWER.format(stored=_RESPONSE) + _STORED}


def read(
    store: Session | Statements, table_id: str, caller: RequestCaller = NOBODY, known: Collection[str] = ()
) -> Reading:
    """Return a table and the account of the token. The log is left out if the table's `tag` is among `known`."""
    statement = _READS[caller.slot is not None]
    row = statements(store).read(statement, caller.arguments(table=table_id, known=_array(known)))
    return _reading(row, _stored(row[44:]))


def _reading(row: Sequence[Any], stored: StoredResponse | None = None, hashes: tuple[bytes, ...] = ()) -> Reading:
    account, key = row[:2]
    if key is None:
        return Reading(account, None, stored)
    header, seed = row[26], row[27]
    return Reading(
        account,
        LoadedTable(
            table=TableRow(*row[1:17]),
            players=tuple(map(Player._make, zip(*row[17:26], strict=True))) if row[17] else (),
            header=json.loads(header) if header else None,
            progress=Progress(*row[28:40]) if row[28] else None,
            server_seed=seed,
            entries=Entries.read(0, *row[40:44]),
        ),
        stored,
        hashes,
    )


def read_chained(
    store: Session | Statements, table_id: str, caller: RequestCaller, known: Collection[str] = ()
) -> Reading:
    """Return a table as `read` does, with the stored hashes of the entries."""
    row = statements(store).read(_READ_CHAINED, caller.arguments(table=table_id, known=_array(known)))
    hashes = row[44] or b""
    cut = tuple(hashes[at : at + _HASH_WIDTH] for at in range(0, len(hashes), _HASH_WIDTH))
    return _reading(row, hashes=cut)


def newer(store: Session | Statements, cached: LoadedTable, caller: RequestCaller) -> Reading | None:
    """Return the current state of a table that was read before and is `based`.

    Returns:
        None if the table has to be read completely, because the cached state does not lead to the head of the hash
        chain that the database has now.
    """
    had = cached.progress
    assert had is not None, "only started tables are read on"
    after = cached.version if cached.base else 0
    arguments = caller.arguments(table=cached.table.key, after=after, head=had.head)
    row = statements(store).read(_NEWERS[caller.slot is not None], arguments)
    account, revision, facts, head, change = row[:5]
    if revision != cached.table.revision or facts != cached.table.facts or head is None:
        return None
    if change is None:
        table = cached.copied(had, NONE, cached.base)
    else:
        progress, entries = _changed(head, after, json.loads(change))
        if not _leads(had, entries if cached.base else None, progress):
            return None
        table = cached.copied(progress, entries, cached.base)
    return Reading(account, table, _stored(row[5:]))


def _changed(head: bytes, after: int, values: list[Any]) -> tuple[Progress, Entries]:
    """Return the change that the values of `_CHANGE` describe."""
    status, version, _, last_at, turn, wait, ended_at, result, acted, clock, due_at, out_at, *log = values
    last, ended, due, out = [at and datetime.fromisoformat(at) for at in (last_at, ended_at, due_at, out_at)]
    progress = Progress(status, version, head, last, turn, wait, ended, result, acted, clock, due, out)
    return progress, Entries.from_json(after, *log)


def load(store: Session | Statements, table_id: str) -> LoadedTable | None:
    """Return the table with this id, or None; for callers without a token."""
    return read(store, table_id).table


def _leads(had: Progress, entries: Entries | None, progress: Progress) -> bool:
    """Return whether the entries lead from the cached state to the current one; `entries` is None if all were read."""
    if progress.version == had.version:
        return progress.head == had.head
    if entries is None:
        return True
    head = replay.chained(had.head.hex(), entries)
    return had.version + len(entries) == progress.version and head == progress.head.hex()


def _array(tags: Collection[str]) -> str:
    """Return tags in the syntax of a Postgres array, leaving out anything that is not a tag."""
    return f"{{{','.join([tag for tag in tags if _TAG.fullmatch(tag)])}}}"


def _stored(columns: Sequence[Any]) -> StoredResponse | None:
    return StoredResponse(*columns) if columns and columns[0] is not None else None
