"""Build the clock of a game entry by entry, for tests of single rulings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.clock.terms import ABANDONED_AFTER, Ladder, Terms, clock_from_json
from engine.moves import REFILL, RESIGN, TIMEOUT, Mark, Move
from engine.record import stamp
from service.clocks import clock_json, quiet_times
from service.clocks.entries import after, begin, fold
from service.clocks.game_clock import ClockEntry, GameClock, Stretch
from service.clocks.seats import SeatFacts
from service.clocks.steps import Due, due

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
START = datetime(2026, 5, 4, 10, tzinfo=UTC)
"""A Monday."""

PER_DAY = {"kind": "per_wait", "per_wait": "P1D"}
BANK = {"kind": "bank", "bank": "P5D", "increment": "P1D", "cap": "P7D"}
NIGHTS = quiet_times.parse([{"days": list(quiet_times.DAYS), "from": "22:00", "to": "07:00"}], "UTC")
PERSON, BOT = SeatFacts(), SeatFacts(bot=True)


class Built:
    """A game with a clock, in which the test says what happens."""

    def __init__(
        self,
        clock: dict[str, Any] | None = None,
        *,
        facts: Sequence[SeatFacts] = (PERSON, PERSON),
        nudge: timedelta = DAY,
        grace: timedelta | None = None,
        then: str = "out",
        quiet: bool = True,
        absences: bool = True,
    ) -> None:
        settled = clock_from_json(PER_DAY if clock is None else clock)
        self.terms = None if settled.kind == "none" else Terms(settled, Ladder(nudge, grace, then), quiet, absences)
        self.facts = list(facts)
        self.entries: list[tuple[ClockEntry, int | None]] = []
        self.clock: GameClock = begin(self.terms, ABANDONED_AFTER, self.facts, 0, START)

    @property
    def stretch(self) -> Stretch:
        """The stretch that is on."""
        assert self.clock.stretch is not None
        return self.clock.stretch

    @property
    def turn(self) -> int:
        """The seat to move."""
        return self.stretch.seat

    def enter(
        self, when: float | datetime, seat: int | None, move: Move, turn: int | None, by: str | None = None
    ) -> GameClock:
        """Append an entry, at an instant or a number of hours after the start."""
        at = when if isinstance(when, datetime) else START + when * HOUR
        entry = ClockEntry(len(self.entries) + 1, at, seat, by, move)
        self.entries.append((entry, turn))
        self.clock = after(self.clock, entry, turn, self.facts)
        stored = json.loads(json.dumps(clock_json.to_json(self.clock)))
        assert clock_json.from_json(stored, self.terms, ABANDONED_AFTER) == self.clock
        return self.clock

    def move(self, hours: float, turn: int | None, by: str | None = None) -> GameClock:
        """Let the seat to move place or refill; `turn` is to move then."""
        return self.enter(hours, self.turn, REFILL, turn, by)

    def mark(self, hours: float, kind: str, seat: int | None = None, by: str | None = None, **data: Any) -> GameClock:
        """Append a mark, of the seat to move unless another one or the host is named."""
        whose = None if by == "host" else self.turn if seat is None else seat
        return self.enter(hours, whose, Mark(kind, data or None), self.turn, by)

    def leave(self, hours: float, seat: int, turn: int | None, timeout: bool = False) -> GameClock:
        """Let a seat leave."""
        return self.enter(hours, seat, TIMEOUT if timeout else RESIGN, turn)

    def more(self, hours: float, duration: str, by: str | None = None) -> GameClock:
        """Let the others, or the host, give time to the seat to move."""
        given = {"reason": "a storm", "seat": self.turn} if by else {"given_by": [1]}
        whose = None if by else self.turn
        data = {"wait": self.stretch.wait, "for": duration, **given}
        return self.enter(hours, whose, Mark("clock.more", data), self.turn, by)

    def pause(self, hours: float, until: float) -> GameClock:
        """Let the host pause the game, until a number of hours after the start."""
        return self.mark(hours, "clock.pause", by="host", until=stamp(START + until * HOUR), reason="a fair")

    def resume(self, hours: float) -> GameClock:
        """Let the host resume the game."""
        return self.mark(hours, "clock.resume", by="host", reason="over")

    def outage(self, since: float, until: float) -> GameClock:
        """Give back an outage, when it is over."""
        data = {"wait": self.stretch.wait, "from": stamp(START + since * HOUR), "to": stamp(START + until * HOUR)}
        mark = Mark("clock.outage", {**data, "what": ["worker"]})
        entry = ClockEntry(len(self.entries) + 1, START + until * HOUR, self.turn, None, mark)
        self.entries.append((entry, self.turn))
        self.clock = self.folded()
        return self.clock

    def folded(self) -> GameClock:
        """Return the clock computed anew from the whole log, with the words as they are."""
        made = fold(self.terms, ABANDONED_AFTER, lambda _: self.facts, 0, START, self.entries)
        return replace(made, words=self.clock.words)

    def due(self) -> Due:
        """Return the step that is due next."""
        found = due(self.clock, self.facts)
        assert found is not None
        return found

    def step(self, late: timedelta = timedelta()) -> Due:
        """Take the step that is due, which ends the stretch only if somebody is put out: the next seat is to move."""
        found = self.due()
        turn: int | None = self.turn
        if found.what == "out":
            others = [seat for seat in self.clock.remaining() if seat != self.turn]
            turn = others[0] if len(others) > 1 else None
        self.enter(found.at + late, found.seat, found.move, turn)
        return found


def hours(at: datetime | None) -> float:
    """Return the hours between the start and an instant."""
    assert at is not None
    return (at - START) / HOUR
