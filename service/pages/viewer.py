"""Find out who looks at a table's page: the account of the link in its address, of a browser's session, or nobody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from flask import request
from sqlalchemy.orm import Session

from service.access.links import MoveLink, TableLink, reader_of, wait_of
from service.api.context import settings
from service.commands.expectation import Expectation
from service.language.languages import Reader, language
from service.pages.browser import signed_in
from service.pages.rendering import visitor
from service.queries.browser_sessions import BrowserSession
from service.queries.table import LoadedTable
from service.queries.table_page import LinkedAccount
from service.store.accounts import Account


class AskedLink(NamedTuple):
    """A signed link as a request has it: its text, its account, and the wait that it is for, if it is one to move."""

    text: str
    account: str
    wait: MoveLink | None


@dataclass(frozen=True, slots=True)
class Viewer:
    """A viewer of a table's page.

    Attributes:
        account: the account's id; None for anybody.
        reader: the language and the time zone.
        link: the signed link to keep in the page's addresses; None if there is none.
        wait: the wait that the link is for, if it is one to move.
        session: the session of the browser, if it is the account's; it may do all that the account may.
        is_suspended: whether the account is suspended, and may do nothing; its session sees no more than anybody.
    """

    account: str | None
    reader: Reader
    link: str | None = None
    wait: MoveLink | None = None
    session: BrowserSession | None = None
    is_suspended: bool = False

    def wait_at(self, table: LoadedTable) -> MoveLink | None:
        """Return the wait in which this viewer can move at a table now, or None."""
        seat = table.seat_of(self.account)
        if self.account is None or seat is None or table.progress is None or table.progress.turn != seat:
            return None
        if self.is_suspended:
            return None
        if self.wait is not None and is_current(table, self.wait):
            return self.wait
        return None if self.session is None else MoveLink(self.account, table.table.id, table.version, table.head)

    def may_confirm(self, wait: MoveLink) -> bool:
        """Return whether a form that moves in this wait may be this viewer's."""
        return self.account == wait.account and (self.wait == wait or self.session is not None)


def is_current(table: LoadedTable, wait: MoveLink) -> bool:
    """Return whether nobody has moved since a link to move was made, and no restore has undone that state."""
    return Expectation((wait.version,)).holds_for(table) and is_of_this_history(table, wait)


def is_of_this_history(table: LoadedTable, wait: MoveLink) -> bool:
    """Return whether the game has been in the state that a link was made for, unless a restore has undone that."""
    return wait.version <= table.version and table.head_at(wait.version) == wait.head


def viewer_of(session: Session, game: str) -> Viewer:
    """Return the viewer of a game's page; a link to another game, or of an erased account, is as good as none.

    A link says more than a session: it shows what its account may see, whoever is signed in.
    """
    asked = link_asked_with(game)
    found = None if asked is None else session.get(Account, asked.account)
    linked = None
    if found is not None and found.erased_at is None:
        linked = LinkedAccount(found.id, found.language, found.zone, found.suspended_at is not None)
    return viewer_by(asked, linked, signed_in())


def link_asked_with(game: str) -> AskedLink | None:
    """Return the signed link in the address of this request; None if it has none, or one to another game."""
    text, keys = request.args.get("link", ""), settings().secret_keys
    if not text:
        return None
    wait = wait_of(keys, text)
    linked = reader_of(keys, text) if wait is None else TableLink(wait.account, wait.table)
    return None if linked is None or linked.table != game else AskedLink(text, linked.account, wait)


def viewer_by(asked: AskedLink | None, linked: LinkedAccount | None, browser: BrowserSession | None) -> Viewer:
    """Return the viewer of a page by a link, whose account is None if it was erased, and in a browser's session."""
    if asked is None or linked is None:
        if browser is None:
            return Viewer(None, visitor())
        if browser.is_suspended:
            return Viewer(None, browser.reader, is_suspended=True)
        return Viewer(browser.account, browser.reader, session=browser)
    own = browser if browser is not None and browser.account == linked.id else None
    reader = Reader(language(linked.language), linked.zone)
    return Viewer(linked.id, reader, asked.text, asked.wait, own, linked.is_suspended)
