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

FORM_LIFETIME = timedelta(minutes=2)
"""How long the response to a form of the pages is stored."""

NOBODY = ""
"""The account of requests without an access token, and of forms."""

FORM_KEY = "form "
"""What the keys of forms begin with; those of the API have no spaces."""


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


def claim(session: Session, slot: Slot, body_hash: bytes, now: datetime) -> StoredResponse | None:
    """Claim the slot for this request, or return the response that is stored in it, unless it is older than `LIFETIME`.

    Waits for another transaction that holds the slot. If this returns None, the caller does the work and calls `store`
    in the same transaction; a rollback frees the slot.
    """
    values = {**vars(slot), "body_hash": body_hash, "now": now, "cutoff": now - LIFETIME}
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


_HOLD = text("""
    INSERT INTO idempotency AS stored (account, method, path, key, body_hash, created_at)
    VALUES (:account, :method, :path, :key, :body_hash, :now)
    ON CONFLICT (account, method, path, key) DO UPDATE SET key = excluded.key
    RETURNING body_hash, status, headers, body, created_at
""")

_REPLACE = text("""
    UPDATE idempotency
    SET body_hash = :body_hash, created_at = :now, status = :status, headers = :headers, body = NULL
    WHERE account = :account AND method = :method AND path = :path AND key = :key
""")


@dataclass(frozen=True)
class StoredForm:
    """The form that was carried out last in a slot: the hash of its content, the response's headers, and the time."""

    body_hash: bytes
    headers: dict[str, str]
    at: datetime


def hold_form(session: Session, slot: Slot, body_hash: bytes, now: datetime) -> StoredForm | None:
    """Hold the slot of a form until the commit, and return the form that was carried out last in it, if there is one.

    Waits for another transaction that holds the slot. The caller then leaves the slot as it is or calls `store_form`;
    if this returns None and nothing is to be stored, it calls `release`.
    """
    row = session.execute(_HOLD, {**vars(slot), "body_hash": body_hash, "now": now}).one()
    return None if row.status is None else StoredForm(bytes(row.body_hash), row.headers, row.created_at)


def store_form(
    session: Session, slot: Slot, body_hash: bytes, now: datetime, *, status: int, headers: Mapping[str, str]
) -> None:
    """Store the form that was carried out in a slot that this transaction holds, in place of an earlier one."""
    stored = {"body_hash": body_hash, "now": now, "status": status, "headers": json.dumps(dict(headers))}
    session.execute(_REPLACE, {**vars(slot), **stored})


def erase(session: Session, account: str) -> None:
    """Delete all responses stored for an account."""
    session.execute(text("DELETE FROM idempotency WHERE account = :account"), {"account": account})


_PURGE = text("""
    DELETE FROM idempotency WHERE created_at <= :cutoff
       AND ctid = ANY (ARRAY(SELECT ctid FROM idempotency WHERE created_at <= :cutoff LIMIT :most))
""")


_FORMS = "account = :nobody AND key LIKE :forms AND created_at <= :cutoff"  # nobody's are together in the primary key
_PURGE_FORMS = text(f"""
    DELETE FROM idempotency WHERE {_FORMS}
       AND ctid = ANY (ARRAY(SELECT ctid FROM idempotency WHERE {_FORMS} LIMIT :most))
""")


def purge(session: Session, now: datetime, most: int) -> int:
    """Delete at most `most` expired responses, and return how many were deleted."""
    count = deleted(session, _PURGE, cutoff=now - LIFETIME, most=most)
    if count == most:
        return count
    forms = {"nobody": NOBODY, "forms": f"{FORM_KEY}%", "cutoff": now - FORM_LIFETIME}
    return count + deleted(session, _PURGE_FORMS, **forms, most=most - count)
