"""Identify the caller inside a statement: by the token of a request, or as a known account.

One statement that looks up both the token and what its account may see costs half as much as two.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import TextClause, text

VALID = "(tokens.expires_at IS NULL OR tokens.expires_at > {now})"
"""The SQL that says when a token is valid, with the parameter for the time left open."""


def valid_at(now: datetime) -> TextClause:
    """Return `VALID` for a query of SQLAlchemy."""
    return text(VALID.format(now=":now")).bindparams(now=now)


SUSPENDED = "-"
"""The id that stands for a suspended account: no account has it, so it has no seat and may do nothing."""

ACCOUNT_OF_TOKEN = f"""SELECT CASE WHEN suspended THEN '{SUSPENDED}' ELSE account END AS account
  FROM tokens WHERE hash = %(token)s AND {VALID.format(now="%(now)s")}"""
"""The SQL for the id of the token's account, or `SUSPENDED`."""


class Bearer(NamedTuple):
    """The account that has the token with this hash at a time; nobody without a token."""

    token: bytes | None
    now: datetime

    def arguments(self, **further: object) -> Mapping[str, object]:
        """Return the arguments of the caller's statement, with further ones."""
        return {"token": self.token, "now": self.now, **further}


class KnownAccount(NamedTuple):
    """An account that is already known."""

    account: str
    now: datetime | None = None

    def arguments(self, **further: object) -> Mapping[str, object]:
        """Return the arguments of the caller's statement, with further ones."""
        return {"account": self.account, "now": self.now, **further}


Caller = Bearer | KnownAccount

_BY: dict[type, str] = {
    Bearer: f"""(SELECT) AS request
  LEFT JOIN LATERAL ({ACCOUNT_OF_TOKEN}) AS caller ON true""",
    KnownAccount: "(SELECT CAST(%(account)s AS text) AS account) AS caller",
}


def by_caller(statement: str) -> dict[type, str]:
    """Return a statement for each type of caller.

    `{caller}` in it is replaced by a FROM item with the row `caller`, whose `account` is NULL for nobody.
    """
    return {kind: statement.replace("{caller}", item) for kind, item in _BY.items()}
