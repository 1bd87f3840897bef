"""Renew the address of an account's calendar."""

from sqlalchemy import update
from sqlalchemy.orm import Session

from service.errors import Unauthorized
from service.store.accounts import Account


def renew(session: Session, account: str) -> int:
    """Make the account's calendar link invalid, and return the number of the next one."""
    counted = update(Account).where(Account.id == account, Account.erased_at.is_(None))
    number: int | None = session.scalar(
        counted.values(calendar_link=Account.calendar_link + 1).returning(Account.calendar_link)
    )
    if number is None:
        raise Unauthorized("account_gone", "The account was deleted.")
    return number
