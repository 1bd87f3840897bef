"""Read the clocks of an account's running games."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import text
from sqlalchemy.orm import Session

from engine.clock.terms import Terms
from service.clocks.absences import Absence
from service.clocks.game_clock import GameClock
from service.clocks.reckoning import is_late
from service.queries import clock_values

_OF_ACCOUNT = text("""
    SELECT tables.key, tables.id, seats.seat, tables.clock, tables.abandoned_after,
           CASE WHEN progress.clock_seq = progress.version THEN progress.clock END
      FROM seats JOIN tables ON tables.key = seats.game JOIN progress ON progress.game = seats.game
     WHERE seats.account = :account AND seats.kind = 'match' AND seats.status = 'running' AND tables.clock IS NOT NULL
     ORDER BY seats.game
""")


@dataclass(frozen=True)
class RunningClock:
    """A running game with a clock: the key and the id of its table, the account's seat, and the stored clock."""

    key: int
    id: str
    seat: int
    agreed: str
    abandoned_after: str
    stored: str | None

    @property
    def terms(self) -> Terms:
        """The terms that the table agreed on."""
        return clock_values.terms(self.agreed)

    @cached_property
    def clock(self) -> GameClock | None:
        """The clock, or None if it has to be computed from the log."""
        return None if self.stored is None else clock_values.parsed(self.stored, self.agreed, self.abandoned_after)

    def ignores(self, absence: Absence) -> bool:
        """Return whether an absence of the account does not stop its clock in this game (4.6, 4.7)."""
        if not self.terms.absences:
            return True
        stretch = None if self.clock is None else self.clock.stretch
        return stretch is not None and stretch.seat == self.seat and is_late(stretch, absence)


def of_account(session: Session, account: str) -> list[RunningClock]:
    """Return an account's running games with a clock, in order."""
    return [RunningClock(*row) for row in session.execute(_OF_ACCOUNT, {"account": account})]
