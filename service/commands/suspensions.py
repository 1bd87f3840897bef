"""Suspend accounts, which then can do nothing by HTTP or by mail until they are unsuspended.

A suspended account keeps its seats, its access tokens and its mails. The clocks of its games go on.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from engine.phrases import Phrase, phrase
from service.errors import Forbidden
from service.store.accounts import Account, Token
from service.store.mail_outcome import REFUSED, Line

CODE = "account_suspended"
_WHY = Phrase("This account is suspended, so it can do nothing here. Ask whoever runs this service.")


def why(contact: str | None) -> Phrase:
    """Return why a suspended account can do nothing, and whom to ask: `Settings.contact`, if there is one."""
    if contact is None:
        return _WHY
    return phrase(
        "This account is suspended, so it can do nothing here. Ask those who run this service: %(contact)s",
        contact=contact,
    )


def refused_line(contact: str | None) -> Line:
    """Return the result of a mail from a suspended account; `contact` is as for `why`."""
    return Line("", REFUSED, code=CODE, why=why(contact))


def suspended(contact: str | None = None) -> Forbidden:
    """Return the refusal of every request of a suspended account; `contact` is as for `why`."""
    return Forbidden(CODE, why(contact))


def is_suspended(session: Session, account: str) -> bool:
    """Return whether the account with this id is suspended."""
    return session.scalar(select(Account.suspended_at).where(Account.id == account)) is not None


def suspend(session: Session, account: str, now: datetime) -> bool:
    """Suspend an account from now on, and return False if it was suspended already."""
    return _set(session, account, now)


def unsuspend(session: Session, account: str) -> bool:
    """Let an account act again, with the tokens that it has, and return False if it was not suspended."""
    return _set(session, account, None)


def _set(session: Session, account: str, at: datetime | None) -> bool:
    # The lock orders this against a sign-in, which holds the account until its new token is there.
    row = session.scalars(select(Account).where(Account.id == account).with_for_update(key_share=True)).one()
    if (row.suspended_at is None) == (at is None):
        return False
    row.suspended_at = at
    session.execute(update(Token).where(Token.account == account).values(suspended=at is not None))
    session.flush()
    return True
