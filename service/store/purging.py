"""Delete expired rows in batches.

A single DELETE would hold its locks, and keep the database from cleaning up elsewhere, for as long as it takes; if it
took a minute, it would be canceled and start over in vain. So each statement deletes a limited number of rows, in a
transaction of its own.

A batch is selected by row position (ctid), and the condition is checked again: a row that was changed meanwhile has
another position, and is left for the next run.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, cast

from sqlalchemy import CursorResult, TextClause
from sqlalchemy.orm import Session, sessionmaker

PIECE = 1000
"""The number of rows in a batch, which takes some milliseconds."""


def deleted(session: Session, statement: TextClause, **values: Any) -> int:
    """Run a DELETE or UPDATE statement and return how many rows it changed."""
    return cast(CursorResult[Any], session.execute(statement, values)).rowcount


def in_pieces(
    sessions: sessionmaker[Session],
    do: Callable[[Session, datetime, int], int],
    now: datetime,
    piece: int = PIECE,
) -> int:
    """Call `do` in one transaction after another until a batch is not full, and return how many rows it took in all.

    `do` gets a session, the time, and the maximum of rows that it may take.
    """
    taken = 0
    while True:
        with sessions.begin() as session:
            count = do(session, now, piece)
        taken += count
        if count < piece:
            return taken
