"""Signing in: a code mailed to an address, and the bearer token that it is changed for."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete
from sqlalchemy.orm import Session

from service.access import secrets, tokens
from service.access.address_hash import address_hashes
from service.commands import codes
from service.commands.reachability import resume
from service.errors import NotFound
from service.ids import new_id
from service.store import accounts
from service.store.accounts import Account, Token

MOST_TOKENS = 200
"""How many an account has at most. One more takes the place of the oldest: whoever can read the mail always gets in."""


@dataclass(frozen=True)
class SignedIn:
    """A token just made, and whose it is. ``text`` is known here only: the database has its hash."""

    text: str
    token: Token
    account: Account


def send_code(session: Session, email: str, language: str, now: datetime) -> None:
    """Has a sign-in code mailed to a normalised address, in the account's language or, without one, in this. Codes sent
    before stay good.

    It does the same whether or not the address has an account or asked never to be mailed; the worker looks at that
    list before it sends.
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
    """Changes a sign-in code for a token, and makes the account if the address has none.

    Args:
        email: normalised.
        code: as it was typed.
        name, language: for an account that is made now; one that is there keeps its own.
        label: what the owner calls the token.
        lifetime: of the token; None: until it is revoked.

    Returns:
        None if no code of this address that can still be used is the one typed.
    """
    accounts.hold_account(session, email, to_change=True)  # before its codes, as those who change or delete it do
    standing = accounts.lock_standing_codes(session, accounts.SIGN_IN, email=email, now=now)
    if codes.use(standing, keys, code, now) is None:
        return None
    account = accounts.ensure_account(session, email, name=name, language=language, now=now)
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


def revoke(session: Session, account: str, token_id: str) -> None:
    """Deletes a token of this account; whoever holds it is signed out.

    Raises:
        NotFound: ``token_unknown``, the account has no such token.
    """
    mine = delete(Token).where(Token.id == token_id, Token.account == account).returning(Token.id)
    if session.scalar(mine) is None:
        raise NotFound("token_unknown", "You have no token with this id.")
