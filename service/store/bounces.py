"""Store permanent bounces by the hash of the address (`service.access.address_hash`).

At most one a day and one for each mail is stored, for 30 days.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.store.purging import deleted

KEPT = timedelta(days=30)

_ADD = text("""
    INSERT INTO bounces (address_hash, day, mail, status, at)
    VALUES (:hash, CAST(:at AS timestamptz) AT TIME ZONE 'UTC', :mail, :status, :at)
    ON CONFLICT DO NOTHING
""")

_COUNT = text("SELECT count(*) FROM bounces WHERE address_hash = ANY (:hashes) AND at > :since")


def add(session: Session, hashes: Sequence[bytes], mail: str, status: str, now: datetime) -> int:
    """Record that a mail, given by its key, bounced permanently, and return how many did so within 30 days."""
    session.execute(_ADD, {"hash": hashes[0], "mail": mail, "status": status, "at": now})
    return int(session.execute(_COUNT, {"hashes": list(hashes), "since": now - KEPT}).scalar_one())


_FORGET = text("DELETE FROM bounces WHERE address_hash = ANY (:hashes)")


def forget(session: Session, hashes: Sequence[bytes]) -> None:
    """Delete the bounces of an address."""
    session.execute(_FORGET, {"hashes": list(hashes)})


_PURGE = text("""
    DELETE FROM bounces WHERE at <= :past
       AND ctid = ANY (ARRAY(SELECT ctid FROM bounces WHERE at <= :past LIMIT :most))
""")


def purge(session: Session, now: datetime, most: int) -> int:
    """Delete at most `most` expired bounces, and return how many were deleted."""
    return deleted(session, _PURGE, past=now - KEPT, most=most)
