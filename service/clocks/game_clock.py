"""The clock of one game: a frozen value that `entries` computes from the log, and that the modules beside it read.

Everything is computed from instants that were passed in, and nothing is rounded (CLOCKS.md 1.5).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from engine.clock.terms import Bank, NoClock, PerWait, Terms
from engine.moves import Move
from service.clocks.quiet_times import Interval, Schedule

IN_TIME, NUDGE, GRACE, AUTOPILOT = "in_time", "nudge", "grace", "autopilot"
"""The stages of a stretch (6.3)."""

ZERO = timedelta()


class ClockEntry(NamedTuple):
    """An entry of a game's log; `by` is who acted instead of the player: "bot:…" or "host"."""

    seq: int
    at: datetime
    seat: int | None
    by: str | None
    move: Move


class Late(NamedTuple):
    """A time in nudge or grace; without an end it goes on."""

    begins: datetime
    ends: datetime | None


class Segment(NamedTuple):
    """A part of a stretch: its beginning, the time left then, and how much of that had been added."""

    since: datetime
    left: timedelta
    added: timedelta


@dataclass(frozen=True, slots=True)
class Stretch:
    """The current stretch (1.3).

    Attributes:
        seat: the seat to move.
        wait: its number: the `seq` of the entry that began it, 0 for the start.
        began_at: when it began.
        schedule: the quiet times that apply to it (3.4); None if there are none, or they do not stop its clock.
        stage: "in_time", "nudge", "grace" or "autopilot".
        since: the instant from which `left` is charged: the beginning, the last `more` or `back`, or the last step.
        left: the time left at `since`, of the stage's own duration if a step was taken.
        allowance: the time at its beginning, or at the last return from autopilot (6.6).
        added: the time given since then (7.5).
        by_table: the time that the players gave in this stretch.
        late: when it was in nudge or grace: absences that were announced then do not stop it (4.6).
        ran_out_at: when time ran out; None in time.
        before: the earlier segments: one for each `more` that came in time since the beginning or the last `back`.
    """

    seat: int
    wait: int
    began_at: datetime
    since: datetime
    schedule: Schedule | None = None
    stage: str = IN_TIME
    left: timedelta = ZERO
    allowance: timedelta = ZERO
    added: timedelta = ZERO
    by_table: timedelta = ZERO
    late: tuple[Late, ...] = ()
    ran_out_at: datetime | None = None
    before: tuple[Segment, ...] = ()


class Word(NamedTuple):
    """An offer of time by one seat to the seat to move (7.5)."""

    seat: int
    duration: timedelta
    at: datetime


@dataclass(frozen=True, slots=True)
class GameClock:
    """The state of a running or finished game's clock.

    Attributes:
        terms: the clock and the ladder; None for a game without a clock.
        abandoned_after: the time after which a game ends that nobody plays (9.1).
        seats: the number of seats.
        bots: the seats that a bot plays from the start.
        banks: the time of each seat; for the seat to move, that at the beginning of its stretch; empty without banks.
        stretch: the current stretch; None when the game is over.
        last_at: when the last entry was made.
        idle_since: the time since which nobody has played (9.1).
        left_seats: the seats that have left.
        autopilot: the seats that the bot plays until they are taken back (6.5).
        graced: the seats that have used their grace (6.2).
        words: the players' offers of time in this stretch (7.5).
        pauses: the host's pauses that still matter (7.2).
        outages: the outages that are given back and still matter (8.3).
        not_before: the earliest time at which the game may end as abandoned, once it was warned (9.1).
    """

    terms: Terms | None
    abandoned_after: timedelta
    seats: int
    bots: frozenset[int]
    banks: tuple[timedelta, ...]
    stretch: Stretch | None
    last_at: datetime
    idle_since: datetime
    left_seats: frozenset[int] = frozenset()
    autopilot: frozenset[int] = frozenset()
    graced: frozenset[int] = frozenset()
    words: tuple[Word, ...] = ()
    pauses: tuple[Interval, ...] = ()
    outages: tuple[Interval, ...] = ()
    not_before: datetime | None = None

    @property
    def kind(self) -> str:
        """The kind of the clock: "none", "per_wait" or "bank"."""
        return NoClock.kind if self.terms is None else self.terms.clock.kind

    def remaining(self) -> list[int]:
        """Return the seats that have not left."""
        return [seat for seat in range(self.seats) if seat not in self.left_seats]

    def persons(self) -> list[int]:
        """Return the seats that no bot plays, that have not left and are not on autopilot."""
        return [seat for seat in self.remaining() if self.is_person(seat)]

    def is_person(self, seat: int) -> bool:
        """Return whether a seat that has not left is played by a person now."""
        return seat not in self.bots and seat not in self.autopilot

    def bot_moves(self) -> int | None:
        """Return the seat to move if a bot has to play it, from the start or on autopilot (6.5); otherwise None."""
        stretch = self.stretch
        return None if stretch is None or self.is_person(stretch.seat) else stretch.seat

    def runs(self) -> Stretch | None:
        """Return the current stretch if there is a clock and a person is to move, and otherwise None."""
        stretch = self.stretch
        return stretch if stretch is not None and self.terms is not None and self.is_person(stretch.seat) else None

    def allowance(self, seat: int) -> timedelta:
        """Return the time with which a stretch of this seat would begin now (2.4)."""
        clock = None if self.terms is None else self.terms.clock
        if isinstance(clock, PerWait):
            return clock.per_wait
        return self.banks[seat] if isinstance(clock, Bank) else ZERO
