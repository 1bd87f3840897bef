"""Store events: what has happened at the tables, in one order that readers can go on from.

Triggers write an event in the transaction of the change itself (migration 0028). After the commit, `place_events` gives
it a position. Positions are given out one after the other, under a lock, to what is committed by then. So a reader who
has seen all events up to a position misses nothing by asking for those after it, whichever transaction took long; and
of two events of a game, the one that was made in knowledge of the other comes second.

Events tell nobody anything that a table does not: a game and its log stay the truth. They are deleted after a while,
and a reader who has missed them reads its tables again.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import event, text
from sqlalchemy.orm import Session
from sqlalchemy.orm.unitofwork import UOWTransaction

from service.store.waking import announce

CHANNEL = "novaluna_events"
"""The channel on which `place_events` announces the last position that it has given."""

KEPT = timedelta(days=30)
"""How long events are kept."""

JOIN, LEAVE, START, MOVE, CLOCK, HOST, END, CLOSE, MESSAGE, CHANGE, INVITATION = KINDS = (
    "join",
    "leave",
    "start",
    "move",
    "clock",
    "host",
    "end",
    "close",
    "message",
    "change",
    "invitation",
)
"""The kinds of events. All but the last two are written by triggers."""

FOR_THE_TABLE = (CHANGE,)
"""The kinds that spectators do not get: one tells that a player will be away, among other things."""

_CHANGED = "events_added"

_ADD = text("""
    INSERT INTO new_events (game, kind, account, at) VALUES (:game, :kind, :account, :at)
""")


def add(session: Session, kind: str, *, game: int, account: str | None, now: datetime) -> None:
    """Add an event of a kind that no trigger writes, for a table given by its key.

    With an account, the event is for that account alone, whether or not it sits at the table.
    """
    session.execute(_ADD, {"game": game, "kind": kind, "account": account, "at": now})
    announce_after_commit(session)


def erase(session: Session, account: str) -> None:
    """Delete the events that are for this account alone."""
    for table in ("new_events", "events"):
        session.execute(text(f"DELETE FROM {table} WHERE account = :account"), {"account": account})


_PURGE = text("""
    WITH gone AS (
        DELETE FROM events WHERE at <= :past
           AND position = ANY (ARRAY(SELECT position FROM events ORDER BY position LIMIT :most))
        RETURNING position
    )
    UPDATE event_positions SET deleted = greatest(deleted, (SELECT max(position) FROM gone))
     WHERE EXISTS (SELECT FROM gone)
    RETURNING (SELECT count(*) FROM gone)
""")


def purge(session: Session, now: datetime, most: int) -> int:
    """Delete at most `most` of the oldest events, as far as they are old enough; return how many were deleted."""
    return session.scalar(_PURGE, {"past": now - KEPT, "most": most}) or 0


def announce_after_commit(session: Session) -> None:
    """Have the events of this session's transaction placed and announced as soon as it is committed."""
    session.info[_CHANGED] = True


@event.listens_for(Session, "after_flush")
def _flushed(session: Session, flushed: UOWTransaction) -> None:
    announce_after_commit(session)


@event.listens_for(Session, "after_commit")
def _committed(session: Session) -> None:
    # This event also fires at the end of a savepoint.
    if not session.in_nested_transaction() and session.info.pop(_CHANGED, False):
        announce()


@event.listens_for(Session, "after_rollback")
def _rolled_back(session: Session) -> None:
    if not session.in_nested_transaction():
        session.info.pop(_CHANGED, None)
