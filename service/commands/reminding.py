"""Choose at which points to be reminded that time runs out, and send the reminders that are due (CLOCKS.md 5)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from engine import record
from engine.clock import durations
from service.clocks import quiet_times
from service.clocks.reminders import HALF
from service.queries.table import LoadedTable, load
from service.store import delivery_preferences, due_games, mail_kinds, reminders
from service.store.delivery_preferences import Notifications
from service.store.queue import defer
from service.store.reminders import Reminder

TOGETHER = timedelta(minutes=60)
"""Reminders that are due within this time after one that is sent go into the same mail (5.3)."""


def choose(session: Session, account: str, points: Sequence[str] | None, now: datetime) -> None:
    """Set the points at which an account is reminded; None sets the default ones.

    A point that was chosen before, in whatever spelling, keeps the time since which it counts (5.6). `points` are valid
    (`service.clocks.reminders.parse`).
    """
    row: Notifications = delivery_preferences.locked(session, account)
    former = {_point(which): since for which, since in delivery_preferences.reminder_points(session, account)}
    row.reminders = None
    if points is not None:
        row.reminders = [[which, record.stamp(former.get(_point(which), now))] for which in points]
    session.flush()
    due_games.touch(session, [game.key for game in due_games.of_account(session, account)], now)


def _point(which: str) -> timedelta | str:
    return which if which == HALF else durations.parse(which)


def send_due(session: Session, account: str, now: datetime) -> bool:
    """Queue the mail with an account's due reminders and those soon after; return whether there is one.

    A reminder whose stretch is over, or whose time has run out, is dropped. In quiet times all wait for their end.
    """
    found = reminders.open_until(session, account, now + TOGETHER)
    tables = {key: load(session, id) for key, id in {row.game: id for row, id in found}.items()}
    stale = [row for row, _ in found if not _stands(tables[row.game], row)]
    standing = [row for row, _ in found if row not in stale]
    reminders.drop(session, stale)
    if not standing or standing[0].due_at > now:
        return False
    ends = _quiet_until(tables, account, now)
    if ends is not None:
        reminders.put_off(session, [row for row in standing if row.due_at < ends], ends)
        return False
    reminders.mark_sent(session, standing, now)
    ids: dict[str, int | str] = {"account": account, "at": int(now.timestamp() * 1000)}
    defer(session, "mail_reminder", ids, queueing_lock=mail_kinds.REMINDER.lock(**ids))
    return True


def _stands(table: LoadedTable | None, row: Reminder) -> bool:
    """Return whether a reminder is still about the current stretch of its account, whose time has not run out."""
    clock = None if table is None else table.clock
    if table is None or clock is None or clock.stretch is None:
        return False
    stretch = clock.stretch
    return stretch.wait == row.wait and table.account_of(stretch.seat) == row.account and stretch.stage == "in_time"


def _quiet_until(tables: dict[int, LoadedTable | None], account: str, now: datetime) -> datetime | None:
    """Return the end of the account's current quiet time, or None if there is none."""
    for table in tables.values():
        seat = None if table is None else table.seat_of(account)
        if table is not None and seat is not None:
            schedule = table.seat_facts[seat].schedule
            begins, ends = next(quiet_times.quiet(schedule, now), (None, None))
            return ends if begins is not None and begins <= now else None
    return None
