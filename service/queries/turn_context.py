"""Read what a turn mail is composed from, at the time it is sent.

A job may run long after it was queued, or twice, so the function decides by what is true now, and returns None if there
is nothing to say any more.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from engine import State
from engine.game import Match
from engine.moves import Place, Refill
from engine.table import Step
from service.language.clock_words import ClockShown
from service.language.people import People
from service.queries import clock_shown, replay, talk
from service.queries.recipients import Recipient, player
from service.queries.table import LoadedTable, load
from service.queries.talk import NewMessages, Notes
from service.store.log import Entry


class Made(NamedTuple):
    """An entry that a mail tells.

    Attributes:
        step: its step.
        by: who acted instead of the player; empty: nobody.
        covered_by: for each goal that it covered the tiles that counted at the time (`Step.covered_by`).
    """

    step: Step
    by: str = ""
    covered_by: tuple[tuple[int, ...], ...] = ()


def made(table: LoadedTable) -> list[tuple[Entry, Made]]:
    """Return each entry of a started game with what a mail says about it, from the start."""
    assert table.header is not None
    steps = replay.steps(table.header, table.tiles, table.entries)
    return [(entry, Made(step, entry.by, step.covered_by)) for entry, step in steps]


@dataclass(frozen=True, slots=True)
class Turn:
    """A table as one of its players sees it, usually the one to move.

    Attributes:
        to: the recipient.
        table: the table's id.
        people: the players, as this reader calls them.
        seat: the reader's seat.
        version: the current version.
        state: the current state.
        happened: what followed the reader's last move, or everything from the start if there is none.
        first: whether the reader has not moved yet.
        heard: messages by others that no mail has brought to the reader.
        notes: the reader's own notes.
        hints: whether both the reader and the table allow hints about goals.
        over_http: whether the mail says how to move by a program.
        head: the head of the log at `version`.
        wait_head: the head of the log when the wait began (`LoadedTable.head`).
        clock: the clock as the reader may see it; None: the game has none, or is over.
    """

    to: Recipient
    table: str
    people: People
    seat: int
    version: int
    state: State
    happened: tuple[Made, ...]
    first: bool
    heard: NewMessages = field(default_factory=NewMessages)
    notes: Notes = field(default_factory=Notes)
    hints: bool = True
    over_http: bool = False
    head: str = ""
    wait_head: str = ""
    clock: ClockShown | None = None


def turn(session: Session, game: str, wait: int, now: datetime) -> Turn | None:
    """Return the wait that began at version `wait` of a game.

    Returns None if it is over, or if its player was erased.
    """
    table = load(session, game)
    if table is None or table.progress is None or table.progress.wait_seq != wait:
        return None
    seat = table.state.turn
    to = player(session, table.account_of(seat))
    if to is None or seat is None or not isinstance(table.state, Match):
        return None
    return replace(on_move(session, table, to, seat, now), wait_head=table.head_at(wait))


def on_move(session: Session, table: LoadedTable, to: Recipient, seat: int, now: datetime) -> Turn:
    """Return the table as the player to move sees it."""
    told = [each for _, each in made(table)]
    heard, notes = talk.heard_and_noted(session, table.table.key, to.account or "")
    own = [
        number
        for number, (step, by, _) in enumerate(told)
        if step.seat == seat and isinstance(step.move, Place | Refill) and not by
    ]
    return Turn(
        head=table.head,
        to=to,
        table=table.table.id,
        people=People(table.names, seat, to.reader.language),
        seat=seat,
        version=table.version,
        state=table.state,
        happened=tuple(told[own[-1] + 1 :] if own else told),
        first=not own,
        heard=heard,
        notes=notes,
        hints=to.hints and table.table.hints,
        over_http=to.over_http,
        clock=clock_shown.shown(table, seat, now),
    )
