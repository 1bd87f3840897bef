"""What people can see of their own account."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import or_, select, tuple_
from sqlalchemy.orm import Session

from service.store.accounts import EMAIL_CHANGE, Account, Code, Token


@dataclass(frozen=True)
class OwnAccount:
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


def own_account(session: Session, account_id: str, now: datetime) -> OwnAccount:
    """The account with this id, which must be there."""
    account = session.get_one(Account, account_id)
    pending = session.scalar(
        select(Code.email)
        .where(Code.account == account_id, Code.purpose == EMAIL_CHANGE, Code.used_at.is_(None), Code.expires_at > now)
        .order_by(Code.created_at.desc(), Code.id)
        .limit(1)
    )
    return OwnAccount(
        account.id,
        account.email,
        account.name,
        account.language,
        account.created_at,
        pending,
        account.mail_stopped_at,
        account.mail_stopped_because,
    )


def tokens(
    session: Session, account_id: str, now: datetime, *, limit: int, after: tuple[datetime, str] | None = None
) -> list[Token]:
    """At most ``limit`` unexpired tokens of an account, newest first, behind the one made at ``after`` (time, id)."""
    query = select(Token).where(Token.account == account_id, or_(Token.expires_at.is_(None), Token.expires_at > now))
    if after is not None:
        query = query.where(tuple_(Token.created_at, Token.id) < after)
    return list(session.scalars(query.order_by(Token.created_at.desc(), Token.id.desc()).limit(limit)))
