"""Sign the links in mails, which people open without signing in.

A link shows who may look (a table's page, a calendar), who may make one move, or whose choice it is (no mail at all, or
none of one kind). Following a link changes nothing. The signature is in the query, which access logs leave out, and the
pages send no Referer. Links do not expire: a table's link stops working with the account's seat, a calendar's when it
is renewed, and the others must work as long as the mail is kept. A link to move is good for one state of one game; once
that is over, it shows what a table's link shows.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, urlencode

from service.access.secrets import Keys, link, unlink
from service.config import Settings

_TABLE = "table"
_MOVE = "move"
_CONFIRM = "confirm"
_NEVER_MAIL = "never-mail"
_SIGN_IN = "sign-in"
_SIGNING_IN = "signing-in"
_UNSUBSCRIBE = "unsubscribe"
_RECORD = "record"
_IMPORT = "import"
_CALENDAR = "calendar"
_INVITATION = "invitation"

# A page that follows its table is asked for with the same link again and again. What a text says follows from it and
# the keys alone. A request line bounds the texts: they take a few megabytes at most.
_verified_once = lru_cache(maxsize=1024)


class TableLink(NamedTuple):
    """The account that a link to a table was given to, and the table that it shows."""

    account: str
    table: str


class MoveLink(NamedTuple):
    """The wait that a link to move is bound to.

    Attributes:
        account: the account to move.
        table: the table.
        version: the version of the game at which the link was made.
        head: the head of the log at that version (`LoadedTable.head`), which a restore may have undone.
    """

    account: str
    table: str
    version: int
    head: str


class CalendarLink(NamedTuple):
    """The account whose calendar a link shows, and the number of the link; a renewed link has the next number."""

    account: str
    number: int


class UnsubscribeLink(NamedTuple):
    """The mails that an unsubscribe link stops: those of a kind to an account, about one table or (None) about any."""

    account: str
    table: str | None
    kind: str


def table_link(settings: Settings, account: str, table: str) -> str:
    """Return the URL at which this account sees this table's page."""
    return _page(settings, table, table_text(settings.secret_keys, account, table))


def table_text(keys: Keys, account: str, table: str) -> str:
    """Return the `link` of the URL at which this account sees this table's page."""
    return link(keys, _TABLE, [account, table])


def move_link(settings: Settings, wait: MoveLink) -> str:
    """Return the URL of the table's page at which whoever has it can make the one move that this wait is for."""
    return _page(settings, wait.table, move_text(settings.secret_keys, wait))


def move_text(keys: Keys, wait: MoveLink) -> str:
    """Return the `link` of the URL at which a move can be made."""
    return link(keys, _MOVE, [*wait])


@_verified_once
def wait_of(keys: Keys, signed: str) -> MoveLink | None:
    """Return the wait that the `link` of a table's URL is bound to, or None if it is not one of ours to move."""
    return _wait(unlink(keys, _MOVE, signed))


def confirmation(keys: Keys, wait: MoveLink, move: str) -> str:
    """Return the text by which a form confirms a move (in the form of the log) that its page has shown."""
    return link(keys, _CONFIRM, [*wait, move])


def confirmed(keys: Keys, signed: str) -> tuple[MoveLink, str] | None:
    """Return the wait and the move that a form confirms, or None if no page of ours has asked for that."""
    match unlink(keys, _CONFIRM, signed):
        case [*wait, str(move)] if (found := _wait(wait)) is not None:
            return found, move
        case _:
            return None


def _wait(data: object) -> MoveLink | None:
    match data:
        case [str(account), str(table), int(version), str(head)]:
            return MoveLink(account, table, version, head)
        case _:
            return None


def _page(settings: Settings, table: str, signed: str) -> str:
    return f"{settings.base_url}/games/{table}?{urlencode({'link': signed})}"


@_verified_once
def reader_of(keys: Keys, signed: str) -> TableLink | None:
    """Return the account and the table of a table's link, or None if this service did not sign it."""
    match unlink(keys, _TABLE, signed):
        case [str(account), str(table)]:
            return TableLink(account, table)
        case _:
            return None


def import_link(settings: Settings, account: str, id: str) -> str:
    """Return the URL at which this account sees the page of its import with this id."""
    signed = link(settings.secret_keys, _IMPORT, [account, id])
    return f"{settings.base_url}/imports/{id}?{urlencode({'link': signed})}"


def importer_of(keys: Keys, signed: str, id: str) -> str | None:
    """Return the account that a link to an import's page was made for, or None if it is not one of ours to this one."""
    match unlink(keys, _IMPORT, signed):
        case [str(account), str(named)] if named == id:
            return account
        case _:
            return None


def record_link(settings: Settings, game: str) -> str:
    """Return the URL at which anybody who has it can get the record of this game once it is over."""
    signed = link(settings.secret_keys, _RECORD, game)
    return f"{settings.base_url}/games/{game}/record?{urlencode({'link': signed})}"


def recorded_game(keys: Keys, signed: str) -> str | None:
    """Return the game that the `link` of a record's URL stands for, or None if it is not one of ours."""
    match unlink(keys, _RECORD, signed):
        case str(game):
            return game
        case _:
            return None


