"""Verify the entries of clocks and of the host in a log, by the log alone (docs/FORMATS.md, "Clocks in a record").

A game with a clock has the mark `clock` as entry 1. In any other game, only the form of the clock's and the host's
marks is verified, and what they need of the entries beside them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from engine import State
from engine.clock.bot_seats import BotSeats, bot_seats
from engine.clock.least_time import LeastTime, Stretch
from engine.clock.log_state import LogEntry, LogState
from engine.clock.mark_forms import EntryError, is_reserved, read
from engine.clock.marks import (
    AbandonWarning,
    Autopilot,
    Back,
    ClockStart,
    HostEnd,
    HostMore,
    HostOut,
    HostPause,
    HostResume,
    Keep,
    LadderStep,
    More,
    Outage,
)
from engine.clock.terms import BOUNDS, LONGEST_PAUSE, MOST_GIVEN, WARNED_BEFORE
from engine.errors import RecordError
from engine.moves import End, Mark, Move, Timeout
from engine.record import Object, moment, stamp

_HOSTS = HostMore | HostPause | HostResume | HostOut | HostEnd
_WAITING = LadderStep | Autopilot | More | HostMore | Outage | AbandonWarning
_CLOCKS = LadderStep | Autopilot | Back | More | HostMore | Outage


class ClockAudit:
    """The audit of one record's clock, entry by entry."""

    def __init__(self, record: Object, state: State) -> None:
        """Begin with the state of the game at its start; the log may still be anything."""
        log, started_at = record["log"], moment(record["game"]["started_at"])
        timed = bool(log) and _mark_kind(log[0]) == "clock"
        assert state.turn is not None
        self._log = LogState(
            terms=None,
            players=bot_seats(log) if timed else BotSeats(frozenset(), frozenset()),
            seats=state.seats,
            stretch=Stretch(0, state.turn, started_at, timedelta(0)),
            counted_from=started_at,
        )

    def check(self, value: Object, move: Move, state: State) -> None:
        """Verify an entry whose form is right and whose move is legal; `state` is that of the game after it.

        Raises:
            RecordError: neither a clock nor the host can have caused the entry.
        """
        seq, seat, by = value["seq"], value["seat"], value.get("by")
        try:
            mark = read(move) if isinstance(move, Mark) else None
            entry = LogEntry(seq, moment(value["at"]), seat, by, move, mark)
            self._check_promise(entry)
            if mark is not None:
                self._check_mark(entry)
            if self._log.terms is not None:
                self._check_bot(entry)
                self._check_timeout(entry)
                self._check_end(entry)
        except EntryError as error:
            raise RecordError(seq, str(error), "clock") from None
        except OverflowError:
            raise RecordError(seq, "a time is beyond the year 9999", "clock") from None
        if isinstance(mark, ClockStart):
            self._start(mark, state)
        self._log.add(entry, state)

    def finish(self) -> None:
        """Verify that the log does not end with an entry that another one must follow at once.

        Raises:
            RecordError: it does.
        """
        last = self._log.last
        if last is not None and isinstance(last.mark, HostOut | HostEnd):
            what = "the timeout" if isinstance(last.mark, HostOut) else "the end"
            raise RecordError(last.seq, f"{what} that the host's word announces does not follow", "clock")

    def _start(self, mark: ClockStart, state: State) -> None:
        self._log.terms, self._log.least = mark.terms, LeastTime(mark.terms, state.seats)
        assert self._log.stretch is not None
        self._log.stretch.left = self._log.allowance(self._log.stretch.seat)

    def _check_promise(self, entry: LogEntry) -> None:
        """Verify that an entry is the one that the entry before it announced, if it announced one."""
        last = self._log.last
        match last.mark if last is not None else None:
            case HostOut(seat):
                _hold(
                    isinstance(entry.move, Timeout) and entry.seat == seat,
                    f"after host.out comes the timeout of seat {seat}",
                )
            case HostEnd():
                _hold(isinstance(entry.move, End) and entry.by == "host", "after host.end comes the end by the host")
        if self._log.terms is not None and self._left_nobody() and not self._log.possible_persons:
            _hold(
                isinstance(entry.move, End) and entry.by is None,
                f"entry {entry.seq - 1} left no person at the table, so that the game ends",
            )

    def _left_nobody(self) -> bool:
        """Return whether the entry before was a step or a leaving after which possibly no person is left (9.3)."""
        last = self._log.last
        return last is not None and (last.is_leaving or isinstance(last.mark, Autopilot)) and not self._log.persons

    def _check_mark(self, entry: LogEntry) -> None:
        log, mark, seat = self._log, entry.mark, entry.seat
        assert log.stretch is not None and isinstance(entry.move, Mark)
        kind = entry.move.kind
        if isinstance(mark, _HOSTS):
            _hold(entry.by == "host", f"a {kind} with these data is the host's")
        else:
            _hold(entry.by is None, f"a {kind} carries no by")
        if log.terms is None:
            _hold(not isinstance(mark, _CLOCKS), f"a game without a clock has no {kind}")
        if isinstance(mark, _WAITING):
            turn, number = log.stretch.seat, log.stretch.number
            waiting = mark.seat if isinstance(mark, HostMore) else seat
            _hold(waiting == turn, f"the {kind} is for seat {waiting}, but seat {turn} is to move")
            _hold(mark.wait == number, f"wait of the {kind} is {mark.wait}, but the stretch is number {number}")
        if isinstance(mark, LadderStep | Autopilot | More | HostMore):
            turn = log.stretch.seat
            _hold(turn not in log.players.bots, f"a bot plays seat {turn}, which has no clock")
            _hold(turn not in log.autopilot, f"seat {turn} is on autopilot and has no clock")
        match mark:
            case ClockStart():
                _hold(entry.seq == 1, "the mark clock is entry 1, or there is none")
                _hold(log.seats > 1, "a solo has no clock")
                _hold(seat == log.stretch.seat, f"the mark clock is for seat {log.stretch.seat}, which moves first")
            case LadderStep("nudge"):
                self._check_nudge(entry, mark, log.stretch)
            case LadderStep("grace"):
                self._check_due(entry, "grace")
                assert log.terms is not None
                self._check_ladder(mark, log.terms.ladder.grace, self._then())
            case Autopilot():
                self._check_due(entry, "autopilot")
            case Back():
                _hold(seat in log.autopilot, f"seat {seat} is not on autopilot")
            case Keep():
                _hold(seat not in log.left, f"seat {seat} has left")
                _hold(seat not in log.players.bots, f"a bot plays seat {seat}")
            case More():
                self._check_more(mark, log.stretch)
            case Outage(_, _, ends):
                _hold(ends <= entry.at, "the outage reaches past the entry")
            case AbandonWarning():
                self._check_warning(entry, mark)
            case HostPause(until):
                most = entry.at + LONGEST_PAUSE
                _hold(entry.at < until <= most, f"a pause ends after its entry, at {stamp(most)} at the latest")
            case HostResume():
                _hold(log.paused(entry.at), "no pause is on that could be ended")
            case HostOut(out):
                _hold(out in log.there, f"seat {out} is not in the game")

    def _check_nudge(self, entry: LogEntry, mark: LadderStep, stretch: Stretch) -> None:
        assert self._log.terms is not None
        _hold(stretch.step is None, "the time of this stretch was up already")
        least = stretch.since + stretch.left
        _hold(least <= entry.at, f"the nudge is early: the time is not up before {stamp(least)}")
        _hold(not self._log.paused(entry.at), "a step is taken while the game is paused")
        ladder = self._log.terms.ladder
        graceful = ladder.grace is not None and stretch.seat not in self._log.graced
        self._check_ladder(mark, ladder.nudge, "grace" if graceful else self._then())

    def _then(self) -> str | None:
        assert self._log.terms is not None
        then = self._log.terms.ladder.then
        return None if then == "wait" else then

    def _check_ladder(self, mark: LadderStep, lasts: timedelta | None, next_: str | None) -> None:
        _hold(mark.lasts == lasts, f"for of the {mark.name} is not the ladder's")
        _hold(mark.next == next_, f"next of the {mark.name} is {mark.next}, but the ladder has {next_}")

    def _check_due(self, entry: LogEntry, name: str) -> None:
        """Verify that the step before named this one as the next, and that enough time has passed since."""
        stretch = self._log.stretch
        assert stretch is not None
        step, stepped_at = stretch.step, stretch.stepped_at
        _hold(step is not None and step.next == name, f"no step of this stretch that stands has named {name}")
        assert step is not None and stepped_at is not None
        least = stepped_at + step.lasts
        _hold(least <= entry.at, f"{name} is early: the {step.name} lasts until {stamp(least)} at least")
        _hold(not self._log.paused(entry.at), "a step is taken while the game is paused")

    def _check_more(self, mark: More, stretch: Stretch) -> None:
        givers, others = set(mark.given_by), self._log.possible_persons - {stretch.seat}
        certain = self._log.persons - {stretch.seat}
        _hold(certain <= givers <= others, f"given_by is not all other persons, {sorted(others)}")
        _hold(stretch.given + mark.lasts <= MOST_GIVEN, "more than 28 days are given in one stretch")

    def _check_warning(self, entry: LogEntry, mark: AbandonWarning) -> None:
        log, stretch = self._log, self._log.stretch
        assert stretch is not None
        goes_on = log.terms is not None and (stretch.step is None or stretch.step.next is not None)
        if goes_on:
            no_clock = stretch.seat in log.autopilot or stretch.seat in log.players.bots
            _hold(no_clock, "a warning comes where the ladder has no further step")
        _hold(not log.paused(entry.at), "a warning is given while the game is paused")
        _hold(mark.not_before >= entry.at + WARNED_BEFORE, "the end is not 14 days or more after the warning")
        least = log.counted_from + BOUNDS["abandoned_after"][0]
        _hold(mark.not_before >= least, f"the game is not abandoned before {stamp(least)}")

    def _check_bot(self, entry: LogEntry) -> None:
        if entry.by is None or not entry.by.startswith("bot:"):
            return
        seat, log = entry.seat, self._log
        _hold(
            seat in log.players.bots or seat in log.autopilot,
            f"{entry.by} acts for seat {seat}, which is no bot's and not on autopilot",
        )

    def _check_timeout(self, entry: LogEntry) -> None:
        if not isinstance(entry.move, Timeout):
            return
        last, stretch = self._log.last, self._log.stretch
        if last is not None and isinstance(last.mark, HostOut):
            return
        assert stretch is not None
        _hold(entry.seat == stretch.seat, f"seat {entry.seat} times out, but seat {stretch.seat} is to move")
        self._check_due(entry, "out")

    def _check_end(self, entry: LogEntry) -> None:
        if not isinstance(entry.move, End):
            return
        if entry.by is not None:
            last = self._log.last
            _hold(last is not None and isinstance(last.mark, HostEnd), "an end by the host follows host.end")
            return
        if self._left_nobody():
            return
        warning = self._log.warning
        _hold(warning is not None, "no warning stands, and persons are at the table")
        assert warning is not None
        _hold(warning.not_before <= entry.at, f"the end is early: the warning says {stamp(warning.not_before)}")
        _hold(not self._log.paused(entry.at), "the game ends as abandoned while it is paused")


def concerns(log: Iterable[Any]) -> bool:
    """Return whether a log has any mark of a clock or of the host; no entry has to be verified for that."""
    return any(is_reserved(kind) for kind in map(_mark_kind, log) if kind)


def _mark_kind(entry: Any) -> str:
    """Return the kind of an entry's mark, or an empty text if it has none."""
    move = entry.get("move") if isinstance(entry, dict) else None
    kind = move.get("kind") if isinstance(move, dict) and move.get("type") == "mark" else None
    return kind if isinstance(kind, str) else ""


def _hold(fact: bool, why: str) -> None:
    if not fact:
        raise EntryError(why)
