"""The state of a game's clock after the entries of its log: stretch, ladder, pauses, and who is at the table."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from engine import State
from engine.clock.bot_seats import BotSeats
from engine.clock.least_time import LeastTime, Stretch
from engine.clock.marks import (
    AbandonWarning,
    Autopilot,
    Back,
    ClockMark,
    HostMore,
    HostPause,
    HostResume,
    Keep,
    LadderStep,
    More,
)
from engine.clock.terms import Terms
from engine.game import Match
from engine.moves import Move, Place, Refill, Resign, Timeout


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An entry of the log whose form is right; `mark` is the meaning of its mark if a clock or the host made it."""

    seq: int
    at: datetime
    seat: int | None
    by: str | None
    move: Move
    mark: ClockMark | None

    @property
    def is_own_turn(self) -> bool:
        """True if a player placed or refilled."""
        return self.by is None and isinstance(self.move, Place | Refill)

    @property
    def is_leaving(self) -> bool:
        """True if a seat left the game."""
        return isinstance(self.move, Resign | Timeout)


@dataclass(slots=True)
class LogState:
    """The state of a game's clock according to its log.

    Attributes:
        terms: the settings of the clock; None if the game has none.
        players: who plays the seats, as far as the log tells.
        stretch: the current stretch; None when the game is over.
        counted_from: the time from which the game is abandoned, if nobody does anything (9.1).
        least: the banks; None without a clock.
        autopilot: the seats on autopilot.
        graced: the seats that have used their grace.
        left: the seats that have left.
        paused_until: when the last pause ends, None if it was ended.
        warning: the current warning, if there is one.
        last: the entry before.
    """

    terms: Terms | None
    players: BotSeats
    seats: int
    stretch: Stretch | None
    counted_from: datetime
    least: LeastTime | None = None
    autopilot: set[int] = field(default_factory=set)
    graced: set[int] = field(default_factory=set)
    left: frozenset[int] = frozenset()
    paused_until: datetime | None = None
    warning: AbandonWarning | None = None
    last: LogEntry | None = None

    @property
    def there(self) -> frozenset[int]:
        """The seats that have not left."""
        return frozenset(range(self.seats)) - self.left

    @property
    def persons(self) -> frozenset[int]:
        """The seats that persons certainly play now."""
        return (self.there & self.players.persons) - self.autopilot

    @property
    def possible_persons(self) -> frozenset[int]:
        """The seats that persons may play now."""
        return self.there - self.players.bots - self.autopilot

    def paused(self, at: datetime) -> bool:
        """Return whether the host has paused the game at an instant."""
        return self.paused_until is not None and at < self.paused_until

    def add(self, entry: LogEntry, state: State) -> None:
        """Change the state by an entry; `state` is that of the game after it."""
        self._count(entry)
        self._speak(entry)
        self._play(entry, state.turn)
        if isinstance(state, Match):
            self.left = frozenset(state.moon.left)
        self._pass_turn(entry, state.turn)
        self.last = entry

    def _count(self, entry: LogEntry) -> None:
        """Restart the time until the game is abandoned, if the entry does that (9.1, 9.2)."""
        acted = entry.is_own_turn or (entry.is_leaving and entry.by is None)
        if acted or isinstance(entry.mark, Keep | LadderStep | Autopilot | More | HostMore):
            self.counted_from, self.warning = entry.at, None

    def _speak(self, entry: LogEntry) -> None:
        match entry.mark:
            case HostPause(until):
                self.paused_until = until
            case HostResume():
                self.paused_until = None
            case AbandonWarning():
                self.warning = entry.mark
            case LadderStep(name):
                assert self.stretch is not None
                self.stretch.take(entry.mark, entry.at)
                if name == "grace":
                    self.graced.add(self.stretch.seat)
            case More(_, lasts) | HostMore(_, _, lasts):
                assert self.stretch is not None
                if isinstance(entry.mark, More):
                    self.stretch.given += lasts
                self.stretch.renew(self.stretch.left_at(entry.at) + lasts, entry.at)
            case Autopilot():
                assert self.stretch is not None and self.least is not None
                self.autopilot.add(self.stretch.seat)
                self.least.empty(self.stretch.seat)
            case Back():
                assert entry.seat is not None
                self._take_back(entry.seat, entry.at)

    def _play(self, entry: LogEntry, turn: int | None) -> None:
        """Charge and credit an own move (2.4 to 2.6, 6.3)."""
        stretch = self.stretch
        if not entry.is_own_turn or self.least is None or stretch is None:
            return
        if stretch.seat in self.autopilot:
            self._take_back(stretch.seat, entry.at)
        elif turn != stretch.seat:
            self.least.credit(stretch.seat, stretch.left_at(entry.at))

    def _take_back(self, seat: int, at: datetime) -> None:
        assert self.least is not None
        self.autopilot.discard(seat)
        self.least.take_back(seat)
        if self.stretch is not None and self.stretch.seat == seat:
            self.stretch.renew(self.least.allowance(seat), at)

    def _pass_turn(self, entry: LogEntry, turn: int | None) -> None:
        """Begin a stretch if the entry passes the turn to another player (1.3)."""
        if turn is None:
            self.stretch = None
        elif self.stretch is None or turn != self.stretch.seat:
            self.stretch = Stretch(entry.seq, turn, entry.at, self.allowance(turn))

    def allowance(self, seat: int) -> timedelta:
        """Return the least time with which a stretch of a seat begins; nothing without a clock."""
        return self.least.allowance(seat) if self.least is not None else timedelta()
