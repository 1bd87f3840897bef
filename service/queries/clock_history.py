"""Read the settings that the players of a game had at any time, to compute its clock again from the log."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from service.clocks.game_clock import GameClock
from service.clocks.seats import SeatFacts
from service.queries import clock_values
from service.queries.table import LoadedTable
from service.store import schedules
from service.store.schedules import StoredSchedule


def facts_at(session: Session, table: LoadedTable) -> Callable[[datetime], Sequence[SeatFacts]]:
    """Return a function that returns the facts of the seats at a time.

    Absences are those that are known now, since one that is over does not change any more.
    """
    of_account: dict[str, list[StoredSchedule]] = defaultdict(list)
    for change in schedules.history(session, set(table.accounts)):
        of_account[change.account].append(change)

    def facts(at: datetime) -> Sequence[SeatFacts]:
        found = []
        for player in table.players:
            if player.account is None:
                found.append(player.facts)
                continue
            changes = of_account[player.account]
            place = bisect_right(changes, at, key=lambda change: change.set_at)
            # Before the first change there were no windows, and without these the zone makes no difference.
            zone, quiet = (changes[place - 1].zone, changes[place - 1].quiet) if place else (player.zone, None)
            told = None if quiet is None else json.dumps(quiet)
            found.append(clock_values.facts(zone, told, player.absences))
        return found

    return facts


def folded(session: Session, table: LoadedTable) -> GameClock:
    """Return the clock that follows from the whole log of a started game, whether its table has a clock or not."""
    return table.folded_clock(facts_at(session, table))
