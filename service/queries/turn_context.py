"""Read what a mail is composed from, at the time it is sent. Nothing is changed.

A job may run long after it was queued, or twice: the wait may be over, the account erased, the invitation used. Each
function decides by what is true now, and returns None if there is nothing to say any more.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from engine import State, audit
from engine.bots import signature
from engine.clock.durations import parse
from engine.clock.terms import ABANDONED_AFTER, Terms
from engine.errors import RecordError
from engine.game import Match
from engine.moves import End as EndMove
from engine.moves import Mark, Place, Refill, Timeout
from engine.result import Result
from engine.story import Story
from engine.table import Step
from service.language.clock_words import ClockShown
from service.language.languages import Reader, language
from service.language.people import People
from service.queries import clock_shown, records, replay, stories, talk
from service.queries.checkpoint_notice import Notice, notice
from service.queries.recipients import Recipient, addressee, player, reader_for
from service.queries.table import LoadedTable, load
from service.queries.talk import NewMessages, Notes
from service.store import blocks
from service.store.accounts import Account
from service.store.invitations import Invitation
from service.store.log import Entry
from service.store.tables import Seat, Table


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
    """Return each entry of a started game with what a mail tells of it, from the start."""
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


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of `novaluna audit` for a game's record.

    Attributes:
        entries: the number of entries.
        broken_at: where the record is broken, or None.
        why: why it is broken there.
    """

    entries: int
    broken_at: int | str | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class End:
    """A finished game, for one of its players.

    `state` and `version` are its last ones, `commitment` and `server_seed` are those of the draw, in hex, and `audit`
    is that of its record, `story` is its course. `heard` are messages by others that no mail has brought to the reader.
    `by` is who made the last step in place of the player, or empty. `why` is the act of the host by which it ended, or
    None. `notice` is what it says of checkpoints.
    """

    to: Recipient
    table: str
    people: People
    seat: int
    version: int
    state: Match
    result: Result
    last: Step
    commitment: str
    server_seed: str
    story: Story
    heard: NewMessages = field(default_factory=NewMessages)
    audit: Audit = Audit(0)
    head: str = ""
    by: str = ""
    why: Step | None = None
    notice: Notice | None = None


@dataclass(frozen=True, slots=True)
class Closed:
    """A table that was closed before its game started.

    `because` is `maker` or `expired`. `heard` are messages by others that no mail has brought to the reader.
    """

    to: Recipient
    table: str
    because: str
    seats: int
    created_at: datetime
    people: People = field(default_factory=lambda: People(()))
    heard: NewMessages = field(default_factory=NewMessages)


@dataclass(frozen=True, slots=True)
class Invited:
    """A valid invitation. `sitting` are those at the table, `people` their names; `inviter` is one of them, or None.

    `is_rematch` is whether the table was opened for a rematch. `terms` are the table's clock and ladder; None if there
    is no clock.
    """

    to: Recipient
    invitation: str
    table: str
    inviter: str | None
    people: People
    sitting: tuple[int, ...]
    seats: int
    goal_discs: int
    commitment: str
    expires_at: datetime
    is_rematch: bool = False
    terms: Terms | None = None
    abandoned_after: timedelta = ABANDONED_AFTER


@dataclass(frozen=True, slots=True)
class Talked:
    """Messages at a finished or closed table, for a player who sits there; `version` is that of its game."""

    to: Recipient
    table: str
    people: People
    seat: int
    version: int
    heard: NewMessages
    head: str = ""


_ACTS = ("host.out", "host.end")
"""The marks by which the host can end a game."""


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
        people=People(_names(table), seat, to.reader.language),
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


def end(session: Session, game: str, account: str) -> End | None:
    """Return the end of a game for one of its players; None if it is running, or if the player was erased."""
    table = load(session, game)
    to = player(session, account)
    if table is None or to is None or table.status != "finished":
        return None
    seat = table.seat_of(account)
    last = table.replay.last
    state, result = table.state, table.state.result
    if seat is None or last is None or result is None or not isinstance(state, Match):
        return None
    return End(
        head=table.head,
        to=to,
        table=game,
        people=People(_names(table), seat, to.reader.language),
        seat=seat,
        version=table.version,
        state=state,
        result=result,
        last=last[1],
        by=last[0].by,
        why=_host_act(table),
        commitment=table.table.commitment.hex(),
        server_seed=table.server_seed.hex(),
        story=stories.of_table(table),
        heard=talk.heard(session, table.table.key, account),
        audit=_audit(session, table),
        notice=notice(session, table),
    )


