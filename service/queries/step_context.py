"""Read the content of the mail about a step of a game's clock or a decision of the host.

A step is not mailed any more once something has followed: a player who has moved needs no reminder, and a later step
has a mail of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from engine.game import Match
from engine.moves import Mark, Timeout
from engine.table import Step
from service.language.clock_words import ClockShown
from service.language.people import People
from service.queries import clock_shown, recipients, turn_context
from service.queries.loaded import LoadedTable
from service.queries.recipients import Recipient
from service.queries.table import load
from service.queries.turn_context import Turn

NUDGE, GRACE, AUTOPILOT, WARNING, MORE = "clock.nudge", "clock.grace", "clock.autopilot", "clock.warning", "clock.more"
_STAGES = {NUDGE: "nudge", GRACE: "grace", MORE: "in_time"}


@dataclass(frozen=True, slots=True)
class StepTold:
    """A step, or a decision of the host, for one of the players.

    Attributes:
        to: the recipient.
        table: the table's id.
        people: the players, as this reader calls them.
        seat: the reader's seat.
        version: the current version.
        head: the head of the log at `version`.
        step_head: the head of the log after the step.
        kind: the kind of the mark; empty if a player was put out.
        step: the step.
        clock: the clock as the reader may see it; None if the game has none.
        turn: the table, if the reader is to move.
        may_give: whether the reader can give the player to move more time.
    """

    to: Recipient
    table: str
    people: People
    seat: int
    version: int
    head: str
    step_head: str
    kind: str
    step: Step
    clock: ClockShown | None
    turn: Turn | None
    may_give: bool


def step(session: Session, game: str, seq: int, account: str, now: datetime) -> StepTold | None:
    """Return the entry with this number for the mail to a player.

    Returns None if the entry is out of date, or if the game is over or the player was erased.
    """
    table = load(session, game)
    to = recipients.player(session, account)
    seat = None if table is None else table.seat_of(account)
    if table is None or to is None or seat is None or table.status != "running" or seq > table.version:
        return None
    done = table.steps()[seq - 1][1]
    move = done.move
    if not isinstance(move, Mark | Timeout):
        return None
    kind = move.kind if isinstance(move, Mark) else ""
    clock = clock_shown.shown(table, seat, now)
    if _is_past(table, kind, seq, clock):
        return None
    is_mine = table.state.turn == seat and (clock is None or clock.stage != "autopilot")
    return StepTold(
        to=to,
        table=game,
        people=People(tuple(map(table.name_of, range(table.table.seats))), seat, to.reader.language),
        seat=seat,
        version=table.version,
        head=table.head,
        step_head=table.head_at(seq),
        kind=kind,
        step=done,
        clock=clock,
        turn=turn_context.on_move(session, table, to, seat, now) if is_mine else None,
        may_give=not is_mine and clock is not None and clock.stage != "autopilot" and not _has_left(table, seat),
    )


def _is_past(table: LoadedTable, kind: str, seq: int, clock: ClockShown | None) -> bool:
    """Return whether something has happened since that makes the step out of date."""
    later = [each.move for _, each in table.steps()[seq:]]
    if kind == AUTOPILOT:
        return any(isinstance(move, Mark) and move.kind == "clock.back" for move in later)
    if kind not in _STAGES and kind != WARNING:
        return False
    if any(not isinstance(move, Mark) for move in later):
        return True
    if kind == WARNING:
        return any(isinstance(move, Mark) and move.kind == "clock.keep" for move in later)
    return clock is None or clock.stage != _STAGES[kind]


def _has_left(table: LoadedTable, seat: int) -> bool:
    state = table.state
    return isinstance(state, Match) and seat in state.moon.left
