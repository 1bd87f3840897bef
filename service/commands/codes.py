"""Mail codes that prove, when they are typed in, that somebody reads mail at an address."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from service.access import secrets
from service.ids import new_id
from service.store import mail_kinds
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
    browser: bytes | None = None,
) -> Code:
    """Store a code for this purpose and normalized address, without mailing it yet.

    Args:
        session: the transaction.
        purpose: what the code is good for.
        email: the normalized address.
        account: the account that requests it, or None.
        language: the language of the mail to somebody who has no account yet.
        now: the time of the request.
        lifetime: how long the code is valid.
        browser: the hash of the secret of the browser that asks; None: no browser does.
    """
    code = Code(
        id=new_id(),
        purpose=purpose,
        email=email,
        account=account,
        created_at=now,
        expires_at=now + lifetime,
        language=language,
        browser=browser,
    )
    session.add(code)
    session.flush()
    return code


def mail(session: Session, code: Code) -> None:
    """Queue a mail that sends a code to its address."""
    defer(session, "mail_code", {"code": code.id})


def tell_about(session: Session, email: str, language: str, now: datetime, lifetime: timedelta) -> None:
    """Queue a mail that tells a normalized address what this service is.

    The address is stored as a code that is already used, and so good for nothing else, until the mail has been sent or
    the lifetime is over.
    """
    kept = make(session, SIGN_IN, email, None, language, now, lifetime)
    kept.used_at = now
    defer(session, "mail_about", {"code": kept.id}, queueing_lock=mail_kinds.ABOUT.lock(code=kept.id))


def use(standing: Sequence[Code], keys: secrets.Keys, typed: str, now: datetime) -> Code | None:
    """Mark the code that was typed as used and return it, or return None.

    `standing` are locked codes. A wrong try leaves them valid, because a stranger may have made it
    (`service.commands.code_limits`).
    """
    for code in standing:
        if secrets.is_code(keys, code.purpose, code.id, typed):
            code.used_at = now
            return code
    return None
