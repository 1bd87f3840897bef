"""Read what the mail about the end of a game is composed from, at the time it is sent.

A job may run long after it was queued, or twice, so the function decides by what is true now, and returns None if there
is nothing to say any more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlalchemy.orm import Session

from engine import audit
from engine.errors import RecordError
from engine.game import Match
from engine.moves import End as EndMove
from engine.moves import Mark, Timeout
from engine.result import Result
from engine.story import Story
from engine.table import Step
from service.language.people import People
from service.queries import records, stories, talk
from service.queries.checkpoint_notice import Notice, notice
from service.queries.recipients import Recipient, player
from service.queries.table import LoadedTable, load
from service.queries.talk import NewMessages


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


_ACTS = ("host.out", "host.end")
"""The marks by which the host can end a game."""


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
        people=People(table.names, seat, to.reader.language),
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
