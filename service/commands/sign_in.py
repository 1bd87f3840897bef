"""Sign people in: mail a code to an address, and exchange it for an access token."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete
from sqlalchemy.orm import Session

from service.access import secrets, tokens
from service.access.address_hash import address_hashes
from service.commands import codes, suspensions
from service.commands.reachability import resume
from service.errors import NotFound
from service.ids import new_id
from service.store import accounts
from service.store.accounts import Account, Token

MOST_TOKENS = 200
"""The most tokens an account has. A new one replaces the oldest, so whoever can read the mail can always sign in."""


@dataclass(frozen=True)
class SignedIn:
    """A new access token and its account. Only `text` holds the token itself: the database stores its hash."""

    text: str
    token: Token
    account: Account


def send_code(session: Session, email: str, language: str, now: datetime) -> None:
    """Mail a sign-in code to a normalized address. Codes sent before stay valid.

    The mail is in the account's language, or in `language` if there is no account. It is queued whether or not the
    address has an account or has unsubscribed; the worker checks that list before it sends.
    """
    codes.mail(session, codes.make(session, accounts.SIGN_IN, email, None, language, now))


def redeem(
    session: Session,
    keys: secrets.Keys,
    *,
    email: str,
    code: str,
    name: str | None,
    language: str | None,
    label: str | None,
    lifetime: timedelta | None,
    now: datetime,
) -> SignedIn | None:
    """Exchange a sign-in code for an access token, and create the account if the address has none.

    Args:
        session: the transaction.
        keys: the keys that codes are derived from.
        email: the normalized address.
        code: the code as it was typed.
        name: the name of a new account; an existing account keeps its own.
        language: the language of a new account; an existing account keeps its own.
        label: the owner's name for the token.
        lifetime: how long the token is valid; None until it is revoked.
        now: the time of the request.

    Returns:
        None if the code is not a valid code of this address.

    Raises:
        Forbidden: `account_suspended`, the account may not sign in.
    """
    accounts.hold_account(session, email, to_change=True)  # locked before its codes, as everywhere
    standing = accounts.lock_standing_codes(session, accounts.SIGN_IN, email=email, now=now)
    if codes.use(standing, keys, code, now) is None:
        return None
    account = accounts.ensure_account(session, email, name=name, language=language, now=now)
    if account.suspended_at is not None:
        raise suspensions.suspended()
    resume(session, account, address_hashes(keys, email))
    text = tokens.new_token()
    token = Token(
        id=new_id(),
        account=account.id,
        hash=tokens.hash_of(text),
        label=label,
        created_at=now,
        expires_at=now + lifetime if lifetime else None,
    )
    session.add(token)
    session.flush()
    accounts.revoke_oldest(session, account.id, MOST_TOKENS)
    return SignedIn(text, token, account)


def revoke_all(session: Session, account: str) -> int:
    """Delete all access tokens of this account and return how many; whoever holds one is signed out."""
    return len(session.scalars(delete(Token).where(Token.account == account).returning(Token.id)).all())


def revoke(session: Session, account: str, token_id: str) -> None:
    """Delete an access token of this account; whoever holds it is signed out.

    Raises:
        NotFound: `token_unknown`, the account has no such token.
    """
    mine = delete(Token).where(Token.id == token_id, Token.account == account).returning(Token.id)
    if session.scalar(mine) is None:
        raise NotFound("token_unknown", "You have no token with this id.")
