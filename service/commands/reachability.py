"""Whether mail reaches an account: it is stopped where it came back too often, and goes on once the address is shown to
work. Everybody at the account's tables sees it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.store import bounces, never_mail
from service.store.accounts import Account

#: Everyone who looks at a table sees its players, so the tables of the account get a new revision. The rows are locked
#: in order, so that two changes at once do not wait for each other.
_SHOW_ANEW = text("""
    WITH mine AS (
        SELECT key FROM tables WHERE key IN (SELECT game FROM seats WHERE account = :account) ORDER BY key FOR UPDATE
    )
    UPDATE tables SET revision = revision + 1 FROM mine WHERE tables.key = mine.key
""")


def show_anew(session: Session, account: str) -> None:
    """Gives all tables of an account a new revision, since what they show of it has changed."""
    session.execute(_SHOW_ANEW, {"account": account})


def stop(session: Session, account: Account, because: str, now: datetime) -> None:
    """No more mail but codes for this account, which is locked, `because` the last one came back with this status."""
    if account.mail_stopped_at is None:
        account.mail_stopped_at, account.mail_stopped_because = now, because
        session.flush()
        show_anew(session, account.id)


def resume(session: Session, account: Account, hashes: Sequence[bytes]) -> None:
    """Mail for this account, which is locked, goes on: a code came back from its address, which has these hashes.

    What came back before counts no more, and an address that wanted no mail has taken that back.
    """
    bounces.forget(session, hashes)
    never_mail.remove(session, hashes)
    if account.mail_stopped_at is not None:
        account.mail_stopped_at, account.mail_stopped_because = None, None
        session.flush()
        show_anew(session, account.id)
