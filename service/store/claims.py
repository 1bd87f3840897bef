"""Claim a game in the transaction that works on its clock, and read in one statement what its steps depend on.

A statement is most of what a step costs, and each one gives other threads the chance to run first.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import bindparam, text
from sqlalchemy.dialects.postgresql import ARRAY, INTEGER
from sqlalchemy.orm import Session

from service.store.due_games import CLASS
from service.store.signs import ANY_UNSETTLED, IS_SILENT


class Claim(NamedTuple):
    """A game, given by its table's key, that is locked until the commit.

    Attributes:
        game: the key.
        now: the time, by the database's clock, in whole milliseconds.
        silent: the parts of the service that have given no sign of life for too long at that time.
        waits: whether the game has to be given an outage back before anything else.
    """

    game: int
    now: datetime
    silent: frozenset[str]
    waits: bool

    def allows_steps(self, watched: Collection[str]) -> bool:
        """Return whether steps may be taken in the game, since none of the watched parts fails (8.2, 8.3)."""
        return not self.waits and self.silent.isdisjoint(watched)


# The locks are tried one by one, in the order of the keys given, until one is free: OFFSET keeps the planner from
# trying them before it has found which games are due, and there is nothing to sort.
_CLAIM = text(f"""
    WITH instant AS (
        SELECT date_trunc('milliseconds', coalesce(CAST(:now AS timestamptz), clock_timestamp())) AS now
    ), claimed AS (
        SELECT game FROM (
            SELECT progress.game FROM instant, unnest(:games) AS wanted (game) JOIN progress USING (game)
             WHERE progress.clock_due_at <= instant.now OR :anyway
            OFFSET 0
        ) AS due WHERE pg_try_advisory_xact_lock(:class, game) LIMIT 1
    )
    SELECT game, now, ARRAY(SELECT part FROM service_signs WHERE {IS_SILENT}),
           {ANY_UNSETTLED} OR EXISTS (SELECT FROM pending_outages WHERE pending_outages.game = claimed.game)
      FROM claimed, instant
""").bindparams(bindparam("games", type_=ARRAY(INTEGER)))


def claim(session: Session, games: Collection[int], now: datetime | None, *, only_due: bool = True) -> Claim | None:
    """Lock one of these games in which something is due, and on which no other transaction works.

    Args:
        session: the transaction.
        games: the keys of the games, the first to be tried first.
        now: the time; None for that of the database's clock in this transaction.
        only_due: false to claim a game whether or not it needs work.

    Returns:
        None if there is no such game.
    """
    values = {"games": list(games), "now": now, "class": CLASS, "anyway": not only_due}
    row = session.execute(_CLAIM, values).one_or_none()
    if row is None:
        return None
    key, at, silent, waits = row
    return Claim(key, at.astimezone(UTC), frozenset(silent), waits)
