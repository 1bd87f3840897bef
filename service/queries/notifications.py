"""Read what mail an account wants."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from engine.clock.durations import parse, render
from service.clocks.reminders import DEFAULT, HALF
from service.queries.table_access import COLUMNS, JOINS, TableAccess
from service.store.autocommit_pool import Statements, statements
from service.store.callers import Caller, KnownAccount, by_caller
from service.store.delivery_preferences import AT_ONCE, AUTO, DIGEST_HOUR, SHORT


class OwnNotifications(NamedTuple):
    """An account's delivery preferences, and when its next digest is due (None if none is)."""

    turn: str
    end: str
    closed: str
    invitation: str
    reminder: str
    reminders: list[str]
    answer: str
    hints: bool
    http_commands: str
    digest_hour: int
    zone: str
    next_digest_at: datetime | None


_OWN = by_caller("""
SELECT accounts.zone, turn_mail, end_mail, closed_mail, invitation_mail, reminder_mail, reminders,
       answer_mail, hints,
       http_commands, digest_hour, digest_due_at
  FROM {caller}
  LEFT JOIN accounts ON accounts.id = caller.account
  LEFT JOIN notifications ON notifications.account = caller.account
""")


def notifications_of(store: Session | Statements, caller: Caller) -> OwnNotifications | None:
    """Return the caller's preferences, or None for an anonymous caller."""
    zone, *wishes, due = statements(store).read(_OWN[type(caller)], caller.arguments())
    if zone is None:
        return None
    if wishes[0] is None:
        wishes = [AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, None, SHORT, True, AUTO, DIGEST_HOUR]
    chosen = DEFAULT if wishes[5] is None else [which for which, _ in wishes[5]]
    wishes[5] = [which if which == HALF else render(parse(which)) for which in chosen]
    return OwnNotifications._make((*wishes, zone, due))


def own_notifications(session: Session, account: str) -> OwnNotifications:
    """Return the preferences of this account, which must exist."""
    wishes = notifications_of(session, KnownAccount(account))
    assert wishes is not None, f"there is no account {account}"
    return wishes


_OF_GAME = by_caller(f"""
SELECT {COLUMNS}, game_notifications.mail, game_notifications.answer, coalesce(listeners.muted, false)
  FROM {{caller}}{JOINS}
  LEFT JOIN game_notifications ON game_notifications.account = caller.account AND game_notifications.game = tables.key
  LEFT JOIN listeners ON listeners.account = caller.account AND listeners.game = tables.key
""")


class GameNotifications(NamedTuple):
    """An account's preferences for the mails of one game, and its access to the table.

    A preference of None follows the general one. It also says whether messages at the table are muted.
    """

    access: TableAccess
    mail: str | None
    answer: str | None
    is_muted: bool


def notifications_of_game(store: Session | Statements, caller: Caller, table: str) -> GameNotifications:
    """Return the caller's preferences for the mails of a game, given by its id."""
    row = statements(store).read(_OF_GAME[type(caller)], caller.arguments(table=table))
    return GameNotifications(TableAccess._make(row[:6]), *row[6:])
