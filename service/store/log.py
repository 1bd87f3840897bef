"""Read and write the append-only log of accepted moves in plain SQL. This module is on the hot path.

A row holds what cannot be derived: when, who, and the move in the notation of `engine.text`. An entry's `prev` is the
hash of the row before it, or of the header for the first one, so it is not stored.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from service import metrics
from service.store.autocommit_pool import Statements, statements
from service.store.callers import ACCOUNT_OF_TOKEN
from service.store.idempotency import Slot, StoredResponse
from service.store.queue import INSERT, Job, as_argument

HEAD_DIGITS = 8
"""The number of hex digits of a hash that distinguish a game's history from one that a restore has undone."""


class Entry(NamedTuple):
    """An accepted move.

    Attributes:
        seq: its number, from 1.
        at: the time in UTC, in whole milliseconds.
        seat: the seat; None for the host's entries and for an end.
        by: who acted in place of the player; empty if the player acted.
        move: the move in the notation of `engine.text`.
    """

    seq: int
    at: datetime
    seat: int | None
    by: str
    move: str


class Link(NamedTuple):
    """An entry with its place in the hash chain. `prev` is None for the first one, which follows the header's hash."""

    entry: Entry
    prev: bytes | None
    hash: bytes


class Progress(NamedTuple):
    """The projection of a game's set-up and log, made by `service.commands.projection`.

    Attributes:
        status: `running` or `finished`.
        version: the seq of the last entry; 0 at the start.
        head: the hash of the last entry; at the start, that of the header.
        last_at: the time of the last entry; at the start, that of the start.
        turn: the seat to move; None if the game is over.
        wait_seq: the version at which the current wait began; None if there is none.
        ended_at: when the game ended, or None.
        result: the record's result object as RFC 8785 text, or None.
        acted_seq: the seq of the last entry that is no mark; 0 if there is none.
        clock: the state of the game's clock as JSON text (`service.clocks.game_clock`). None if it has no clock, or if
            the previous release wrote the last entry; then it follows from the log.
        clock_due_at: the time before which neither the game's clock nor a game that nobody plays needs work; None if
            nothing will.
        runs_out_at: when the time of the player to move runs out if nothing changes; None if it does not.
    """

    status: str
    version: int
    head: bytes
    last_at: datetime
    turn: int | None
    wait_seq: int | None
    ended_at: datetime | None
    result: str | None
    acted_seq: int = 0
    clock: str | None = None
    clock_due_at: datetime | None = None
    runs_out_at: datetime | None = None


class KeyedResponse(NamedTuple):
    """The response to the request that made an entry, stored with it under the request's `Idempotency-Key`."""

    slot: Slot
    response: StoredResponse


class Provided(NamedTuple):
    """The conditions for an entry on a cached table: the token (given as its hash) is valid for the account at `now`.

    The table must also have this revision and these facts, and its log this head.
    """

    token: bytes
    account: str
    now: datetime
    revision: int
    facts: int
    head: bytes


class Closing(NamedTuple):
    """The end of a game, written together with the entry that it follows from; `former_head` is the hash of that."""

    entry: Entry
    former_head: bytes


_APPEND = """
WITH entry AS (
    INSERT INTO log (game, seq, at, seat, by, move, hash)
    SELECT %(game)s, %(seq)s, %(at)s, %(seat)s, %(by)s, %(move)s, %(hash)s{provided}
    ON CONFLICT DO NOTHING
    RETURNING game
){closing}, projection AS (
    UPDATE progress
       SET status = %(status)s, version = %(version)s, head = %(head)s, last_at = %(at)s, turn = %(turn)s,
           turn_account = %(turn_account)s, wait_seq = %(wait_seq)s, ended_at = %(ended_at)s, result = %(result)s,
           acted_seq = %(acted_seq)s, clock_seq = %(version)s, clock = %(clock)s, clock_due_at = %(clock_due_at)s,
           runs_out_at = %(runs_out_at)s
      FROM entry
     WHERE progress.game = entry.game
){jobs}{response}
SELECT count(*) FROM entry
"""

# Nobody else can have the number after that of an entry that is not committed.
_CLOSING = """, closing AS (
    INSERT INTO log (game, seq, at, seat, by, move, hash)
    SELECT game, %(closing_seq)s, %(closing_at)s, %(closing_seat)s, %(closing_by)s, %(closing_move)s, %(head)s
      FROM entry
)"""

_JOBS = f", jobs AS ({INSERT.format(source='entry, ')}\n)"

