"""The log of accepted moves, append-only, read and written in plain SQL: this module is on the hot path.

A row holds what cannot be derived: when, who, and the move in the notation of `engine.text`. An entry's `prev` is the
hash of the row before it (of the header for the first), so it is not stored.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from service import metrics
from service.store.callers import VALID
from service.store.idempotency import Kept, Slot
from service.store.queue import QUEUE
from service.store.straight import Statements, statements

HEAD_DIGITS = 8
"""So many hex digits of a hash tell one history of a game from another, of which a restore or a failover kept less."""


class Entry(NamedTuple):
    """One accepted move. `at` is UTC with whole milliseconds; `seat` is null for the host's entries and for an end;
    `by` is empty when the player acted; `move` is in the notation of `engine.text`."""

    seq: int
    at: datetime
    seat: int | None
    by: str
    move: str


class Link(NamedTuple):
    """An entry with its place in the hash chain; `prev` is None for the first, whose `prev` is the header's hash."""

    entry: Entry
    prev: bytes | None
    hash: bytes


@dataclass(frozen=True, slots=True)
class Progress:
    """What follows from a game's set-up and log (a projection; `service.commands.projection` makes it).

    `version` is the seq of the last entry and `head` its hash (at the start: 0, and the header's hash). `last_at` is
    the time of the last entry (at the start: of the start). `turn` is the seat to move, None when the game is over.
    `wait_seq` is the version at which the standing wait began, None when none stands. `result` is the record's
    result object as RFC 8785 text.
    """

    status: str
    version: int
    head: bytes
    last_at: datetime
    turn: int | None
    wait_seq: int | None
    ended_at: datetime | None
    result: str | None


class Job(NamedTuple):
    """A job to be deferred with an entry: a task's name, its ids, and the lock that keeps it from being doubled."""

    task: str
    args: dict[str, int | str]
    lock: str


class Answer(NamedTuple):
    """The answer to the request that made an entry, to be kept with it under the request's ``Idempotency-Key``."""

    slot: Slot
    kept: Kept


class Provided(NamedTuple):
    """What must hold for an entry whose table was not read for it but is one that was kept: that this token (its hash) is
    the account's at `now`, and that the table has this revision and its log this head."""

    token: bytes
    account: str
    now: datetime
    revision: int
    head: bytes


_APPEND = """
WITH entry AS (
    INSERT INTO log (game, seq, at, seat, by, move, hash)
    SELECT %(game)s, %(seq)s, %(at)s, %(seat)s, %(by)s, %(move)s, %(hash)s{provided}
    ON CONFLICT DO NOTHING
    RETURNING game
), projection AS (
    UPDATE progress
       SET status = %(status)s, version = %(seq)s, head = %(hash)s, last_at = %(at)s, turn = %(turn)s,
           turn_account = %(turn_account)s, wait_seq = %(wait_seq)s, ended_at = %(ended_at)s, result = %(result)s
      FROM entry
     WHERE progress.game = entry.game
){jobs}{answer}
SELECT count(*) FROM entry
"""

_JOBS = """, jobs AS (
    INSERT INTO procrastinate_jobs (queue_name, task_name, priority, queueing_lock, args)
    SELECT %(queue)s, job.task, 0, job.lock, job.args
      FROM entry, jsonb_to_recordset(%(jobs)s::jsonb) AS job (task text, lock text, args jsonb)
    ON CONFLICT (queueing_lock) WHERE status = 'todo' DO NOTHING
)"""

#: Another request can have put an answer there only with an entry of this game, so whoever is late has lost the race for
#: the entry already. What else is there is past its time.
_ANSWER = """, answer AS (
    INSERT INTO idempotency (account, method, path, key, body_hash, status, headers, body, created_at)
    SELECT %(slot_account)s, %(slot_method)s, %(slot_path)s, %(slot_key)s,
           %(answer_hash)s, %(answer_status)s, %(answer_headers)s::jsonb, %(answer_body)s, %(answer_at)s
      FROM entry
    ON CONFLICT (account, method, path, key) DO UPDATE
       SET body_hash = excluded.body_hash, status = excluded.status, headers = excluded.headers, body = excluded.body,
           created_at = excluded.created_at
)"""

_PROVIDED = f"""
      FROM tokens, tables, progress
     WHERE tokens.hash = %(token)s AND tokens.account = %(account)s
       AND {VALID}
       AND tables.key = %(game)s AND tables.revision = %(revision)s
       AND progress.game = %(game)s AND progress.head = %(had)s"""

_APPENDS = {
    (defers, keeps, provides): _APPEND.format(
        jobs=_JOBS if defers else "", answer=_ANSWER if keeps else "", provided=_PROVIDED if provides else ""
    )
    for defers in (False, True)
    for keeps, provides in ((False, False), (True, False), (False, True))
}
"""By whether there are jobs, whether an answer is kept, and whether something is provided; never both of these, as an
answer may be kept already."""


def append(
    store: Session | Statements,
    game: int,
    entry: Entry,
    progress: Progress,
    turn_account: str | None,
    jobs: Sequence[Job],
    answer: Answer | None = None,
    provided: Provided | None = None,
) -> bool:
    """Write an entry, the projection that follows from it, its jobs (put into the queue as `service.store.queue.defer`
    does) and the answer that is to be kept: one statement, all or nothing.

    `progress` is that after the entry, its head the entry's hash. The primary key decides a race: False, and nothing
    is written, when the game has an entry of this seq already; one that is being written is waited for. False too where
    what is `provided` does not hold.
    """
    arguments: dict[str, object] = {
        "game": game,
        "seq": entry.seq,
        "at": entry.at,
        "seat": entry.seat,
        "by": entry.by,
        "move": entry.move,
        "hash": progress.head,
        "status": progress.status,
        "turn": progress.turn,
        "turn_account": turn_account,
        "wait_seq": progress.wait_seq,
        "ended_at": progress.ended_at,
        "result": progress.result,
    }
    if jobs:
        arguments["queue"] = QUEUE
        arguments["jobs"] = json.dumps([job._asdict() for job in jobs])
    if answer is not None:
        slot, kept = answer
        arguments |= {
            "slot_account": slot.account,
            "slot_method": slot.method,
            "slot_path": slot.path,
            "slot_key": slot.key,
            "answer_hash": kept.body_hash,
            "answer_status": kept.status,
            "answer_headers": json.dumps(kept.headers),
            "answer_body": kept.body,
            "answer_at": entry.at,
        }
    if provided is not None:
        arguments |= {
            "token": provided.token,
            "account": provided.account,
            "now": provided.now,
            "revision": provided.revision,
            "had": provided.head,
        }
    statement = _APPENDS[bool(jobs), answer is not None, provided is not None]
    (written,) = statements(store).write(statement, arguments, wakes=bool(jobs))
    if written:
        metrics.entry_added()
    return bool(written)


_READ = """
SELECT seq, at, seat, by, move, hash,
       (SELECT before.hash FROM log before WHERE before.game = log.game AND before.seq = log.seq - 1)
  FROM log
 WHERE game = %(game)s
 ORDER BY seq
"""


def read(session: Session, game: int) -> list[Link]:
    """Return a game's entries in their order, with their hashes."""
    rows = session.connection().exec_driver_sql(_READ, {"game": game})
    return [Link(Entry(seq, at, seat, by, move), prev, hash_) for seq, at, seat, by, move, hash_, prev in rows]
