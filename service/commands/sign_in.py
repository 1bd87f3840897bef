"""Sign people in: mail a code to an address, and exchange it for an access token or the session of a browser."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.access import secrets, tokens
from service.access.address_hash import address_hashes
from service.commands import codes, suspensions
from service.commands.reachability import resume
from service.errors import NotFound
from service.ids import new_id
from service.store import accounts
from service.store.accounts import Account, Code, Token

MOST_TOKENS = 200
"""The most tokens of a kind that an account has.

A new one replaces the oldest, so whoever can read the mail can always sign in.
"""

WRONG_CODE = Phrase("This code is wrong, used or expired. Use the newest code, or ask for another.")
"""The refusal of a sign-in code, the same whatever is wrong with it."""


@dataclass(frozen=True)
class SignedIn:
    """A new access token or session, and its account. Only `text` holds the secret: the database stores its hash."""

    text: str
    token: Token
    account: Account


def send_code(session: Session, email: str, language: str, now: datetime, browser: bytes | None = None) -> None:
    """Mail a sign-in code to a normalized address. Codes sent before stay valid.

    The mail is in the account's language, or in `language` if there is no account. It is queued whether or not the
    address has an account or has unsubscribed; the worker checks that list before it sends. With the hash of a
    browser's secret, the mail also has a link that signs that browser in.
    """
    codes.mail(session, codes.make(session, accounts.SIGN_IN, email, None, language, now, browser=browser))


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
    kind: str = accounts.TOKEN,
    secret: str | None = None,
    contact: str | None = None,
) -> SignedIn | None:
    """Exchange a sign-in code for a token, creating the account if the address has none.

    Args:
        session: the transaction.
        keys: the secret keys.
        email: the normalized address.
        code: the code as it was typed.
        name: the name of a new account; an existing account keeps its own.
        language: the language of a new account; an existing account keeps its own.
        label: the owner's name for the token.
        lifetime: how long the token is valid; None until it is revoked.
        now: the time of the request.
        kind: what to make: an access token or the session of a browser.
        contact: whom a suspended account is told to ask (`Settings.contact`).
        secret: the text of the new token or session; None: a new one.

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
    return _signed_in(session, keys, account, kind, label, lifetime, now, contact, secret)


def waiting_code(session: Session, id: str, browser: bytes, now: datetime) -> Code | None:
    """Return the valid sign-in code with this id if this browser has asked for it (the hash of its secret), or None."""
    code = session.get(Code, id, populate_existing=True)
    if code is None or code.purpose != accounts.SIGN_IN or code.browser != browser:
        return None
    return code if code.used_at is None and code.expires_at > now else None


def confirm(
    session: Session,
    keys: secrets.Keys,
    *,
    id: str,
    browser: bytes,
    name: str | None,
    label: str | None,
    lifetime: timedelta,
    now: datetime,
    secret: str,
    contact: str | None = None,
) -> SignedIn | None:
    """Sign in the browser that asked for a code, by the link in its mail; the arguments are like those of `redeem`.

    A new account gets the language in which the code was asked for.

    Returns:
        None if this browser has not asked for the code, or if it is not valid any more.

    Raises:
        Forbidden: `account_suspended`, the account may not sign in.
    """
    code = waiting_code(session, id, browser, now)
    if code is None:
        return None
    email = code.email
    accounts.hold_account(session, email, to_change=True)
    standing = accounts.lock_standing_codes(session, accounts.SIGN_IN, email=email, now=now)
    if code not in standing:
        return None
    code.used_at = now
    account = accounts.ensure_account(session, email, name=name, language=code.language, now=now)
    return _signed_in(session, keys, account, accounts.SESSION, label, lifetime, now, contact, secret)


def _signed_in(
    session: Session,
    keys: secrets.Keys,
    account: Account,
    kind: str,
    label: str | None,
    lifetime: timedelta | None,
    now: datetime,
    contact: str | None,
    secret: str | None,
) -> SignedIn:
    if account.suspended_at is not None:
        raise suspensions.suspended(contact)
    assert account.email is not None, "it was signed in by its address"
    resume(session, account, address_hashes(keys, account.email))
    text = secret or tokens.new_token()
    token = Token(
        id=new_id(),
        account=account.id,
        hash=tokens.hash_of(text) if kind == accounts.TOKEN else tokens.session_hash_of(text),
        label=label,
        created_at=now,
        expires_at=now + lifetime if lifetime else None,
        kind=kind,
    )
    session.add(token)
    session.flush()
    accounts.revoke_oldest(session, account.id, kind, MOST_TOKENS)
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
