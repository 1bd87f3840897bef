"""What follows from a game's set-up and log, as a pure fold: used by play, and by rebuild to make it all again."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from engine import State, record
from engine.moves import Place, Refill
from engine.table import Step
from service.store.log import Entry, Progress


def begin(header: dict[str, Any], state: State) -> Progress:
    """The progress of a game at its start; `state` is that at the start, `header` the record's."""
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
    )


def after(progress: Progress, entry: Entry, step: Step) -> Progress:
    """The progress after one more entry, whose move did what `step` says."""
    hashed = chained(progress.head, entry, step)
    moved = replace(
        progress,
        version=entry.seq,
        head=bytes.fromhex(hashed["hash"]),
        last_at=entry.at,
        turn=step.turn,
        wait_seq=_wait(progress, entry, step),
    )
    if step.ended is None:
        return moved
    result = record.canonical(step.ended.to_json()).decode()
    return replace(moved, status="finished", ended_at=entry.at, result=result)


def chained(prev: bytes, entry: Entry, step: Step) -> dict[str, Any]:
    """The entry as the record has it, with its hash, after the entry (or header) whose hash is `prev`."""
    return record.entry(entry.seq, record.stamp(entry.at), entry.seat, step.move, entry.by, prev.hex())


def next_at(progress: Progress, now: datetime) -> datetime:
    """The time that an entry made at `now` gets: whole milliseconds, and never before the entry that it follows."""
    return max(now.replace(microsecond=now.microsecond // 1000 * 1000), progress.last_at)


def _wait(progress: Progress, entry: Entry, step: Step) -> int | None:
    """A wait begins when the player to move becomes another one, and ends with that player's first place, refill or
    leaving, or with the game. A leaving out of turn and a mark neither begin nor end one. A solo has none."""
    if step.turn is None or step.state.kind == "solo":
        return None
    if step.turn != progress.turn:
        return entry.seq
    return None if isinstance(step.move, Place | Refill) else progress.wait_seq
