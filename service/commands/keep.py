"""Keep a game from being abandoned (CLOCKS.md 9.2)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from engine.moves import Mark
from engine.saying import Said
from service.commands import entries
from service.commands.clock_refusals import not_running
from service.errors import Conflict
from service.queries import legal
from service.queries.table import LoadedTable, load

_LEFT = Said("You have left this game.")


def keep(session: Session, table: LoadedTable, seat: int, now: datetime) -> LoadedTable:
    """Append a seat's mark that the game goes on, and return the table after it.

    Raises:
        Conflict: the game is not running (`not_running`), or the player has left it (`has_left`).
    """
    while True:
        if table.status != "running":
            raise not_running(table.version)
        if legal.has_left(table.state, seat):
            raise Conflict("has_left", _LEFT, version=table.version)
        played = entries.add(session, table, seat, Mark("clock.keep"), now)
        if played is not None:
            return played.table
        found = load(session, table.table.id)
        assert found is not None, "tables are never deleted"
        table = found
