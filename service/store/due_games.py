"""Find the games whose clocks need work, and keep two workers from doing it at the same time."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from service.store import epoch, events

CLASS = 0x6E6C636C
"""The first number of the advisory locks of games; the second is a game's key."""

_DUE = text("""
    SELECT progress.game, tables.id
      FROM progress JOIN tables ON tables.key = progress.game
     WHERE progress.clock_due_at <= :now AND progress.game <> ALL (:without)
     ORDER BY progress.clock_due_at LIMIT :most
""")


class DueGame(NamedTuple):
    """The key and the id of a table."""

    key: int
    id: str


def due(session: Session, now: datetime, most: int, without: Collection[int] = ()) -> list[DueGame]:
    """Return at most `most` games that need work, the longest due first, except those with the keys `without`."""
    return [DueGame(*row) for row in session.execute(_DUE, {"now": now, "most": most, "without": list(without)})]


_BY_ID = text("SELECT key, id FROM tables WHERE id = :id")


def by_id(session: Session, id: str) -> DueGame | None:
    """Return the game with this id, or None."""
    row = session.execute(_BY_ID, {"id": id}).one_or_none()
    return None if row is None else DueGame(*row)


LATE = """
    SELECT coalesce(greatest(0, extract(epoch FROM clock_timestamp() - min(clock_due_at))), 0) FROM progress
"""
"""The statement that returns how many seconds ago the oldest due work in a game became due."""


_OF_ACCOUNT = text("""
    SELECT seats.game, tables.id FROM seats JOIN tables ON tables.key = seats.game
     WHERE seats.account = :account AND seats.kind = 'match' AND seats.status = 'running' AND tables.clock IS NOT NULL
     ORDER BY seats.game
""")


def of_account(session: Session, account: str) -> list[DueGame]:
    """Return an account's running games with a clock."""
    return [DueGame(*row) for row in session.execute(_OF_ACCOUNT, {"account": account})]


_LOCK = text("SELECT pg_advisory_xact_lock(:class, :game)")


def lock(session: Session, game: int) -> None:
    """Wait until no other transaction works on this game's clock, and keep others from it until the commit.

    `service.store.claims` takes the same lock without waiting.

    Moves do not wait for this: between a move and a step, the key of the log decides. So the lock of a row, which moves
    take after they have written their entry, cannot be used here.
    """
    session.execute(_LOCK, {"class": CLASS, "game": game})


# Whoever changes something in between sets the time itself.
_SET = text("""
    UPDATE progress SET clock_due_at = :at, runs_out_at = :runs_out_at
     WHERE game = :game AND version = :version AND status = 'running'
       AND clock_due_at IS NOT DISTINCT FROM CAST(:seen AS timestamptz)
""")


def look_again(
    session: Session,
    game: int,
    version: int,
    seen: datetime | None,
    at: datetime | None,
    runs_out_at: datetime | None,
) -> None:
    """Set when a game must be looked at again, unless it has gone on from this version, or must be looked at sooner.

    `seen` is the time that was set when the game was read. `runs_out_at` is when the time of the player to move runs
    out, which the players' settings may have changed.
    """
    values = {"game": game, "version": version, "seen": seen, "at": at, "runs_out_at": runs_out_at}
    session.execute(_SET, values)


# In the order of `service.store.unit`: whoever also changes the tables does so after this, and whoever appends an entry
# to a game does so before.
_TOUCH = text("""
    WITH mine AS (
        SELECT game FROM progress WHERE game = ANY (:games) AND status = 'running' ORDER BY game FOR NO KEY UPDATE
    )
    UPDATE progress SET clock_due_at = :now FROM mine WHERE progress.game = mine.game
""")


def touch(session: Session, games: Collection[int], now: datetime) -> None:
    """Mark running games to be looked at now, because something that their clocks depend on has changed."""
    if games:
        session.execute(_TOUCH, {"games": list(games), "now": now})


_LOCK_RUNNING = text("""
    SELECT FROM progress
     WHERE game IN (SELECT game FROM seats WHERE account = :account AND game >= :first AND game < :after)
       AND status = 'running'
     ORDER BY game FOR NO KEY UPDATE
""")


def lock_running(session: Session, account: str, keys: range) -> None:
    """Lock the progress of the account's running games with these keys until the commit, as `touch` does."""
    session.execute(_LOCK_RUNNING, {"account": account, "first": keys.start, "after": keys.stop})


_SET_CLOCK = text("""
    UPDATE progress SET clock = :clock, runs_out_at = :runs_out_at, clock_due_at = :now
     WHERE game = :game AND version = :version AND status = 'running' AND clock_seq = version
    RETURNING game
""")


def set_clock(
    session: Session, game: int, version: int, clock: str, runs_out_at: datetime | None, now: datetime
) -> bool:
    """Replace the clock of a game that has not gone on from this version; return False if it has."""
    values = {"game": game, "version": version, "clock": clock, "runs_out_at": runs_out_at, "now": now}
    return session.scalar(_SET_CLOCK, values) is not None


_MAIL_WAITS = text("""
    SELECT EXISTS (SELECT FROM incoming WHERE about = :game AND seat = :seat AND state = 'waiting')
""")


def mail_waits(session: Session, game: str, seat: int) -> bool:
    """Return whether a mail of this seat for this game, given by its id, is stored and not yet read."""
    return bool(session.scalar(_MAIL_WAITS, {"game": game, "seat": seat}))


_BUMP_FACTS = text("""
    WITH mine AS (SELECT key FROM tables WHERE key = ANY (:games) ORDER BY key FOR NO KEY UPDATE)
    UPDATE tables SET facts = facts + 1 FROM mine WHERE tables.key = mine.key
""")
_BUMP_REVISION = text(f"""
    WITH mine AS (
        SELECT key FROM tables WHERE key = ANY (:games) ORDER BY key FOR NO KEY UPDATE
    ), changed AS (
        UPDATE tables SET revision = {epoch.NEXT_REVISION}, facts = facts + 1 FROM mine
         WHERE tables.key = mine.key
        RETURNING tables.key
    )
    INSERT INTO new_events (game, kind) SELECT key, 'change' FROM changed
""")


def changed(session: Session, games: Collection[int], *, visibly: bool) -> None:
    """Mark what was read of some games before as outdated, because something that their clocks depend on has changed.

    With `visibly`, others at the tables see the change, so the tags of these tables change.
    """
    if games:
        session.execute(_BUMP_REVISION if visibly else _BUMP_FACTS, {"games": list(games)})
        events.announce_after_commit(session)
