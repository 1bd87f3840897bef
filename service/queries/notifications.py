"""What somebody wishes of mail, as it stands."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from service.store.accounts import Account
from service.store.wishes import AT_ONCE, AUTO, DIGEST_HOUR, SHORT, Notifications


class OwnNotifications(NamedTuple):
    """An account's wishes by kind, the hour and zone of its digest, and when the next one comes (None: none does)."""

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


def own_notifications(session: Session, account: str) -> OwnNotifications:
    """The wishes of this account, which must be there."""
    zone = session.get_one(Account, account).zone
    row = session.get(Notifications, account)
    if row is None:
        return OwnNotifications(AT_ONCE, AT_ONCE, AT_ONCE, AT_ONCE, SHORT, True, AUTO, DIGEST_HOUR, zone, None)
    return OwnNotifications(
        row.turn_mail,
        row.end_mail,
        row.closed_mail,
        row.invitation_mail,
        row.answer_mail,
        row.hints,
        row.http_commands,
        row.digest_hour,
        zone,
        row.digest_due_at,
    )
