"""Handle mail that came back: record it, and stop mail to an address after several permanent failures."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from service.access.address_hash import address_hashes
from service.access.secrets import Keys
from service.commands import reachability
from service.reading.bounces import FAILED, Bounce
from service.store import bounces, deliveries
from service.store.accounts import Account
from service.store.deliveries import SentMail

MOST = 3
"""The number of permanent failures, on as many days within 30, after which mail to the address stops."""

OF_NOBODY, UNKNOWN, NOTED, COUNTED, STOPPED = "of_nobody", "unknown", "noted", "counted", "stopped"
"""The possible results of a report.

- of_nobody: it came to no return path of ours, so anybody may have forged it.
- unknown: it is about an unknown mail, or not about a failure.
- noted: it was recorded.
- counted: it also counts against the address.
- stopped: it was one too many, so mail to the address stops.
"""


def record(session: Session, keys: Keys, bounce: Bounce, now: datetime) -> str:
    """Record a mail that came back, and return what followed. A repeated report counts once.

    The mail is identified by the return path that the report came to, which cannot be guessed. A report sent to any
    other address changes nothing.
    """
    if bounce.reference is None:
        return OF_NOBODY
    came_back = deliveries.sent(session, bounce.reference)
    if came_back is None or bounce.action != FAILED:
        return UNKNOWN
    reason = "came_back" if bounce.is_hard else "came_back_for_now"
    deliveries.bounce(session, came_back.key, reason, bounce.diagnostic or bounce.status, now)
    if not bounce.is_hard:
        return NOTED
    return count(session, keys, came_back, bounce.status, now)


def count(session: Session, keys: Keys, mail: SentMail, status: str, now: datetime) -> str:
    """Count a permanent failure against the address that the mail was sent to, and return what followed.

    It counts only while the account still has that address.
    """
    account = session.scalar(
        select(Account)
        .where(Account.id == mail.account, Account.erased_at.is_(None))
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )
    if account is None or account.email is None:
        return NOTED
    hashes = address_hashes(keys, account.email)
    if mail.address_hash not in hashes:
        return NOTED  # the account has changed its address
    if bounces.add(session, hashes, mail.key, status, now) < MOST:
        return COUNTED
    reachability.stop(session, account, status, now)
    return STOPPED