def calendar_link(settings: Settings, account: str, number: int) -> str:
    """Return the URL of the calendar of this account. It works as long as this is the number of its latest link."""
    signed = link(settings.secret_keys, _CALENDAR, [account, number])
    return f"{settings.base_url}/calendar.ics?{urlencode({'link': signed})}"


def calendar_of(keys: Keys, signed: str) -> CalendarLink | None:
    """Return the account and number in the `link` of a calendar's URL, or None if the service did not sign it."""
    match unlink(keys, _CALENDAR, signed):
        case [str(account), int(number)]:
            return CalendarLink(account, number)
        case _:
            return None


def invitation_text(keys: Keys, id: str) -> str:
    """Return the text of the invitation link with this id, by which programs join."""
    return link(keys, _INVITATION, id)


def invitation_link(settings: Settings, id: str) -> str:
    """Return the URL of the invitation link with this id. It shows the table; following it joins nobody."""
    return f"{settings.base_url}/invitation?{urlencode({'link': invitation_text(settings.secret_keys, id)})}"


def invited_by(keys: Keys, signed: str) -> str | None:
    """Return the id of the invitation link with this text, or None if it is not one of ours."""
    match unlink(keys, _INVITATION, signed):
        case str(id):
            return id
        case _:
            return None


def never_mail_link(settings: Settings, address: str) -> str:
    """Return the URL at which the owner of this address can stop all mail, or take that back."""
    signed = link(settings.secret_keys, _NEVER_MAIL, address)
    return f"{settings.base_url}/never-mail?{urlencode({'link': signed})}"


def address_of(keys: Keys, signed: str) -> str | None:
    """Return the address that the `link` of a never-mail URL stands for, or None if it is not one of ours."""
    match unlink(keys, _NEVER_MAIL, signed):
        case str(address):
            return address
        case _:
            return None


def sign_in_link(settings: Settings, code: str) -> str:
    """Return the URL at which the browser that asked for the code with this id can sign in."""
    return f"{settings.base_url}/sign-in/link?{urlencode({'link': link(settings.secret_keys, _SIGN_IN, code)})}"


def signed_code(keys: Keys, signed: str) -> str | None:
    """Return the id of the code that the `link` of a sign-in URL stands for, or None if it is not one of ours."""
    match unlink(keys, _SIGN_IN, signed):
        case str(code):
            return code
        case _:
            return None


def signing_in_text(keys: Keys, address: str, onward: str) -> str:
    """Return the `link` of the page that asks for the code mailed to an address, and where it leads then."""
    return link(keys, _SIGNING_IN, [address, onward])


def signing_in(keys: Keys, signed: str) -> tuple[str, str] | None:
    """Return the address and the path in a text of `signing_in_text`, or None if it is not one of ours."""
    match unlink(keys, _SIGNING_IN, signed):
        case [str(address), str(onward)]:
            return address, onward
        case _:
            return None


def rules_page(base_url: str, language: str, version: str | None = None) -> str:
    """Return the URL of a version of the rules (None: the newest) in a language; it is not secret."""
    path = "/rules" if version is None else f"/rules/{quote(version, safe='')}"
    return f"{base_url}{path}?{urlencode({'language': language})}"


def settings_page(base_url: str) -> str:
    """Return the URL of the page with the settings of whoever has signed in, in their language; it is not secret."""
    return f"{base_url}/settings"


def account_settings_page(base_url: str) -> str:
    """Return the URL of the page on which whoever has signed in changes their address; it is not secret."""
    return f"{base_url}/settings/account"


def new_table_page(base_url: str) -> str:
    """Return the URL of the page on which whoever has signed in opens a table; it is not secret."""
    return f"{base_url}/tables/new"


def game_mails_page(base_url: str, game: str) -> str:
    """Return the URL of the page with which mails about a game its signed-in player wants; it is not secret."""
    return f"{base_url}/games/{game}/mails"


def programs_page(base_url: str, language: str, table: str | None = None) -> str:
    """Return the URL of the page about signing in by program and, with `table`, accepting an invitation; not secret."""
    return f"{base_url}/programs?{urlencode({'language': language} | ({} if table is None else {'table': table}))}"


def unsubscribe_link(settings: Settings, account: str, table: str | None, kind: str) -> str:
    """Return the URL at which this account can stop mails of a kind, about this table or, with None, about any.

    The URL is also used in List-Unsubscribe, so it is ASCII, and programs may POST to it (RFC 8058).
    """
    signed = link(settings.secret_keys, _UNSUBSCRIBE, [account, table, kind])
    return f"{settings.base_url}/unsubscribe?{urlencode({'link': signed})}"


def unsubscribe_of(keys: Keys, signed: str) -> UnsubscribeLink | None:
    """Return the account, table and kind of mail of an unsubscribe link, or None if this service did not sign it."""
    match unlink(keys, _UNSUBSCRIBE, signed):
        case [str(account), str() | None as table, str(kind)]:
            return UnsubscribeLink(account, table, kind)
        case _:
            return None
