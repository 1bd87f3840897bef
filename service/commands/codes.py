"""Codes that are mailed to an address and typed in to show that it is one's own."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from service.access import secrets
from service.ids import new_id
from service.store.accounts import SIGN_IN, Code
from service.store.queue import defer

LIFETIME = timedelta(minutes=15)


def make(
    session: Session,
    purpose: str,
    email: str,
    account: str | None,
    language: str,
    now: datetime,
    lifetime: timedelta = LIFETIME,
) -> Code:
    """Stores a code for this purpose and normalised address, good for so long from now. It is not mailed yet.

    `language` is that of the mail to somebody who has no account yet.
    """
    code = Code(
        id=new_id(),
        purpose=purpose,
        email=email,
        account=account,
        created_at=now,
        expires_at=now + lifetime,
        language=language,
    )
    session.add(code)
    session.flush()
    return code


def mail(session: Session, code: Code) -> None:
    """Has a code mailed to its address."""
    defer(session, "mail_code", {"code": code.id})


def tell_about(session: Session, email: str, language: str, now: datetime, lifetime: timedelta) -> None:
    """Has an address, normalised, told what this service is. It is kept as a code that is used up from the start, and so
    good for nothing else, until the mail has left or the lifetime is over."""
    kept = make(session, SIGN_IN, email, None, language, now, lifetime)
    kept.used_at = now
    session.flush()
    defer(session, "mail_about", {"code": kept.id}, queueing_lock=f"about:{kept.id}")


def use(standing: Sequence[Code], keys: secrets.Keys, typed: str, now: datetime) -> Code | None:
    """The one of these locked codes that was typed, now used up, or None. A wrong one does them no harm: whoever types it
    may be a stranger (`service.commands.code_limits`)."""
    for code in standing:
        if secrets.is_code(keys, code.purpose, code.id, typed):
            code.used_at = now
            return code
    return None
