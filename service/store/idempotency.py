"""Answers kept under an ``Idempotency-Key``, so that a repeated request gets the first one's answer.

The row is made in the transaction of the command it guards: the primary key makes a second request with the
same key wait until the first has committed (then it reads that answer) or rolled back (then it goes on itself).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.store.purging import deleted

#: How long an answer is kept. An older one counts as absent.
LIFETIME = timedelta(hours=24)


@dataclass(frozen=True)
class Slot:
    """What an answer is kept under: who asked (empty: nobody who is known), how, for what (path and query), and the client's own key."""

    account: str
    method: str
    path: str
    key: str


@dataclass(frozen=True)
class Kept:
    """An answer given before: the hash of the request's body, and the answer's status, headers and body."""

    body_hash: bytes
    status: int
    headers: dict[str, str]
    body: str


_CLAIM = text("""
    INSERT INTO idempotency AS kept (account, method, path, key, body_hash, created_at)
    VALUES (:account, :method, :path, :key, :body_hash, :now)
    ON CONFLICT (account, method, path, key) DO UPDATE
    SET body_hash = excluded.body_hash, created_at = excluded.created_at, status = NULL, headers = NULL, body = NULL
    WHERE kept.created_at <= :cutoff
    RETURNING 1
""")

_READ = text("""
    SELECT body_hash, status, headers, body FROM idempotency
    WHERE account = :account AND method = :method AND path = :path AND key = :key
""")

_KEEP = text("""
    UPDATE idempotency SET status = :status, headers = :headers, body = :body
    WHERE account = :account AND method = :method AND path = :path AND key = :key
""")


def claim(session: Session, slot: Slot, body_hash: bytes, now: datetime) -> Kept | None:
    """Takes the slot for this request, or gives the answer that is kept there.

    Waits for another transaction that holds the slot. After None the caller does the work and calls ``keep``
    in the same transaction; if that rolls back, the slot is free again.
    """
    values = {**vars(slot), "body_hash": body_hash, "now": now, "cutoff": now - LIFETIME}
    if session.execute(_CLAIM, values).first() is not None:
        return None
    return Kept(*session.execute(_READ, vars(slot)).one())


def keep(session: Session, slot: Slot, *, status: int, headers: Mapping[str, str], body: str) -> None:
    """Stores the answer in a slot that this transaction claimed."""
    session.execute(_KEEP, {**vars(slot), "status": status, "headers": json.dumps(dict(headers)), "body": body})


def release(session: Session, slot: Slot) -> None:
    """Frees a slot that this transaction claimed, because its answer is not one to keep."""
    session.execute(
        text("DELETE FROM idempotency WHERE account = :account AND method = :method AND path = :path AND key = :key"),
        vars(slot),
    )


def erase(session: Session, account: str) -> None:
    """Deletes all answers kept for an account."""
    session.execute(text("DELETE FROM idempotency WHERE account = :account"), {"account": account})


_PURGE = text("""
    DELETE FROM idempotency WHERE created_at <= :cutoff
       AND ctid = ANY (ARRAY(SELECT ctid FROM idempotency WHERE created_at <= :cutoff LIMIT :most))
""")


def purge(session: Session, now: datetime, most: int) -> int:
    """Deletes answers that are past their time, so many at most; how many."""
    return deleted(session, _PURGE, cutoff=now - LIFETIME, most=most)
