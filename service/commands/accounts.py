"""Change, move and delete accounts."""

from datetime import datetime
from typing import Any

from sqlalchemy import delete, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from service.access.address_hash import address_hashes
from service.access.secrets import Keys
from service.commands import codes
from service.commands.code_limits import CodeLimits
from service.commands.erasure import leave_everything
from service.commands.reachability import bump_revisions, resume
from service.errors import Unauthorized
from service.store import (
    accounts,
    blocks,
    bounces,
    deliveries,
    delivery_preferences,
    events,
    idempotency,
    reminders,
    response_erasure,
    schedules,
    talk,
)
from service.store.accounts import Account, Code, FormerAddress, Token
from service.store.invitations import Invitation
from service.store.queue import defer


def change(
    session: Session, account_id: str, changes: dict[str, Any], now: datetime, limits: CodeLimits | None = None
) -> None:
    """Change what `changes` names: `name` (or None), `language`, `email` (normalized).

    An email address is not changed at once: a code is mailed to it, to be given to `confirm_email`. An address that
    belongs to another account receives no mail, and nothing else reveals that the account exists. Giving the account's
    own address cancels a change that is waiting for its code, and counts toward no limit.
    """
    account = _locked(session, account_id, key_changes=False)
    if "name" in changes and changes["name"] != account.name:
        account.name = changes["name"]
        bump_revisions(session, account_id)
    account.language = changes.get("language", account.language)
    if "email" in changes:
        if limits is not None and changes["email"] != account.email:
            limits.change_address(session, account_id, changes["email"])
        _ask_to_confirm(session, account, changes["email"], now)
    session.flush()


def _ask_to_confirm(session: Session, account: Account, email: str, now: datetime) -> None:
    _drop_changes(session, account.id, now, but=email)
    if email == account.email:
        return
    code = codes.make(session, accounts.EMAIL_CHANGE, email, account.id, account.language, now)
    if accounts.account_by_email(session, email) is None:
        codes.mail(session, code)


def _drop_changes(session: Session, account_id: str, now: datetime, *, but: str | None = None) -> None:
    """Expire the codes that are waiting to be confirmed, except those sent to the address `but`."""
    waiting = update(Code).where(
        Code.account == account_id, Code.used_at.is_(None), Code.expires_at > now, Code.email.is_distinct_from(but)
    )
    session.execute(waiting.values(expires_at=now))


def confirm_email(session: Session, keys: Keys, account_id: str, code: str, *, now: datetime) -> bool:
    """Move the account to the address that this code was mailed to, and notify the old address.

    Returns:
        False if the code is not a valid code of this account, or if the address now belongs to another account.
    """
    account = _locked(session, account_id, key_changes=True)
    standing = accounts.lock_standing_codes(session, accounts.EMAIL_CHANGE, account=account_id, now=now)
    used = codes.use(standing, keys, code, now)
    if used is None or not _move(session, keys, account, used, now):
        return False
    _drop_changes(session, account_id, now)
    defer(session, "mail_address_changed", {"code": used.id})
    return True


def _move(session: Session, keys: Keys, account: Account, code: Code, now: datetime) -> bool:
    session.flush()
    former = account.email
    assert former is not None, "an erased account has no token to get here with"
    try:
        with session.begin_nested():
            account.email = code.email
    except IntegrityError:
        return False
    resume(session, account, address_hashes(keys, code.email))
    code.former_email = former
    session.merge(FormerAddress(account=account.id, email=former, until=now))
    session.flush()
    return True


def delete_account(session: Session, keys: Keys, account_id: str, now: datetime) -> None:
    """Erase a person: leave all tables, and delete all personal data.

    That is the name, addresses, access tokens, codes, delivery preferences, quiet times, absences, notes, messages at
    tables, blocks, stored responses and stored mail. The account's id stays in the seats that it had, so that game
    records stay valid, and its messages leave gaps. The address can sign up again, as a new account.
    """
    account = _locked(session, account_id, key_changes=True)
    leave_everything(session, account_id, now)
    former = session.scalars(select(FormerAddress).where(FormerAddress.account == account_id)).all()
    own = [] if account.email is None else [(account.email, now)]  # a guest has none
    for email, until in (*own, *((one.email, one.until) for one in former)):
        _forget_address(session, keys, account_id, email, until)
    session.execute(delete(FormerAddress).where(FormerAddress.account == account_id))
    session.execute(update(Invitation).where(Invitation.account == account_id).values(account=None))
    session.execute(delete(Code).where(Code.account == account_id))
    session.execute(delete(Token).where(Token.account == account_id))
    idempotency.erase(session, account_id)
    delivery_preferences.forget(session, account_id)
    deliveries.forget(session, account_id)
    talk.erase(session, account_id)
    events.erase(session, account_id)
    schedules.forget(session, account_id)
    blocks.forget(session, account_id)
    reminders.forget(session, account_id)
    response_erasure.erase_player(session, account_id, account.name)
    account.email, account.name, account.erased_at, account.zone = None, None, now, "UTC"
    account.quiet, account.absences = None, None
    account.mail_stopped_at, account.mail_stopped_because = None, None
    session.flush()


def _forget_address(session: Session, keys: Keys, account_id: str, email: str, until: datetime) -> None:
    """Erase what is stored about an address up to `until`, the time at which the account gave it up.

    The address may belong to another account now.
    """
    bounces.forget(session, address_hashes(keys, email))
    session.execute(delete(Code).where(or_(Code.email == email, Code.former_email == email), Code.created_at <= until))
    session.execute(
        update(Invitation).where(Invitation.email == email, Invitation.created_at <= until).values(email=None)
    )
    ids: dict[str, int | str] = {
        "address_hash": address_hashes(keys, email)[0].hex(),
        "account": account_id,
        "until_ms": int(until.timestamp() * 1000),
    }
    defer(session, "forget_mail", ids)


def _locked(session: Session, account_id: str, *, key_changes: bool) -> Account:
    """Return the account, locked until the commit; only if its address, a key, changes, against those who refer to it.

    Raises:
        Unauthorized: its owner has deleted it since this request was authorized.
    """
    account = session.scalar(
        select(Account)
        .where(Account.id == account_id, Account.erased_at.is_(None))
        .with_for_update(key_share=not key_changes)
        .execution_options(populate_existing=True)
    )
    if account is None:
        raise Unauthorized("token_invalid", "This account was deleted.")
    return account
