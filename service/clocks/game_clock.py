"""The clock of one game: a frozen value, made from the log's entries by `entries` and asked by the modules beside it.

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
    """One entry of a game's log; `by` is who acted if not the player: "bot:…" or "host"."""

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
    """A part of a stretch: since when so much was left, of which so much had been added."""

    since: datetime
    left: timedelta
    added: timedelta


@dataclass(frozen=True, slots=True)
class Stretch:
    """The stretch that is on (1.3).

    Attributes:
        seat: the seat that is waited for.
        wait: its number: the `seq` of the entry that began it, 0 for the start.
        began_at: when it began.
        schedule: the quiet times that it keeps (3.4); None if they do not stop its clock, or it has none.
        stage: "in_time", "nudge", "grace" or "autopilot".
        since: from when on `left` is charged: the beginning, the last `more` or `back`, or the last step.
        left: what was left then: of the time in time, else of the duration of that step.
        allowance: what it began with, or what it goes on with since its seat was taken back (6.6).
        added: what was given since (7.5).
        by_table: how much the players gave in this stretch.
        late: when it was in nudge or grace: absences that were announced then do not stop it (4.6).
        ran_out_at: when time ran out; None in time.
        before: how it was counted before each `more` that came in time, from the beginning or the last `back` on.
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
    """A duration that one seat would give to the seat to move (7.5)."""

    seat: int
    duration: timedelta
    at: datetime


@dataclass(frozen=True, slots=True)
class GameClock:
    """All that the clock of a running or finished game needs to go on.

    Attributes:
        terms: the clock and the ladder; None for a game without a clock.
        abandoned_after: after how long a game ends that nobody plays (9.1).
        seats: the number of seats.
        bots: the seats that a bot plays from the start.
        banks: what each seat has, of the seat to move what its stretch began with; empty without banks.
        stretch: the stretch that is on; None when the game is over.
        last_at: when the last entry was made.
        idle_since: from when on is counted how long nobody has played (9.1).
        left_seats: the seats that have left.
        autopilot: the seats that the bot plays until they are taken back (6.5).
        graced: the seats that have had their grace (6.2).
        words: what players would give in this stretch (7.5).
        pauses: the host's pauses, as far as they still matter (7.2).
        outages: the outages that are given back, as far as they still matter (8.3).
        not_before: when the game may end at the earliest, if it was warned (9.1).
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
        """Return the seat to move if a bot has to play it: from the start or on autopilot (6.5)."""
        stretch = self.stretch
        return None if stretch is None or self.is_person(stretch.seat) else stretch.seat

    def runs(self) -> Stretch | None:
        """Return the stretch whose clock counts: the one that is on, if there is a clock and a person is to move."""
        stretch = self.stretch
        return stretch if stretch is not None and self.terms is not None and self.is_person(stretch.seat) else None

    def allowance(self, seat: int) -> timedelta:
        """Return what a stretch of this seat would begin with now (2.4)."""
        clock = None if self.terms is None else self.terms.clock
        if isinstance(clock, PerWait):
            return clock.per_wait
        return self.banks[seat] if isinstance(clock, Bank) else ZERO
