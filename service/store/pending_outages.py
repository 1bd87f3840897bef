"""Store which games have to be given the time of an outage back, until that is done (CLOCKS.md 8.3).

Workers share them: each takes the next one that no other one has. A game that fails is tried again later.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.store.due_games import DueGame
from service.store.signs import Failure

LONGEST_WAIT = timedelta(hours=1)
"""The most time between two attempts at a game that fails."""


class PendingOutage(NamedTuple):
    """An outage that a game has not been given back; `tries` is how often that has failed."""

    game: DueGame
    failure: Failure
    tries: int


_SETTLE = text("UPDATE failures SET settled_at = :now WHERE id = ANY (:ids) AND settled_at IS NULL")
_ADD = text("""
    INSERT INTO pending_outages (game, began_at, ended_at, parts, next_at)
    SELECT progress.game, :began_at, :ended_at, :parts, :ended_at
      FROM progress JOIN tables ON tables.key = progress.game
     WHERE progress.clock_due_at IS NOT NULL AND tables.clock IS NOT NULL
    ON CONFLICT DO NOTHING
""")


def add(session: Session, failure: Failure, now: datetime) -> int | None:
    """Note a failure for all running games with a clock, and return their number; None if another worker has."""
    settled = session.execute(_SETTLE, {"ids": list(failure.ids), "now": now})
    if not settled.rowcount:  # type: ignore[attr-defined]
        return None
    span = {"began_at": failure.began_at, "ended_at": failure.ended_at, "parts": list(failure.parts)}
    return int(session.execute(_ADD, span).rowcount)  # type: ignore[attr-defined]


_TAKE = text("""
    SELECT game, (SELECT id FROM tables WHERE key = game), parts, began_at, ended_at, tries
      FROM pending_outages WHERE next_at <= :now ORDER BY next_at, game LIMIT 1 FOR UPDATE SKIP LOCKED
""")


def take(session: Session, now: datetime) -> PendingOutage | None:
    """Return the next game, locked until the commit, or None if none is left that no other worker has."""
    row = session.execute(_TAKE, {"now": now}).one_or_none()
    if row is None:
        return None
    key, id, parts, began_at, ended_at, tries = row
    return PendingOutage(DueGame(key, id), Failure((), tuple(parts), began_at, ended_at), tries)


_SAME = "game = :game AND began_at = :began_at AND ended_at = :ended_at"
_DONE = text(f"DELETE FROM pending_outages WHERE {_SAME}")
_PUT_OFF = text(f"UPDATE pending_outages SET tries = :tries, next_at = :next_at WHERE {_SAME}")


def done(session: Session, pending: PendingOutage) -> None:
    """Note that a game has been given an outage back."""
    session.execute(_DONE, _key(pending))


def put_off(session: Session, pending: PendingOutage, now: datetime) -> None:
    """Try a game that failed again later, each time after twice the time."""
    wait = min(timedelta(minutes=2 ** min(pending.tries, 10)), LONGEST_WAIT)
    session.execute(_PUT_OFF, _key(pending) | {"tries": min(pending.tries + 1, 100), "next_at": now + wait})


def _key(pending: PendingOutage) -> dict[str, object]:
    failure = pending.failure
    return {"game": pending.game.key, "began_at": failure.began_at, "ended_at": failure.ended_at}
