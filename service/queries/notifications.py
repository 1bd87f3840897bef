"""Read what mail an account wants."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from service.store.callers import Caller, Known, by_caller
from service.store.straight import Statements, statements
from service.store.wishes import AT_ONCE, AUTO, DIGEST_HOUR, SHORT


class OwnNotifications(NamedTuple):
    """An account's delivery preferences, and when its next digest is due (None if none is)."""

    turn: str
    end: str
    closed: str
    invitation: str
    answer: str
    hints: bool
    http_commands: str
    digest_hour: int
    zone: str
    next_digest_at: datetime | None


_OWN = by_caller("""
SELECT accounts.zone, turn_mail, end_mail, closed_mail, invitation_mail, answer_mail, hints, http_commands, digest_hour,
       digest_due_at
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
        wishes = [AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, SHORT, True, AUTO, DIGEST_HOUR]
    return OwnNotifications._make((*wishes, zone, due))


def own_notifications(session: Session, account: str) -> OwnNotifications:
    """Return the preferences of this account, which must exist."""
    wishes = notifications_of(session, Known(account))
    assert wishes is not None, f"there is no account {account}"
    return wishes