def _host_act(table: LoadedTable) -> Step | None:
    """Return the mark in which the host put out the last player but one, or ended the game, with the reason; or None.

    The entry that does so follows it at once, and the end of the game at once after that (CLOCKS.md 12).
    """
    *before, last = (step for _, step in table.steps()[-3:])
    if not isinstance(last.move, EndMove | Timeout):
        return None
    return next((step for step in before if isinstance(step.move, Mark) and step.move.kind in _ACTS), None)


def _audit(session: Session, table: LoadedTable) -> Audit:
    """Verify the record that players and everybody else can download."""
    try:
        audit.check(records.line(session, table))
    except RecordError as error:
        return Audit(table.version, error.where, error.why)
    return Audit(table.version)


def closed(session: Session, game: str, account: str) -> Closed | None:
    """Return a closed table for a player who sat there; None if the player was erased."""
    table = session.scalar(select(Table).where(Table.id == game))
    to = player(session, account)
    if table is None or to is None or table.closed_at is None:
        return None
    names = select(Seat.seat, Account.name, Seat.bot).outerjoin(Account, Account.id == Seat.account)
    by_seat = {
        seat: name if bot is None else signature(bot)
        for seat, name, bot in session.execute(names.where(Seat.game == table.key))
    }
    people = People(tuple(by_seat.get(seat) for seat in range(table.seats)), None, to.reader.language)
    heard = talk.heard(session, table.key, account)
    return Closed(to, game, table.closed_because or "", table.seats, table.created_at, people, heard)


def talked(session: Session, game: str, account: str) -> Talked | None:
    """Return the messages that no mail has brought to a player, at a table that sends no other mail any more.

    Returns None if there are none, or if the player was erased or has no seat there.
    """
    table = load(session, game)
    to = player(session, account)
    seat = None if table is None else table.seat_of(account)
    if table is None or to is None or seat is None or table.status not in ("finished", "closed"):
        return None
    heard = talk.heard(session, table.table.key, account)
    if not heard.messages:
        return None
    return Talked(to, game, People(_names(table), seat, to.reader.language), seat, table.version, heard, table.head)


def invitation(session: Session, id: str, now: datetime) -> Invited | None:
    """Return an invitation that is still valid, to a table that is still open, or None.

    There is none between two players of whom one has blocked the other.
    """
    row = session.get(Invitation, id)
    if row is None or row.state(now) != "open":
        return None
    game = session.scalar(select(Table.id).where(Table.key == row.game))
    table = None if game is None else load(session, game)
    if table is None or table.status != "open":
        return None
    inviter = None if row.invited_by is None else session.get(Account, row.invited_by)
    if row.account is not None:
        to = player(session, row.account)
    elif row.email is not None:
        stranger = Reader() if inviter is None else reader_for(inviter)
        if row.language is not None:
            stranger = Reader(language(row.language), stranger.zone)
        to = addressee(session, row.email, stranger)
    else:
        to = None
    if to is None:
        return None
    if inviter is not None and to.account is not None and blocks.are_apart(session, inviter.id, to.account):
        return None
    return Invited(
        to=to,
        invitation=row.id,
        table=table.table.id,
        inviter=None if inviter is None else inviter.name,
        people=People(_names(table), None, to.reader.language),
        sitting=tuple(player.seat for player in table.players),
        seats=table.table.seats,
        goal_discs=table.table.goal_discs,
        commitment=table.table.commitment.hex(),
        expires_at=row.expires_at,
        terms=table.terms,
        abandoned_after=parse(table.table.abandoned_after),
        is_rematch=session.scalar(select(exists().where(Table.rematch == table.table.id))) is True,
    )


def _names(table: LoadedTable) -> tuple[str | None, ...]:
    return tuple(table.name_of(seat) for seat in range(table.table.seats))
