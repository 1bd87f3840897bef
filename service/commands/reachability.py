"""Stop mail to an account whose mail came back too often, and resume it when the address is shown to work.

Everybody at the account's tables sees whether mail reaches it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.store import bounces, epoch, events, never_mail
from service.store.accounts import Account

# Everybody who looks at a table sees its players, so the account's tables get a new revision. The rows are locked in
# the order of `service.store.unit`, and no key of theirs changes.
_BUMP_REVISIONS = text(f"""
    WITH mine AS (
        SELECT key FROM tables
         WHERE key IN (SELECT game FROM seats WHERE account = :account AND game >= :first AND game < :after)
         ORDER BY key FOR NO KEY UPDATE
    ), changed AS (
        UPDATE tables SET revision = {epoch.NEXT_REVISION} FROM mine WHERE tables.key = mine.key RETURNING tables.key
    )
    INSERT INTO new_events (game, kind) SELECT key, 'change' FROM changed
""")


ALL_KEYS = range(2**31 - 1)
"""The keys that tables can have."""


def bump_revisions(session: Session, account: str, keys: range = ALL_KEYS) -> None:
    """Give the tables of an account with these keys a new revision, because what they show about it has changed."""
    session.execute(_BUMP_REVISIONS, {"account": account, "first": keys.start, "after": keys.stop})
    events.announce_after_commit(session)


def stop(session: Session, account: Account, because: str, now: datetime) -> None:
    """Stop all mail to a locked account except codes; `because` is the status that the last mail came back with."""
    if account.mail_stopped_at is None:
        account.mail_stopped_at, account.mail_stopped_because = now, because
        session.flush()
        bump_revisions(session, account.id)


def resume(session: Session, account: Account, hashes: Sequence[bytes]) -> None:
    """Resume mail to a locked account, because a code from its address came back; `hashes` are those of the address.

    Earlier bounces no longer count, and an address that had unsubscribed is removed from that list.
    """
    bounces.forget(session, hashes)
    never_mail.remove(session, hashes)
    if account.mail_stopped_at is not None:
        account.mail_stopped_at, account.mail_stopped_because = None, None
        session.flush()
        bump_revisions(session, account.id)
