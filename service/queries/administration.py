"""Read accounts and stuck games for the person who runs the service."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

MOST = 100
"""How many accounts or games are listed at most."""


class FoundAccount(NamedTuple):
    """An account.

    Attributes:
        id: the account's id.
        email: its address; None for a guest, and once it is erased.
        name: its name, or None.
        created_at: when it was created.
        suspended_at: when it was suspended, or None.
        mail_stopped_at: when mail to it was stopped because mails came back, or None.
        tokens: the number of its access tokens.
        running: the number of running games that it plays in.
        is_guest: whether it is a guest, who has never had an address.
    """

    id: str
    email: str | None
    name: str | None
    created_at: datetime
    suspended_at: datetime | None
    mail_stopped_at: datetime | None
    tokens: int
    running: int
    is_guest: bool


class StuckGame(NamedTuple):
    """A running game in which nothing has happened for long.

    Attributes:
        id: the table's id.
        kind: `match` or `solo`.
        last_at: when the last entry was made, or the start.
        seat: the seat to move.
        account: the account at that seat, or None for a bot.
        reachable: whether mail to it arrives, as far as the service knows.
        suspended: whether it is suspended.
        has_clock: whether the game has a clock.
        due_at: when the clock was to be looked at; None for never.
    """

    id: str
    kind: str
    last_at: datetime
    seat: int | None
    account: str | None
    reachable: bool
    suspended: bool
    has_clock: bool
    due_at: datetime | None


_ACCOUNTS = text("""
    SELECT id, email, name, created_at, suspended_at, mail_stopped_at,
           (SELECT count(*) FROM tokens WHERE tokens.account = found.id) AS tokens,
           (SELECT count(*) FROM seats WHERE seats.account = found.id AND seats.status = 'running') AS running,
           email IS NULL AND erased_at IS NULL AS is_guest
      FROM (SELECT id, email, name, created_at, suspended_at, mail_stopped_at, erased_at FROM accounts
             WHERE id = :wanted OR email = lower(:wanted) OR email LIKE :part OR lower(name) LIKE :part
             ORDER BY created_at, id LIMIT :most) AS found
     ORDER BY created_at, id
""")

# Running games are looked up by the indexes of due games and of those that wait for somebody.
_STUCK = text("""
    SELECT tables.id, tables.kind, progress.last_at, progress.turn, progress.turn_account,
           accounts.email IS NOT NULL AND accounts.mail_stopped_at IS NULL AS reachable,
           accounts.suspended_at IS NOT NULL AS suspended, tables.clock IS NOT NULL AS has_clock, progress.clock_due_at
      FROM (SELECT game, last_at, turn, turn_account, clock_due_at FROM progress
             WHERE (clock_due_at IS NOT NULL OR turn_account IS NOT NULL) AND status = 'running' AND last_at <= :before
             ORDER BY last_at, game LIMIT :most) AS progress
      JOIN tables ON tables.key = progress.game
      LEFT JOIN accounts ON accounts.id = progress.turn_account
     ORDER BY progress.last_at, tables.key
""")


def find_accounts(session: Session, wanted: str) -> list[FoundAccount]:
    """Return the accounts with this id, or with this text in their address or name, oldest first."""
    escaped = wanted.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    rows = session.execute(_ACCOUNTS, {"wanted": wanted, "part": f"%{escaped}%", "most": MOST})
    return [FoundAccount._make(row) for row in rows]


def stuck_games(session: Session, before: datetime) -> list[StuckGame]:
    """Return the running games whose last entry was made before a time, the longest waiting first."""
    return [StuckGame._make(row) for row in session.execute(_STUCK, {"before": before, "most": MOST})]
