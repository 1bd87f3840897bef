"""Store each account's quiet times and when they were set (CLOCKS.md 3).

The account's row has the present ones. Earlier ones are kept, because a stretch goes on with those that applied when it
began, and because they may be changed only so often.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session


class StoredSchedule(NamedTuple):
    """A zone and windows (None for none) as they were set at a time."""

    account: str
    set_at: datetime
    zone: str
    quiet: list[Any] | None


# Of several changes at the same instant, the last one counts.
_ADD = text("""
    INSERT INTO schedules (account, set_at, zone, quiet) VALUES (:account, :now, :zone, CAST(:quiet AS jsonb))
    ON CONFLICT (account, set_at) DO UPDATE SET zone = excluded.zone, quiet = excluded.quiet
""")


def add(session: Session, account: str, zone: str, quiet: list[Any] | None, now: datetime) -> None:
    """Store that an account's zone and windows were set."""
    told = None if quiet is None else json.dumps(quiet)
    session.execute(_ADD, {"account": account, "now": now, "zone": zone, "quiet": told})


_CHANGES = text("SELECT set_at FROM schedules WHERE account = :account ORDER BY set_at DESC LIMIT :most")


def changes(session: Session, account: str, most: int) -> list[datetime]:
    """Return the times of the last `most` changes of an account, oldest first."""
    return sorted(session.scalars(_CHANGES, {"account": account, "most": most}))


_HISTORY = text("SELECT account, set_at, zone, quiet FROM schedules WHERE account = ANY (:accounts) ORDER BY set_at")


def history(session: Session, accounts: Iterable[str]) -> list[StoredSchedule]:
    """Return all changes of some accounts, oldest first."""
    return [StoredSchedule(*row) for row in session.execute(_HISTORY, {"accounts": list(accounts)})]


_FORGET = text("DELETE FROM schedules WHERE account = :account")


def forget(session: Session, account: str) -> None:
    """Delete all changes of an account."""
    session.execute(_FORGET, {"account": account})
