"""Read the deadlines of an account for its calendar."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, text
from sqlalchemy.orm import Session

from service.clocks.game_clock import GameClock
from service.clocks.reckoning import step_at
from service.clocks.steps import next_step
from service.queries import clock_values
from service.queries.table import load

STEPS = ("nudge", "grace", "autopilot", "out")
"""The steps that can follow if a player does not move; before the first, the time runs out (CLOCKS.md 6.2)."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The time at which the next step is taken if a player does not move.

    Attributes:
        table: the table's id.
        stretch: the number of the stretch (CLOCKS.md 1.3).
        at: when the step is taken if nothing changes.
        step: the step, one of `STEPS`.
        seat: the player's seat.
        names: the names by seat; None if erased or never given.
        changes: a number that grows with everything that can move the deadline, and with each restore of a backup.
        changed_at: the time of the last such change.
    """

    table: str
    stretch: int
    at: datetime
    step: str
    seat: int
    names: tuple[str | None, ...]
    changes: int
    changed_at: datetime


def link_number(session: Session, account: str) -> int | None:
    """Return the number of the latest calendar link of an account; None if it was deleted or is suspended."""
    query = text(
        "SELECT calendar_link FROM accounts WHERE id = :account AND erased_at IS NULL AND suspended_at IS NULL"
    )
    number: int | None = session.scalar(query, {"account": account})
    return number


_TURNS = text("""
    SELECT tables.id, tables.clock AS agreed, tables.abandoned_after, progress.turn,
           CASE WHEN progress.clock_seq = progress.version THEN progress.clock END AS clock,
           progress.version + tables.revision + epoch.counted_from AS changes, progress.last_at,
           accounts.zone, accounts.quiet::text AS quiet, accounts.absences::text AS absences,
           ARRAY(SELECT coalesce(name, 'bot:' || bot) FROM seats LEFT JOIN accounts ON accounts.id = seats.account
                  WHERE seats.game = tables.key ORDER BY seat) AS names
      FROM progress
      JOIN tables ON tables.key = progress.game
      JOIN accounts ON accounts.id = progress.turn_account
     CROSS JOIN epoch
     WHERE progress.turn_account = :account AND tables.clock IS NOT NULL
     ORDER BY progress.game
""")


def deadlines(session: Session, account: str, now: datetime) -> list[Deadline]:
    """Return the deadlines of an account in the running games where it is to move, the next one first."""
    turns = session.execute(_TURNS, {"account": account}).mappings().all()
    return sorted(_of(session, turns, now), key=lambda deadline: deadline.at)


def _of(session: Session, turns: Any, now: datetime) -> Iterator[Deadline]:
    for row in turns:
        clock = _clock(session, row)
        step = None if clock is None else next_step(clock)
        if clock is None or clock.stretch is None or step is None:
            continue
        own = clock_values.facts(row["zone"], row["quiet"], row["absences"])
        announced = [at for absence in own.absences for at in (absence.announced_at, absence.ends) if at <= now]
        yield Deadline(
            table=row["id"],
            stretch=clock.stretch.wait,
            # Only the settings of the player to move count, so they can stand for everybody's.
            at=step_at(clock, clock.stretch, (own,) * len(row["names"])),
            step=step,
            seat=row["turn"],
            names=tuple(row["names"]),
            changes=row["changes"],
            changed_at=max([row["last_at"], *announced]),
        )


def _clock(session: Session, row: RowMapping) -> GameClock | None:
    """Return the clock of a game as stored, or computed from its log if none is stored."""
    if row["clock"] is not None:
        return clock_values.parsed(row["clock"], row["agreed"], row["abandoned_after"])
    table = load(session, row["id"])
    return None if table is None else table.clock
