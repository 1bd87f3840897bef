"""Signed links for the mails, which people open without signing in.

A link says who may look (a table's page) or whose choice it is (never mail again, no more of one kind of mail);
following one changes nothing. The signature stands in the query, which access logs leave out, and pages send no
Referer. Links have no end: a table's link stops working with the account's seat, the others have to work for as long as
the mail is kept.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

from service.access.secrets import Keys, link, unlink
from service.config import Settings

_TABLE = "table"
_NEVER_MAIL = "never-mail"
_UNSUBSCRIBE = "unsubscribe"
_RECORD = "record"


class Reader(NamedTuple):
    """Whom a link to a table was given to, and which table it shows."""

    account: str
    table: str


class Unwanted(NamedTuple):
    """What a link to unsubscribe speaks for: an account's mails of a kind, about one table or (None) about any."""

    account: str
    table: str | None
    kind: str


def table_link(settings: Settings, account: str, table: str) -> str:
    """The URL at which this account sees this table's page."""
    signed = link(settings.secret_keys, _TABLE, [account, table])
    return f"{settings.base_url}/games/{table}?{urlencode({'link': signed})}"


def reader_of(keys: Keys, signed: str) -> Reader | None:
    """What the `link` of a table's URL says; None when it is not one of ours."""
    match unlink(keys, _TABLE, signed):
        case [str(account), str(table)]:
            return Reader(account, table)
        case _:
            return None


def record_link(settings: Settings, game: str) -> str:
    """The URL at which anybody who has it gets the record of this game once it is over."""
    signed = link(settings.secret_keys, _RECORD, game)
    return f"{settings.base_url}/games/{game}/record?{urlencode({'link': signed})}"


def recorded_game(keys: Keys, signed: str) -> str | None:
    """The game whose record the `link` of a record's URL gives; None when it is not one of ours."""
    match unlink(keys, _RECORD, signed):
        case str(game):
            return game
        case _:
            return None


def never_mail_link(settings: Settings, address: str) -> str:
    """The URL at which the owner of this address may ask for no more mail, or take that back."""
    signed = link(settings.secret_keys, _NEVER_MAIL, address)
    return f"{settings.base_url}/never-mail?{urlencode({'link': signed})}"


def address_of(keys: Keys, signed: str) -> str | None:
    """The address that the `link` of a never-mail URL speaks for; None when it is not one of ours."""
    match unlink(keys, _NEVER_MAIL, signed):
        case str(address):
            return address
        case _:
            return None


def rules_page(base_url: str, language: str) -> str:
    """The URL of the rules in a language; it is no secret."""
    return f"{base_url}/rules?{urlencode({'language': language})}"


def programs_page(base_url: str, language: str, table: str | None = None) -> str:
    """The URL of the page that tells how programs sign in, and (with `table`) answer an invitation; it is no secret."""
    return f"{base_url}/programs?{urlencode({'language': language} | ({} if table is None else {'table': table}))}"


def unsubscribe_link(settings: Settings, account: str, table: str | None, kind: str) -> str:
    """The URL at which this account may ask for no more mails of a kind, about this table or (None) at all.

    It stands in a mail's List-Unsubscribe too, so it is ASCII, and a program may POST to it (RFC 8058).
    """
    signed = link(settings.secret_keys, _UNSUBSCRIBE, [account, table, kind])
    return f"{settings.base_url}/unsubscribe?{urlencode({'link': signed})}"


def unsubscribe_of(keys: Keys, signed: str) -> Unwanted | None:
    """What the `link` of an unsubscribe URL speaks for; None when it is not one of ours."""
    match unlink(keys, _UNSUBSCRIBE, signed):
        case [str(account), str() | None as table, str(kind)]:
            return Unwanted(account, table, kind)
        case _:
            return None
