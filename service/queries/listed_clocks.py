"""The part of each game's clock that a list of games shows (docs/CLOCKS.md, 10.2)."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from service.clocks.clock_view import view
from service.queries import clock_values
from service.queries.game_clock import whole_milliseconds
from service.queries.tables import ListedTable

_UTC = "UTC"


class ListedClock(NamedTuple):
    """The clock of a game in a list, with the same values as in the game's own view (10.1, 11.2).

    Attributes:
        left: the time that the reader has left, None if no clock counts it.
        runs_out_at: when the time of the player to move runs out.
        stands_still_because: the reason why it does not run.
    """

    left: str | None
    runs_out_at: str | None
    stands_still_because: str | None


NO_CLOCK = ListedClock(None, None, None)


def clock_of(listed: ListedTable, at: datetime) -> ListedClock:
    """Return the clock of a listed table as the reader of the list may see it at a time."""
    if listed.terms is None or listed.clock is None:
        return NO_CLOCK
    clock = clock_values.parsed(listed.clock, listed.terms, listed.abandoned_after)
    absences = {player.seat: player.absences for player in listed.players}
    facts = [clock_values.facts(_UTC, None, absences.get(seat)) for seat in range(listed.seats)]
    shown = view(clock, facts, whole_milliseconds(at), listed.seat)
    left = None if listed.seat is None else shown["left"][listed.seat]
    return ListedClock(left, shown["runs_out_at"], shown["stands_still_because"])
