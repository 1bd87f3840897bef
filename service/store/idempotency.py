"""Store responses by `Idempotency-Key`, so that a repeated request gets the response of the first one.

The row is inserted in the transaction of the command that it guards. The primary key makes a second request with the
same key wait until the first has committed, and then read its response, or rolled back, and then go ahead.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.store.purging import deleted

LIFETIME = timedelta(hours=24)
"""How long a response is stored. An older one counts as absent."""


@dataclass(frozen=True)
class Slot:
    """The place of a stored response: the caller (empty for nobody), method, path with query, and the client's key."""

    account: str
    method: str
    path: str
    key: str


@dataclass(frozen=True)
class StoredResponse:
    """A stored response: the hash of the request's body, and the response's status, headers and body."""

    body_hash: bytes
    status: int
    headers: dict[str, str]
    body: str


_CLAIM = text("""
    INSERT INTO idempotency AS stored (account, method, path, key, body_hash, created_at)
    VALUES (:account, :method, :path, :key, :body_hash, :now)
    ON CONFLICT (account, method, path, key) DO UPDATE
    SET body_hash = excluded.body_hash, created_at = excluded.created_at, status = NULL, headers = NULL, body = NULL
    WHERE stored.created_at <= :cutoff
    RETURNING 1
""")

_READ = text("""
    SELECT body_hash, status, headers, body FROM idempotency
    WHERE account = :account AND method = :method AND path = :path AND key = :key
""")

_STORE = text("""
    UPDATE idempotency SET status = :status, headers = :headers, body = :body
    WHERE account = :account AND method = :method AND path = :path AND key = :key
""")


def claim(
    session: Session, slot: Slot, body_hash: bytes, now: datetime, lifetime: timedelta = LIFETIME
) -> StoredResponse | None:
    """Claim the slot for this request, or return the response that is stored in it, unless it is older than `lifetime`.

    Waits for another transaction that holds the slot. If this returns None, the caller does the work and calls `store`
    in the same transaction; a rollback frees the slot.
    """
    values = {**vars(slot), "body_hash": body_hash, "now": now, "cutoff": now - lifetime}
    if session.execute(_CLAIM, values).first() is not None:
        return None
    return StoredResponse(*session.execute(_READ, vars(slot)).one())


def store(session: Session, slot: Slot, *, status: int, headers: Mapping[str, str], body: str) -> None:
    """Store the response in a slot that this transaction has claimed."""
    session.execute(_STORE, {**vars(slot), "status": status, "headers": json.dumps(dict(headers)), "body": body})


def release(session: Session, slot: Slot) -> None:
    """Free a slot that this transaction has claimed, because its response is not to be stored."""
    session.execute(
        text("DELETE FROM idempotency WHERE account = :account AND method = :method AND path = :path AND key = :key"),
        vars(slot),
    )


def erase(session: Session, account: str) -> None:
    """Delete all responses stored for an account."""
    session.execute(text("DELETE FROM idempotency WHERE account = :account"), {"account": account})


_PURGE = text("""
    DELETE FROM idempotency WHERE created_at <= :cutoff
       AND ctid = ANY (ARRAY(SELECT ctid FROM idempotency WHERE created_at <= :cutoff LIMIT :most))
""")


def purge(session: Session, now: datetime, most: int) -> int:
    """Delete at most `most` expired responses, and return how many were deleted."""
    return deleted(session, _PURGE, cutoff=now - LIFETIME, most=most)
