"""Read an account's quiet times and absences."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy.orm import Session

from service.clocks.absences import Absence, of_this_year
from service.clocks.quiet_times import differ
from service.queries import clock_values
from service.store.autocommit_pool import Statements, statements
from service.store.callers import Caller, by_caller


class QuietTimes(NamedTuple):
    """An account's time zone and quiet windows, and the running games in which earlier ones still count (3.4)."""

    zone: str
    quiet: list[dict[str, Any]]
    not_yet_in: list[str]


_QUIET_TIMES = by_caller("""
SELECT accounts.zone, accounts.quiet, accounts.quiet::text, tables.id, tables.clock, tables.abandoned_after,
       progress.clock
  FROM {caller}
  LEFT JOIN accounts ON accounts.id = caller.account
  LEFT JOIN progress ON progress.turn_account = caller.account AND progress.clock IS NOT NULL
  LEFT JOIN tables ON tables.key = progress.game
 ORDER BY tables.key
""")


def quiet_times_of(store: Session | Statements, caller: Caller) -> QuietTimes | None:
    """Return the caller's quiet times, or None for an anonymous caller."""
    rows = statements(store).rows(_QUIET_TIMES[type(caller)], caller.arguments())
    zone, quiet, stored = rows[0][:3]
    if zone is None:
        return None
    schedule = clock_values.facts(zone, stored, None).schedule
    earlier = []
    for game, terms, abandoned_after, clock in (row[3:] for row in rows if row[3] is not None):
        if clock_values.terms(terms).quiet:
            stretch = clock_values.parsed(clock, terms, abandoned_after).stretch
            if stretch is not None and differ(stretch.schedule, schedule):
                earlier.append(game)
    return QuietTimes(zone, quiet or [], earlier)


_ABSENCES = by_caller("""
SELECT accounts.id, accounts.absences FROM {caller} LEFT JOIN accounts ON accounts.id = caller.account
""")


def absences_of(store: Session | Statements, caller: Caller, now: datetime) -> list[Absence] | None:
    """Return the caller's absences of this calendar year and later, in their order; None for an anonymous caller."""
    account, stored = statements(store).read(_ABSENCES[type(caller)], caller.arguments())
    return None if account is None else of_this_year(map(clock_values.absence, stored or ()), now)
