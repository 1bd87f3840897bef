"""Derive a game's progress from its set-up and log, as a pure fold. Used to play, and to rebuild the projection."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from engine import State, record
from engine.clock.terms import BOUNDS, WARNED_BEFORE
from engine.moves import Mark, Place, Refill
from engine.table import Step
from service.clocks import reckoning
from service.clocks.game_clock import GameClock
from service.clocks.seats import SeatFacts
from service.queries import clock_values
from service.store.log import Entry, Progress

_SOONEST = BOUNDS["abandoned_after"][0] - WARNED_BEFORE
"""The shortest time after which a game can be warned that it will end as abandoned."""


def begin(header: dict[str, Any], state: State, *, bot_moves: bool = False) -> Progress:
    """Return the progress of a game at its start, from the header of its record and its first state.

    `bot_moves` is whether a bot is to move, so that the game has to be looked at.
    """
    started_at = record.moment(header["game"]["started_at"])
    return Progress(
        status="running",
        version=0,
        head=bytes.fromhex(record.digest(header)),
        last_at=started_at,
        turn=state.turn,
        wait_seq=0 if state.kind == "match" else None,
        ended_at=None,
        result=None,
        clock_due_at=started_at if bot_moves else started_at + _SOONEST,
    )


def after(
    progress: Progress,
    entry: Entry,
    step: Step,
    clock: GameClock | None = None,
    facts: Sequence[SeatFacts] = (),
) -> Progress:
    """Return the progress after one more entry with its step.

    `clock` is the game's clock after that entry, None for a table without one, and `facts` are those of its seats. A
    game with a clock is looked at at once, and so is one in which a bot is to move, in case its job is lost. For the
    others the time of the start suffices: that look finds out how long nobody has played.
    """
    hashed = chained(progress.head, entry, step)
    is_bots = step.turn is not None and bool(facts) and facts[step.turn].bot
    moved = progress._replace(
        version=entry.seq,
        head=bytes.fromhex(hashed["hash"]),
        last_at=entry.at,
        turn=step.turn,
        wait_seq=_wait(progress, entry, step),
        acted_seq=progress.acted_seq if isinstance(step.move, Mark) else entry.seq,
        clock=None if clock is None else clock_values.rendered(clock),
        clock_due_at=entry.at if clock is not None or is_bots else progress.clock_due_at or entry.at + _SOONEST,
        runs_out_at=None if clock is None else reckoning.runs_out_at(clock, facts),
    )
    if step.ended is None:
        return moved
    result = record.canonical(step.ended.to_json()).decode()
    return moved._replace(
        status="finished", ended_at=entry.at, result=result, clock=None, clock_due_at=None, runs_out_at=None
    )


def chained(prev: bytes, entry: Entry, step: Step) -> dict[str, Any]:
    """Return the entry in the form of the record, with its hash; `prev` is the hash of what precedes it."""
    return record.entry(entry.seq, record.stamp(entry.at), entry.seat, step.move, entry.by, prev.hex())


def next_at(progress: Progress, now: datetime) -> datetime:
    """Return the time of an entry made at `now`: in whole milliseconds, and never before that of the previous entry."""
    return max(now.replace(microsecond=now.microsecond // 1000 * 1000), progress.last_at)


def _wait(progress: Progress, entry: Entry, step: Step) -> int | None:
    """Return the version at which the current wait began, or None if there is none.

    A wait begins when another player is to move. It ends with that player's first placement, refill or resignation, or
    with the game. Resigning out of turn and marks neither begin nor end one. A solo has none.
    """
    if step.turn is None or step.state.kind == "solo":
        return None
    if step.turn != progress.turn:
        return entry.seq
    return None if isinstance(step.move, Place | Refill) else progress.wait_seq
