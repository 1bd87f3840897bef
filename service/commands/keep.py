"""Keep a game from being abandoned (CLOCKS.md 9.2)."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from engine import text
from engine.moves import Mark
from engine.phrases import Phrase, phrase
from service.commands import entries
from service.commands.clock_refusals import not_running
from service.commands.expectation import Expectation
from service.errors import Conflict, LimitReached, Policy
from service.queries import legal
from service.queries.table import LoadedTable, load

_LEFT = Phrase("You have left this game.")
_MARK = Mark("clock.keep")
_WRITTEN = text.render(_MARK)

MOST = 5
"""The most marks of one seat within `WITHIN`, so that nobody can fill the log with them."""

WITHIN = timedelta(days=1)

_POLICY = Policy("keeps-per-seat", MOST, int(WITHIN.total_seconds()))


def keep(
    session: Session, table: LoadedTable, seat: int, now: datetime, expected: Expectation | None = None
) -> LoadedTable:
    """Append a seat's mark that the game goes on, and return the table after it.

    `expected` is the state in which the game may be kept; None for any.

    Raises:
        Conflict: the game is not running (`not_running`), or the player has left it (`has_left`).
        LimitReached: the seat has said so `MOST` times within a day (`too_often`).
    """
    while True:
        if table.status != "running":
            raise not_running(table.version)
        if legal.has_left(table.state, seat):
            raise Conflict("has_left", _LEFT, version=table.version)
        _check_often(table, seat, now)
        if expected is not None:
            expected.check(table)
        played = entries.add(session, table, seat, _MARK, now)
        if played is not None:
            return played.table
        found = load(session, table.table.id)
        assert found is not None, "tables are never deleted"
        table = found


def _check_often(table: LoadedTable, seat: int, now: datetime) -> None:
    """Refuse one mark too many of a seat within a day."""
    said_at = [entry.at for entry in table.entries if entry.seat == seat and entry.move == _WRITTEN]
    if len(said_at) >= MOST and (wait := said_at[-MOST] + WITHIN - now) > timedelta():
        detail = phrase("You have said so %(most)s times within a day, and the game goes on.", most=MOST)
        raise LimitReached("too_often", detail, retry_after=math.ceil(wait.total_seconds()), policy=_POLICY)
