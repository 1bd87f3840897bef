"""A game whose entries a script appends one by one, with real moves, and times and marks as the script wants them."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import Any

from engine import record
from engine.bots import greedy
from engine.clock import marks
from engine.clock.durations import parse
from engine.clock.marks import ClockMark, ClockStart
from engine.clock.terms import Bank, Ladder, PerWait, Terms
from engine.draw import Draw, Stream
from engine.moves import END, RESIGN, TIMEOUT, Mark, Move, from_json
from engine.view import TableView

NAMES = ("Ada", "Ben", "Zoë", "Đorđe")
BOT = "bot:greedy"
_CREATED = datetime(2026, 5, 3, 18, tzinfo=UTC)
_STARTED = datetime(2026, 5, 4, 10, tzinfo=UTC)
_HOST_MARKS = (marks.HostMore, marks.HostPause, marks.HostResume, marks.HostOut, marks.HostEnd)


def per_wait(duration: str, nudge: str = "P1D", grace: str | None = "P2D", then: str = "out") -> Terms:
    """Return the settings of a game with the same time for each stretch."""
    return Terms(PerWait(parse(duration)), _ladder(nudge, grace, then))


def bank(amounts: str, nudge: str = "P1D", grace: str | None = None, then: str = "autopilot") -> Terms:
    """Return the settings of a game with banks; `amounts` are bank, increment and cap."""
    return Terms(Bank(*map(parse, amounts.split())), _ladder(nudge, grace, then))


def _ladder(nudge: str, grace: str | None, then: str) -> Ladder:
    return Ladder(parse(nudge), None if grace is None else parse(grace), then)


class TimedGame:
    """A game under way; the clock's rules are not looked at, so that a script can break them.

    Attributes:
        now: the time of the next entry.
        state: the game so far.
        entries: its log.
    """

    def __init__(self, name: str, terms: Terms | None, seats: int = 2, goal_discs: int = 5) -> None:
        """Start a game; with terms, entry 1 is the mark `clock`. A game for one is a solo."""
        seed = hashlib.sha256(f"clock record {name}".encode()).digest()
        draw = Draw(seed, name, ("",) * seats)
        self._seed, self._rng = seed, Stream(seed, "moves")
        self._header = record.header(
            game=name,
            kind="match" if seats > 1 else "solo",
            goal_discs=goal_discs if seats > 1 else 21,
            created_at=record.stamp(_CREATED),
            started_at=record.stamp(_STARTED),
            subject=name,
            commitment=draw.commitment,
            entropy=draw.entropy,
            stack=draw.stack,
        )
        self.now = _STARTED
        self.state = record.start(self._header, draw.tiles)
        self.entries: list[record.Object] = []
        if terms is not None:
            self.mark(ClockStart(terms))

    @property
    def turn(self) -> int:
        """The seat to move."""
        assert self.state.turn is not None
        return self.state.turn

    @property
    def seq(self) -> int:
        """The number of the last entry."""
        return len(self.entries)

    @property
    def wait(self) -> int:
        """The number of the stretch that is on."""
        number, turn = 0, None
        state = record.start(self._header, self.state.wheel.tiles)
        for entry in self.entries:
            before, turn = state.turn, state.advance(entry["seat"], from_json(entry["move"])).turn
            number = entry["seq"] if turn != before else number
        return number

    def after(self, duration: str, milliseconds: int = 0) -> TimedGame:
        """Let time pass."""
        self.now += parse(duration) + timedelta(milliseconds=milliseconds)
        return self

    def add(self, seat: int | None, move: Move, by: str | None = None) -> TimedGame:
        """Append an entry."""
        prev = self.entries[-1]["hash"] if self.entries else record.digest(self._header)
        self.state.advance(seat, move)
        self.entries.append(record.entry(self.seq + 1, record.stamp(self.now), seat, move, by, prev))
        return self

    def play(self, by: str | None = None) -> TimedGame:
        """Make a move of the seat to move."""
        return self.add(self.turn, greedy.choose(TableView(self.state), self.state.legal_moves(), self._rng), by)

    def pass_turn(self, by: str | None = None) -> TimedGame:
        """Make moves of the seat to move until it is another one's turn, a minute apart."""
        turn = self.turn
        self.play(by)
        while self.state.turn == turn:
            self.after("PT1M").play(by)
        return self

    def reach(self, *seats: int) -> TimedGame:
        """Make own moves until it is the turn of one of these seats."""
        while self.turn not in seats:
            self.after("PT1H").play()
        return self

    def mark(self, value: ClockMark, seat: int | None = None) -> TimedGame:
        """Append a mark, of the host or of the seat to move if no other is given."""
        if isinstance(value, _HOST_MARKS):
            return self.add(None, marks.write(value), "host")
        return self.add(self.turn if seat is None else seat, marks.write(value))

    def raw(self, kind: str, data: Any = None, seat: int | None = None, by: str | None = None) -> TimedGame:
        """Append a mark as it is written, right or wrong."""
        return self.add(self.turn if seat is None and by != "host" else seat, Mark(kind, data), by)

    def nudge(self, lasts: str, next_: marks.Next | None) -> TimedGame:
        """Append a nudge for the seat to move."""
        return self.mark(marks.LadderStep("nudge", self.wait, parse(lasts), next_))

    def grace(self, lasts: str, next_: marks.Next | None) -> TimedGame:
        """Append a grace for the seat to move."""
        return self.mark(marks.LadderStep("grace", self.wait, parse(lasts), next_))

    def autopilot(self) -> TimedGame:
        """Append the mark from which the bot plays the seat to move."""
        return self.mark(marks.Autopilot(self.wait))

    def more(self, lasts: str, *given_by: int) -> TimedGame:
        """Append the time that the others give to the seat to move."""
        return self.mark(marks.More(self.wait, parse(lasts), given_by))

    def host_more(self, lasts: str, seat: int) -> TimedGame:
        """Append the time that the host gives to a seat."""
        return self.mark(marks.HostMore(self.wait, seat, parse(lasts), "a storm"))

    def pause(self, duration: str) -> TimedGame:
        """Append a pause by the host."""
        return self.mark(marks.HostPause(self.now + parse(duration), "moving house"))

    def outage(self, duration: str, *parts: str) -> TimedGame:
        """Append an outage that has just ended."""
        return self.mark(marks.Outage(self.wait, self.now - parse(duration), self.now, parts))

    def warning(self, duration: str = "P14D") -> TimedGame:
        """Append the warning that the game ends after this time."""
        return self.mark(marks.AbandonWarning(self.wait, self.now + parse(duration)))

    def resign(self, seat: int) -> TimedGame:
        """Let a player leave."""
        return self.add(seat, RESIGN)

    def host_out(self, seat: int) -> TimedGame:
        """Append the host's word that a seat is put out."""
        return self.mark(marks.HostOut(seat, "no answer"))

    def resume(self) -> TimedGame:
        """Append the end of a pause by the host."""
        return self.mark(marks.HostResume("all are back"))

    def host_end(self) -> TimedGame:
        """Append the host's word that the game ends."""
        return self.mark(marks.HostEnd("the server moves"))

    def timeout(self, seat: int | None = None) -> TimedGame:
        """Put a seat out, the one to move if no other is given."""
        return self.add(self.turn if seat is None else seat, TIMEOUT)

    def end(self, by: str | None = None) -> TimedGame:
        """End the game."""
        return self.add(None, END, by)

    def record(self) -> record.Object:
        """Return the record so far; a finished game shows its seed."""
        return record.build(
            header=self._header,
            names=NAMES[: self.state.seats],
            entries=self.entries,
            state=self.state,
            server_seed=self._seed if self.state.result is not None else None,
        )
