"""Find players by the name by which somebody knows them."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session


class NamedPlayer(NamedTuple):
    """A player's account, and the name, None if they have none."""

    account: str
    name: str | None


_KNOWN = text("""
WITH own AS (SELECT id, email FROM accounts WHERE id = :account),
shared AS (
    SELECT newest.game
      FROM (VALUES ('open'), ('running'), ('finished'), ('closed')) AS each (status) CROSS JOIN LATERAL (
           SELECT game FROM seats WHERE account = :account AND kind = 'match' AND seats.status = each.status
            ORDER BY game DESC LIMIT 100) AS newest
), invited AS (
    (SELECT invited_by AS id FROM invitations WHERE account = :account ORDER BY created_at DESC, id DESC LIMIT 100)
    UNION ALL
    (SELECT invited_by FROM invitations WHERE email = (SELECT email FROM own)
      ORDER BY created_at DESC, id DESC LIMIT 100)
)
SELECT accounts.id, accounts.name FROM own CROSS JOIN accounts
 WHERE accounts.id IN (SELECT account FROM seats WHERE game IN (SELECT game FROM shared) UNION SELECT id FROM invited)
   AND accounts.erased_at IS NULL AND accounts.suspended_at IS NULL AND accounts.id <> own.id
""")

_BLOCKED = text("""
SELECT accounts.id, accounts.name
  FROM blocks JOIN accounts ON accounts.id = blocks.blocked
 WHERE blocks.account = :account
""")


def known(session: Session, account: str) -> list[NamedPlayer]:
    """Return the players with whom an account sat at one of its newest tables, and those who have invited it lately."""
    return [NamedPlayer(*row) for row in session.execute(_KNOWN, {"account": account})]


def blocked(session: Session, account: str) -> list[NamedPlayer]:
    """Return the players whom an account has blocked."""
    return [NamedPlayer(*row) for row in session.execute(_BLOCKED, {"account": account})]
