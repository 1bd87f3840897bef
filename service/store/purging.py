"""Throwing away what is past its time, piece by piece.

One DELETE of all would hold its locks, and keep the database from cleaning up elsewhere, for as long as it takes, and
what takes a minute is broken off and done again in vain. So each statement takes so many rows at most, and each piece is
a transaction of its own.

A piece is chosen by place (ctid) and its condition asked again: a row that was changed meanwhile has another place and
is left for the next time.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, cast

from sqlalchemy import CursorResult, TextClause
from sqlalchemy.orm import Session, sessionmaker

PIECE = 1000
"""Rows in a piece: some milliseconds."""


def deleted(session: Session, statement: TextClause, **values: Any) -> int:
    """How many rows the statement deletes."""
    return cast(CursorResult[Any], session.execute(statement, values)).rowcount


def in_pieces(
    sessions: sessionmaker[Session],
    do: Callable[[Session, datetime, int], int],
    now: datetime,
    piece: int = PIECE,
) -> int:
    """Calls `do` with a session, the time and the most that it may take, each time in a transaction of its own, until
    it finds less than that. How many it took in all."""
    taken = 0
    while True:
        with sessions.begin() as session:
            count = do(session, now, piece)
        taken += count
        if count < piece:
            return taken
