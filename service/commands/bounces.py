"""What follows when a mail comes back: the ledger says so, and after some that failed for good mail to that address stops."""

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
from service.store.deliveries import Sent

MOST = 3
"""Mails that come back for good, on as many days within 30, after which an address gets no more."""

OF_NOBODY, UNKNOWN, NOTED, COUNTED, STOPPED = "of_nobody", "unknown", "noted", "counted", "stopped"
"""What can follow: it came to no return path, so anybody may have made it up; it is about no mail that is known, or did not
fail; the ledger has it; it also counts against the address; and it was one too many."""


def record(session: Session, keys: Keys, bounce: Bounce, now: datetime) -> str:
    """Take note of a mail that came back; says what followed. The same report twice counts once.

    The mail is found by the return path that the report came to, which nobody can make up; a report that came to another
    address changes nothing.
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


def count(session: Session, keys: Keys, mail: Sent, status: str, now: datetime) -> str:
    """A mail failed for good, because of the address that it went to: that counts against the address, as long as the
    account has it; says what followed."""
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
        return NOTED  # the account has another address by now
    if bounces.add(session, hashes, mail.key, status, now) < MOST:
        return COUNTED
    reachability.stop(session, account, status, now)
    return STOPPED
