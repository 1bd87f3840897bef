"""Who asks, for statements that find that out by themselves: by the token of a request, or as an account that is known.

A read that looks up the token and what the token's account may see in one statement costs half of one that asks twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

VALID = "(tokens.expires_at IS NULL OR tokens.expires_at > %(now)s)"
"""The SQL that says whether a token still holds at a moment."""


class Bearer(NamedTuple):
    """Whoever has the token with this hash at a moment; without one, nobody."""

    token: bytes | None
    now: datetime

    def arguments(self, **further: object) -> Mapping[str, object]:
        """Return these of its statement, with further ones."""
        return {"token": self.token, "now": self.now, **further}


class Known(NamedTuple):
    """An account that is known already."""

    account: str
    now: datetime | None = None

    def arguments(self, **further: object) -> Mapping[str, object]:
        """Return these of its statement, with further ones."""
        return {"account": self.account, "now": self.now, **further}


Caller = Bearer | Known

_BY: dict[type, str] = {
    Bearer: f"""(SELECT) AS request
  LEFT JOIN LATERAL (SELECT account FROM tokens WHERE hash = %(token)s AND {VALID}) AS caller ON true""",
    Known: "(SELECT CAST(%(account)s AS text) AS account) AS caller",
}


def by_caller(statement: str) -> dict[type, str]:
    """Return a statement for each type of caller: `{caller}` in it becomes the item of its FROM that has the row `caller`,
    whose `account` is NULL for nobody."""
    return {kind: statement.replace("{caller}", item) for kind, item in _BY.items()}
