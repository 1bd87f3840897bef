"""Read players as others see them, and whom an account has blocked."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from service.queries.table_access import MAY_READ
from service.store.autocommit_pool import Statements, statements
from service.store.blocks import has_blocked
from service.store.callers import Caller, by_caller

COUNTED = 1000
"""The number of a player's finished games, the newest, that are counted."""

_PRESENT = "player.email IS NOT NULL AND player.suspended_at IS NULL"
"""Guests have no address, and nobody has one once erased."""


class PlayerProfile(NamedTuple):
    """A player as a reader sees them.

    Attributes:
        id: the player's id.
        name: the name, or None.
        created_at: when the account was created.
        games_finished: how many of the newest finished games the reader may see.
        is_blocked: whether the reader has blocked the player.
    """

    id: str
    name: str | None
    created_at: datetime
    games_finished: int
    is_blocked: bool


class BlockedPlayer(NamedTuple):
    """A player whom the caller has blocked, and when."""

    id: str
    name: str | None
    created_at: datetime


class BlockedPage(NamedTuple):
    """A page of the players whom the caller has blocked, the caller's account, and the epoch of the data."""

    account: str | None
    epoch: str
    players: list[BlockedPlayer]


_PROFILE = by_caller(f"""
SELECT caller.account, player.id, player.name, player.created_at,
       (SELECT count(*)
          FROM (SELECT game FROM seats
                 WHERE seats.account = player.id AND kind = 'match' AND status = 'finished'
                 ORDER BY game DESC LIMIT {COUNTED}) AS finished
          JOIN tables ON tables.key = finished.game
         WHERE {MAY_READ}),
       {has_blocked("caller.account", "player.id")}
  FROM {{caller}}
  LEFT JOIN accounts player ON player.id = %(player)s AND {_PRESENT}
""")


def profile(store: Session | Statements, caller: Caller, player: str) -> tuple[str | None, PlayerProfile | None]:
    """Return the caller's account and the player with this id; None if nobody has it, or the account was suspended."""
    account, *columns = statements(store).read(_PROFILE[type(caller)], caller.arguments(player=player))
    return account, None if columns[0] is None else PlayerProfile._make(columns)


_EXISTS = by_caller(f"""
SELECT caller.account, player.id
  FROM {{caller}} LEFT JOIN accounts player ON player.id = %(player)s AND {_PRESENT}
""")


def exists(store: Session | Statements, caller: Caller, player: str) -> tuple[str | None, bool]:
    """Return the caller's account, and whether others can see a player with this id."""
    account, found = statements(store).read(_EXISTS[type(caller)], caller.arguments(player=player))
    return account, found is not None


_BLOCKED = by_caller("""
SELECT caller.account, epoch.value, page.blocked, player.name, page.created_at
  FROM epoch CROSS JOIN {caller}
  LEFT JOIN LATERAL (
       SELECT blocked, created_at FROM blocks
        WHERE blocks.account = caller.account
          AND (created_at, blocked) < (CAST(%(at)s AS timestamptz), CAST(%(player)s AS text))
        ORDER BY created_at DESC, blocked DESC LIMIT %(limit)s
       ) AS page ON true
  LEFT JOIN accounts player ON player.id = page.blocked
 ORDER BY page.created_at DESC, page.blocked DESC
""")


def blocked(
    store: Session | Statements, caller: Caller, before: tuple[datetime, str] | None, limit: int
) -> BlockedPage:
    """Return players whom the caller has blocked, the latest first, after the one with time and id `before`."""
    at, last = before or ("infinity", "")
    asked = caller.arguments(at=at, player=last, limit=limit)
    rows = statements(store).rows(_BLOCKED[type(caller)], asked)
    found = [BlockedPlayer._make(row[2:]) for row in rows if row[2] is not None]
    account, epoch = rows[0][:2]
    return BlockedPage(account, epoch, found)
