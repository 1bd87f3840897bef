"""Look up the session of a browser by the hash of its secret."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from service.language.languages import Reader, language
from service.store.accounts import SESSION
from service.store.autocommit_pool import Statements, statements
from service.store.callers import VALID


class BrowserSession(NamedTuple):
    """A browser that is signed in.

    Attributes:
        id: the id of the session, by which it is revoked.
        account: the account.
        name: the account's name, or None.
        language: the code of its language.
        zone: its time zone.
        is_suspended: whether the account is suspended, and may do nothing.
        is_guest: whether it is a guest's, who has no address and plays solos (`service.commands.guests`).
        expires_at: when it is over.
    """

    id: str
    account: str
    name: str | None
    language: str
    zone: str
    is_suspended: bool
    is_guest: bool = False
    expires_at: datetime | None = None

    @property
    def reader(self) -> Reader:
        """The language and the time zone of the account."""
        return Reader(language(self.language), self.zone)


SESSION_OF_BROWSER = f"""SELECT tokens.id, accounts.id AS account, accounts.name, accounts.language, accounts.zone,
       tokens.suspended AS is_suspended, accounts.email IS NULL AS is_guest, tokens.expires_at
  FROM tokens JOIN accounts ON accounts.id = tokens.account
 WHERE hash = %(session)s AND kind = '{SESSION}' AND {VALID.format(now="%(now)s")}"""
"""The SQL for a `BrowserSession`, by the hash of its secret."""


def browser_session(store: Session | Statements, hashed: bytes, now: datetime) -> BrowserSession | None:
    """Return the session whose secret has this hash, or None if there is none, or none any more."""
    rows = statements(store).rows(SESSION_OF_BROWSER, {"session": hashed, "now": now})
    return BrowserSession._make(rows[0]) if rows else None
