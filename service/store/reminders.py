"""Store when players are to be reminded that their time runs out, and what was sent (CLOCKS.md 5)."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.store.purging import deleted

KEPT = timedelta(days=35)
"""The time that sent reminders are kept."""


class Reminder(NamedTuple):
    """A reminder of an account at a game, given by its table's key.

    `round` is the entry from which the points of the stretch count: the one that began the stretch, or the last one
    that gave time. `wait` is the number of the stretch, `which` the chosen point.
    """

    account: str
    game: int
    wait: int
    round: int
    which: str
    due_at: datetime


# The rows to change, to add and to delete are different ones, so their order makes no difference. One that is being
# sent is waited for.
_PLAN = text("""
    WITH planned AS (
        SELECT * FROM jsonb_to_recordset(CAST(:planned AS jsonb))
                   AS one (account text, wait smallint, round smallint, which text, due_at timestamptz)
    ), dropped AS (
        DELETE FROM reminders
         WHERE game = :game AND sent_at IS NULL
           AND NOT EXISTS (
               SELECT FROM planned WHERE planned.round = reminders.round AND planned.which = reminders.which
           )
    )
    INSERT INTO reminders AS kept (account, game, wait, round, which, due_at)
    SELECT account, :game, wait, round, which, due_at FROM planned
    ON CONFLICT (game, round, which) DO UPDATE
       SET account = excluded.account, wait = excluded.wait, due_at = excluded.due_at WHERE kept.sent_at IS NULL
""")


def plan(session: Session, game: int, planned: Sequence[Reminder]) -> None:
    """Replace the reminders of a game that were not sent. One that was sent in the same round stays sent."""
    rows = [{**reminder._asdict(), "due_at": reminder.due_at.isoformat()} for reminder in planned]
    session.execute(_PLAN, {"game": game, "planned": json.dumps(rows)})


_DUE = text("""
    SELECT DISTINCT ON (account) account FROM (
        SELECT account, due_at FROM reminders WHERE sent_at IS NULL AND due_at <= :now AND account <> ALL (:without)
           AND NOT EXISTS (SELECT FROM pending_outages WHERE pending_outages.game = reminders.game)
         ORDER BY due_at LIMIT :most
    ) AS due
""")


def due(session: Session, now: datetime, most: int, without: Collection[str] = ()) -> list[str]:
    """Return the accounts of the at most `most` reminders that are due first.

    The reminders of a game wait until it has been given all outages back.
    """
    return list(session.scalars(_DUE, {"now": now, "most": most, "without": list(without)}))


class OpenReminder(NamedTuple):
    """A reminder that was not sent, and the id of its table."""

    reminder: Reminder
    table: str


_OPEN = text("""
    SELECT account, game, wait, round, which, due_at, tables.id
      FROM reminders JOIN tables ON tables.key = reminders.game
     WHERE account = :account AND sent_at IS NULL AND due_at < :until
       AND NOT EXISTS (SELECT FROM pending_outages WHERE pending_outages.game = reminders.game)
     ORDER BY due_at, game, which
       FOR UPDATE OF reminders
""")


def open_until(session: Session, account: str, until: datetime) -> list[OpenReminder]:
    """Return the reminders of an account that are due before a time and not sent, locked until the commit."""
    rows = session.execute(_OPEN, {"account": account, "until": until})
    return [OpenReminder(Reminder(*row[:6]), row[6]) for row in rows]


_DROP_ONE = text("DELETE FROM reminders WHERE game = :game AND round = :round AND which = :which AND sent_at IS NULL")
_PUT_OFF = text("""
    UPDATE reminders SET due_at = :until WHERE game = :game AND round = :round AND which = :which AND sent_at IS NULL
""")


def drop(session: Session, stale: Sequence[Reminder]) -> None:
    """Delete reminders that were not sent."""
    if stale:
        session.execute(_DROP_ONE, [{"game": r.game, "round": r.round, "which": r.which} for r in stale])


def put_off(session: Session, held: Sequence[Reminder], until: datetime) -> None:
    """Move reminders that were not sent to another time."""
    if held:
        values = [{"until": until, "game": r.game, "round": r.round, "which": r.which} for r in held]
        session.execute(_PUT_OFF, values)


_MARK = text("""
    UPDATE reminders SET sent_at = :now WHERE game = :game AND round = :round AND which = :which AND sent_at IS NULL
""")


def mark_sent(session: Session, sent: Sequence[Reminder], now: datetime) -> None:
    """Record that reminders go out now, in one mail."""
    if sent:
        session.execute(_MARK, [{"now": now, "game": r.game, "round": r.round, "which": r.which} for r in sent])


_OF_MAIL = text("""
    SELECT tables.id, reminders.wait, reminders.which, reminders.due_at
      FROM reminders JOIN tables ON tables.key = reminders.game
     WHERE reminders.account = :account AND reminders.sent_at = :at ORDER BY reminders.due_at, tables.key, which
""")


class Sent(NamedTuple):
    """A reminder in a mail: the id of the table, the number of the stretch, the point, and when that was reached."""

    game: str
    wait: int
    which: str
    due_at: datetime


def of_mail(session: Session, account: str, at: datetime) -> list[Sent]:
    """Return the reminders that go out to an account in the mail of this time."""
    return [Sent(*row) for row in session.execute(_OF_MAIL, {"account": account, "at": at})]


_FORGET = text("DELETE FROM reminders WHERE account = :account")


def forget(session: Session, account: str) -> None:
    """Delete all reminders of an account."""
    session.execute(_FORGET, {"account": account})


_PURGE = text("""
    DELETE FROM reminders WHERE sent_at <= :past
       AND ctid = ANY (ARRAY(SELECT ctid FROM reminders WHERE sent_at <= :past LIMIT :most))
""")


def purge(session: Session, now: datetime, most: int) -> int:
    """Delete at most `most` reminders that were sent long ago, and return how many were deleted."""
    return deleted(session, _PURGE, past=now - KEPT, most=most)
