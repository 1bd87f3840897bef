"""Find out who looks at a table's page: the account of the link in its address, of a browser's session, or nobody."""

from __future__ import annotations

from dataclasses import dataclass

from flask import request
from sqlalchemy.orm import Session

from service.access.links import MoveLink, TableLink, reader_of, wait_of
from service.api.context import settings
from service.commands.play import Expectation
from service.language.languages import Reader, language
from service.pages.browser import signed_in
from service.pages.rendering import visitor
from service.queries.browser_sessions import BrowserSession
from service.queries.table import LoadedTable
from service.store.accounts import Account


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
        if self.account is None or seat is None or table.status != "running" or table.state.turn != seat:
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
    """Return who looks at the page of a game; a link to another game, or of an erased account, is as good as none.

    A link says more than a session: it shows what its account may see, whoever is signed in.
    """
    text = request.args.get("link", "")
    keys = settings().secret_keys
    wait = wait_of(keys, text)
    linked = reader_of(keys, text) if wait is None else TableLink(wait.account, wait.table)
    account = None if linked is None or linked.table != game else session.get(Account, linked.account)
    browser = signed_in()
    if account is None or account.erased_at is not None:
        if browser is None:
            return Viewer(None, visitor())
        if browser.is_suspended:
            return Viewer(None, browser.reader, is_suspended=True)
        return Viewer(browser.account, browser.reader, session=browser)
    own = browser if browser is not None and browser.account == account.id else None
    reader = Reader(language(account.language), account.zone)
    return Viewer(account.id, reader, text, wait, own, account.suspended_at is not None)
