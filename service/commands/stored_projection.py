"""Compare the stored projection of a game with the one that its log gives, for audits and for rebuilding it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple, Protocol

from sqlalchemy.orm import Session

from service.clocks import reckoning
from service.commands import clock_folding
from service.queries import clock_values
from service.queries.table import LoadedTable, load
from service.store.log import Progress

_OF_CLOCK = ("acted_seq", "clock", "runs_out_at", "clock_due_at")
"""The columns that are valid only where `clock_seq` is the version."""


class Stored(Protocol):
    """A stored row of `progress`; `service.store.tables.ProgressRow` explains it."""

    @property
    def version(self) -> int:
        """The version of the game."""

    @property
    def clock_seq(self) -> int | None:
        """The version that the columns of clocks are of."""

    @property
    def clock_due_at(self) -> datetime | None:
        """The time before which nobody needs to look at the game."""


class Difference(NamedTuple):
    """A column that is not what the log gives, and a sentence that says so."""

    column: str
    why: str


def is_behind(stored: Stored) -> bool:
    """Return whether the previous release, which sets no column of clocks, made the last entry.

    These columns are then computed from the log whenever they are needed, so whatever they are is right.
    """
    return stored.clock_seq != stored.version


def with_clock(session: Session, table_id: str, progress: Progress) -> LoadedTable:
    """Return a running game's table with the progress that its log gives, and its clock in that if it has one.

    The clock follows from the log, the players' settings and their offers of time.
    """
    table = load(session, table_id)
    assert table is not None, "it has started"
    table = replace(table, progress=progress)
    if table.terms is None:
        return table
    clock = clock_folding.folded(session, table)
    out_at = reckoning.runs_out_at(clock, table.seat_facts)
    return replace(table, progress=progress._replace(clock=clock_values.rendered(clock), runs_out_at=out_at))


def differences(stored: Stored, progress: Progress, accounts: Mapping[int, str | None]) -> Iterator[Difference]:
    """Yield the columns that are not those of the progress that the log gives; `accounts` are those by seat.

    `clock_due_at` may be any time before the right one, so that of a running game must only be set.
    """
    behind, is_running = is_behind(stored), progress.status == "running"
    expected: dict[str, object] = progress._asdict()
    expected["turn_account"] = None if progress.turn is None else accounts.get(progress.turn)
    if behind or is_running:
        del expected["clock_due_at"]
    for name, value in expected.items():
        if behind and name in _OF_CLOCK:
            continue
        kept = getattr(stored, name)
        if kept != value and not (name == "clock" and clock_values.are_same(kept, progress.clock)):
            yield Difference(name, f"{name} is {_shown(kept)} and must be {_shown(value)}")
    if is_running and stored.clock_due_at is None:
        yield Difference("clock_due_at", "clock_due_at is None, so nobody would look at it")


def _shown(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)
