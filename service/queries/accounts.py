"""What people can see of their own account."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import or_, select, tuple_
from sqlalchemy.orm import Session

from service.store.accounts import EMAIL_CHANGE, Token
from service.store.callers import Caller, Known, by_caller
from service.store.straight import Statements, statements


class OwnAccount(NamedTuple):
    """An account as its owner sees it; ``pending_email`` is an address that waits for its code, ``mail_stopped_at`` since
    when mails are not sent, as they came back, the last with the status ``mail_stopped_because``."""

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
    """Return the caller's account, None for nobody."""
    row = statements(store).read(_OWN[type(caller)], caller.arguments())
    return None if row[0] is None else OwnAccount._make(row)


def own_account(session: Session, account_id: str, now: datetime) -> OwnAccount:
    """Return the account with this id, which must be there."""
    account = account_of(session, Known(account_id, now))
    assert account is not None, f"there is no account {account_id}"
    return account


def tokens(
    session: Session, account_id: str, now: datetime, *, limit: int, after: tuple[datetime, str] | None = None
) -> list[Token]:
    """At most ``limit`` unexpired tokens of an account, newest first, behind the one made at ``after`` (time, id)."""
    query = select(Token).where(Token.account == account_id, or_(Token.expires_at.is_(None), Token.expires_at > now))
    if after is not None:
        query = query.where(tuple_(Token.created_at, Token.id) < after)
    return list(session.scalars(query.order_by(Token.created_at.desc(), Token.id.desc()).limit(limit)))
