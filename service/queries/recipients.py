"""Read to whom a mail goes, and how it is written for them."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Row, text
from sqlalchemy.orm import Session

from service.language.languages import Reader, language
from service.store.accounts import Account, account_by_email
from service.store.callers import VALID


class Recipient(NamedTuple):
    """The recipient of a mail, and how it is written.

    Attributes:
        address: the email address.
        name: the account's name, or None.
        account: the account's id; None for an address without an account.
        reader: the language and the time zone.
        hints: whether turn mails say where a tile would cover goals.
        over_http: whether mails say how to do what they are about by a program.
    """

    address: str
    name: str | None
    account: str | None
    reader: Reader = Reader()
    hints: bool = True
    over_http: bool = False


# Without a preference, mails say how to move by a program if the account has a valid access token, as programs have.
_PLAYER = text(f"""
    SELECT accounts.id, email, name, language, zone, coalesce(wish.hints, true) AS hints,
           CASE wish.http_commands WHEN 'on' THEN true WHEN 'off' THEN false
                ELSE EXISTS (SELECT FROM tokens WHERE tokens.account = accounts.id AND kind = 'token'
                                AND {VALID.format(now="now()")})
                END AS over_http
      FROM accounts LEFT JOIN notifications wish ON wish.account = accounts.id
     WHERE accounts.id = :account AND email IS NOT NULL
""")


def player(session: Session, account: str | None) -> Recipient | None:
    """Return the recipient for an account, or None if there is no such account or it was erased."""
    found = None if account is None else session.execute(_PLAYER, {"account": account}).first()
    return (
        None
        if found is None
        else Recipient(found.email, found.name, found.id, reader_for(found), found.hints, found.over_http)
    )


def addressee(session: Session, address: str, stranger: Reader) -> Recipient:
    """Return the recipient for an address; `stranger` is how somebody without an account is written to."""
    found = account_by_email(session, address)
    if found is None:
        return Recipient(address, None, None, stranger)
    return Recipient(address, found.name, found.id, reader_for(found))


def reader_for(account: Account | Row[Any]) -> Reader:
    """Return the language and time zone of an account."""
    return Reader(language(account.language), account.zone)