# Another request can have stored a response there only with an entry of this game, so the later one has lost the race
# for the entry already. Any other response there has expired.
_RESPONSE = """, stored AS (
    INSERT INTO idempotency (account, method, path, key, body_hash, status, headers, body, created_at)
    SELECT %(slot_account)s, %(slot_method)s, %(slot_path)s, %(slot_key)s,
           %(response_hash)s, %(response_status)s, %(response_headers)s::jsonb, %(response_body)s, %(response_at)s
      FROM entry
    ON CONFLICT (account, method, path, key) DO UPDATE
       SET body_hash = excluded.body_hash, status = excluded.status, headers = excluded.headers, body = excluded.body,
           created_at = excluded.created_at
)"""

_PROVIDED = f"""
      FROM ({ACCOUNT_OF_TOKEN}) AS caller, tables, progress
     WHERE caller.account = %(account)s
       AND tables.key = %(game)s AND tables.revision = %(revision)s AND tables.facts = %(facts)s
       AND progress.game = %(game)s AND progress.head = %(had)s"""

_APPENDS = {
    (defers, keeps, provides, closes): _APPEND.format(
        jobs=_JOBS if defers else "",
        response=_RESPONSE if keeps else "",
        provided=_PROVIDED if provides else "",
        closing=_CLOSING if closes else "",
    )
    for defers in (False, True)
    for closes in (False, True)
    for keeps, provides in ((False, False), (True, False), (False, True))
}
"""The statements, by whether there are jobs, a response to store, conditions, and a second entry.

The second and the third are never combined, as a response may be stored already.
"""


def append(
    store: Session | Statements,
    game: int,
    entry: Entry,
    progress: Progress,
    turn_account: str | None,
    jobs: Sequence[Job],
    keyed: KeyedResponse | None = None,
    provided: Provided | None = None,
    closing: Closing | None = None,
) -> bool:
    """Write an entry, its projection, its jobs and the response to store in one statement, all or nothing.

    The jobs are queued as `service.store.queue.defer` does. `progress` is that after the entry, and its head is the
    entry's hash. If there is a `closing` entry, `progress` is that after both.

    Returns:
        False, with nothing written, if the game already has an entry with this seq, or if the conditions in `provided`
        do not hold. The primary key decides a race; an entry that is being written is waited for.
    """
    arguments: dict[str, object] = {
        "game": game,
        "seq": entry.seq,
        "at": entry.at,
        "seat": entry.seat,
        "by": entry.by,
        "move": entry.move,
        "hash": progress.head if closing is None else closing.former_head,
        "head": progress.head,
        "version": progress.version,
        "status": progress.status,
        "turn": progress.turn,
        "turn_account": turn_account,
        "wait_seq": progress.wait_seq,
        "ended_at": progress.ended_at,
        "result": progress.result,
        "acted_seq": progress.acted_seq,
        "clock": progress.clock,
        "clock_due_at": progress.clock_due_at,
        "runs_out_at": progress.runs_out_at,
    }
    if jobs:
        arguments["jobs"] = as_argument(jobs)
    if keyed is not None:
        slot, response = keyed
        arguments |= {
            "slot_account": slot.account,
            "slot_method": slot.method,
            "slot_path": slot.path,
            "slot_key": slot.key,
            "response_hash": response.body_hash,
            "response_status": response.status,
            "response_headers": json.dumps(response.headers),
            "response_body": response.body,
            "response_at": entry.at,
        }
    if provided is not None:
        arguments |= {
            "token": provided.token,
            "account": provided.account,
            "now": provided.now,
            "revision": provided.revision,
            "facts": provided.facts,
            "had": provided.head,
        }
    if closing is not None:
        arguments |= {f"closing_{name}": value for name, value in closing.entry._asdict().items()}
    statement = _APPENDS[bool(jobs), keyed is not None, provided is not None, closing is not None]
    (written,) = statements(store).write(statement, arguments, wakes=bool(jobs))
    if written:
        metrics.entry_added(1 if closing is None else 2)
    return bool(written)


_READ = """
SELECT seq, at, seat, by, move, hash,
       (SELECT before.hash FROM log before WHERE before.game = log.game AND before.seq = log.seq - 1)
  FROM log
 WHERE game = %(game)s
 ORDER BY seq
"""


def read(session: Session, game: int) -> list[Link]:
    """Return all entries of a game in order, each with its hash and the one before it."""
    rows = session.connection().exec_driver_sql(_READ, {"game": game})
    return [Link(Entry(seq, at, seat, by, move), prev, hash_) for seq, at, seat, by, move, hash_, prev in rows]
