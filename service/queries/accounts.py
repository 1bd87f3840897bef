"""Read an account as its owner sees it."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import select, tuple_
from sqlalchemy.orm import Session

from service.store.accounts import EMAIL_CHANGE, Token
from service.store.autocommit_pool import Statements, statements
from service.store.callers import Caller, KnownAccount, by_caller, valid_at


class OwnAccount(NamedTuple):
    """An account as its owner sees it.

    Attributes:
        id: the account's id.
        email: its address; None once it is erased.
        name: its name, or None.
        language: the code of its language.
        created_at: when it was created.
        pending_email: a new address that waits for its code, or None.
        mail_stopped_at: since when no mail is sent because mails came back, or None.
        mail_stopped_because: the status that the last mail came back with, or None.
    """

    id: str
    email: str | None
    name: str | None
    language: str
    created_at: datetime
    pending_email: str | None
    mail_stopped_at: datetime | None
    mail_stopped_because: str | None


_OWN = by_caller(f"""
SELECT accounts.id, accounts.email, accounts.name, accounts.language, accounts.created_at,
       (SELECT codes.email FROM codes
         WHERE codes.account = accounts.id AND purpose = '{EMAIL_CHANGE}' AND used_at IS NULL
           AND codes.expires_at > %(now)s
         ORDER BY codes.created_at DESC, codes.id LIMIT 1),
       accounts.mail_stopped_at, accounts.mail_stopped_because
  FROM {{caller}} LEFT JOIN accounts ON accounts.id = caller.account
""")


def account_of(store: Session | Statements, caller: Caller) -> OwnAccount | None:
    """Return the caller's account, or None for an anonymous caller."""
    row = statements(store).read(_OWN[type(caller)], caller.arguments())
    return None if row[0] is None else OwnAccount._make(row)


def own_account(session: Session, account_id: str, now: datetime) -> OwnAccount:
    """Return the account with this id, which must exist."""
    account = account_of(session, KnownAccount(account_id, now))
    assert account is not None, f"there is no account {account_id}"
    return account


def tokens(
    session: Session, account_id: str, now: datetime, *, limit: int, after: tuple[datetime, str] | None = None
) -> list[Token]:
    """Return at most `limit` unexpired tokens of an account, newest first, after the one with time and id `after`."""
    query = select(Token).where(Token.account == account_id, valid_at(now))
    if after is not None:
        query = query.where(tuple_(Token.created_at, Token.id) < after)
    return list(session.scalars(query.order_by(Token.created_at.desc(), Token.id.desc()).limit(limit)))
