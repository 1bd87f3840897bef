"""Give the time of an outage back to the clocks (CLOCKS.md 8)."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from engine import record, text
from engine.moves import Mark
from service.commands import clock_folding, entries
from service.queries.table import LoadedTable, load
from service.store.due_games import DueGame
from service.store.signs import Failure

KIND = "clock.outage"

_SAME = ("from", "to", "what")


def give_back(session: Session, game: DueGame, failure: Failure, now: datetime) -> None:
    """Write an outage into a running game's log and correct its clock, if there is anything to correct.

    The caller has locked the game (`service.store.due_games.lock`).
    """
    while True:
        table = load(session, game.id)
        if table is None or table.status != "running" or table.clock is None or table.header is None:
            return
        stretch = table.clock.stretch
        if stretch is None or record.moment(table.header["game"]["started_at"]) >= failure.ended_at:
            return
        span = {"from": record.stamp(failure.began_at), "to": record.stamp(failure.ended_at)}
        mark = Mark(KIND, {"wait": stretch.wait, **span, "what": list(failure.parts)})
        if _is_noted(table, mark):
            return
        refolded = clock_folding.refolding(session, table)
        if entries.add(session, table, stretch.seat, mark, now, refolded=refolded) is not None:
            return


def _is_noted(table: LoadedTable, mark: Mark) -> bool:
    """Return whether the log has this outage already, in any stretch."""
    for move in table.entries.moves:
        if move.startswith(f"mark {KIND} "):
            noted = text.parse(move)
            if isinstance(noted, Mark) and all(noted.data[name] == mark.data[name] for name in _SAME):
                return True
    return False
