"""Read what a reply to somebody's mail is composed from, at the time it is sent.

That is the outcome of their mail, and the table as it is by then. Nothing is changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from engine import text
from engine.clock.durations import parse
from engine.clock.terms import ABANDONED_AFTER, Terms
from engine.game import Match
from engine.moves import Place
from engine.solo import Solo
from engine.table import Step
from service.language.cell_letters import lettered
from service.language.languages import Reader, language
from service.language.people import People
from service.queries import clock_shown, code_context, invitation_context, recipients, talk, turn_context
from service.queries.code_context import PendingCommand
from service.queries.invitation_context import Invited
from service.queries.loaded import LoadedTable
from service.queries.named_tables import people_of
from service.queries.own_games import OwnGame, own_games
from service.queries.recipients import Recipient
from service.queries.table import load
from service.queries.turn_context import Made, Turn
from service.store import delivery_preferences, incoming
from service.store.accounts import Account
from service.store.delivery_preferences import AT_ONCE, PROBLEMS, SHORT, WHOLE
from service.store.mail_outcome import (
    ASKED,
    CODE,
    GAMES,
    HISTORY,
    INVITATION,
    JOINED,
    LIKELY,
    OPENED,
    REMATCH,
    SOLO,
    STILL_ASKED,
    Outcome,
    from_json,
)

SENDER, ACCOUNT = WHOM = ("sender", "account")
"""The reasons for a reply to the account's address: it sent the mail itself, or somebody did from elsewhere."""


@dataclass(frozen=True, slots=True)
class OpenTable:
    """A table that waits for players: its seats, how many are taken, the commitment of its draw, and its settings.

    `terms` are its clock and ladder; None: there is no clock.
    """

    table: str
    seats: int
    taken: int
    commitment: str
    terms: Terms | None = None
    abandoned_after: timedelta = ABANDONED_AFTER


@dataclass(frozen=True, slots=True)
class StoppedMail:
    """The time since which an address receives only codes and replies, and the status of the last bounce."""

    at: datetime
    because: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A move that a reply asks the player to confirm.

    Attributes:
        choice: the number of the choice; 0 for a refill.
        tile: the tile's own number.
        letters: the letters of the cell.
        cell: the index of the cell among the open ones.
    """

    choice: int
    tile: int
    letters: str
    cell: int


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply to somebody's mail.

    Attributes:
        to: the recipient.
        whom: one of `WHOM`.
        outcome: what came of the mail.
        steps: what the moves in the mail did, by their seq.
        turn: the table as this player sees it now; None unless a game is running or over.
        history: everything that happened in the game, if the mail asked for it.
        draw: the commitment and the seed of a finished game, in hex, or None.
        open: a table that waits for players, or None.
        games: all games of this person, if the mail asked for them.
        wanted: this person's preference for replies (`delivery_preferences.ANSWERS`).
        later: their preference for the mail that comes next, about a turn or the end (`delivery_preferences.HOWS`).
        stopped: set if no other mail is sent to this person's address.
        tables: the players of the games that the results name, by the games' ids.
        rules: the version of the rules of the game that the mail was about; None if it was about none.
        pending: what a yes begins if the mail answered a code, and settled nothing.
        invited: the invitation if the mail answered one that is still valid, and settled nothing.
    """

    to: Recipient
    whom: str
    outcome: Outcome
    steps: dict[int, Made]
    turn: Turn | None
    history: tuple[tuple[datetime, Made], ...]
    draw: tuple[str, str] | None
    open: OpenTable | None
    games: tuple[OwnGame, ...] = ()
    wanted: str = SHORT
    later: str = AT_ONCE
    stopped: StoppedMail | None = None
    tables: Mapping[str, People] = field(default_factory=dict)
    rules: str | None = None
    pending: tuple[PendingCommand, ...] = ()
    invited: Invited | None = None

    @property
    def proposal(self) -> Proposal | None:
        """The move that the reader can agree to; None if nothing is asked, or if it could no longer be played."""
        turn = self.turn
        line = next((line for line in self.outcome.lines if line.code == LIKELY), None)
        if (
            turn is None
            or line is None
            or turn.state.turn != turn.seat
            or any(it.what == ASKED for it in self.outcome.lines)
        ):
            return None
        short, exact = line.readings
        if short == "refill":
            return Proposal(0, 0, "", 0) if turn.state.may_refill() else None
        number, _, letters = short.partition(" ")
        choices, cells = turn.state.wheel.choices(), dict(lettered(turn.state.displays[turn.seat].open_cells()))
        if int(number) > len(choices) or letters not in cells:
            return None
        made = Proposal(int(number), choices[int(number) - 1], letters, list(cells).index(letters))
        return made if text.render(Place(made.tile, *cells[letters])) == exact else None

    @property
    def form(self) -> str | None:
        """The form of the reply: `WHOLE` (with the table), `SHORT`, or None if none is wanted.

        A player who is to move needs the table, and no other mail brings it if it was their turn before. So they get
        the whole reply, whatever their preference. So does everybody about what only this mail tells: what was started,
        the information that was asked for, and how a solo ended.
        """
        outcome, turn = self.outcome, self.turn
        state = None if turn is None else turn.state
        is_over = state is not None and state.result is not None
        is_to_move = turn is not None and not is_over and turn.state.turn == turn.seat
        if (
            self.wanted == PROBLEMS
            and self.stopped is None
            and outcome.is_settled
            and not is_to_move
            and not isinstance(state, Solo)
        ):
            return None
        is_told_elsewhere = isinstance(state, Match) and not is_to_move and (not is_over or bool(self.steps))
        return SHORT if self.wanted != WHOLE and is_told_elsewhere and outcome.is_brief else WHOLE


def answered(session: Session, id: int, whom: str, now: datetime) -> Answered | None:
    """Return the contents of the reply to the mail with this id, as things are now.

    Returns None if there is nothing to reply, or if the account was deleted.
    """
    kept = incoming.outcome(session, id)
    outcome = None if kept is None else from_json(kept)
    account = None if outcome is None else recipients.player(session, outcome.account)
    if outcome is not None and outcome.account is None and outcome.address is not None:
        account = Recipient(outcome.address, None, None, Reader(language(outcome.language or "en")))
    if outcome is None or account is None:
        return None
    table = _table(session, outcome)
    started = table is not None and table.header is not None
    key = None if table is None else table.table.key
    told = turn_context.made(table) if table and started else []
    asked = any(line.what == HISTORY for line in outcome.lines)
    made = {line.seq for line in outcome.lines}
    return Answered(
        to=account,
        whom=whom,
        outcome=outcome,
        steps={entry.seq: each for entry, each in told if entry.seq in made},
        turn=_turn(session, table, account, told[-1][1].step if told else None, now) if table and started else None,
        history=tuple((entry.at, each) for entry, each in told) if asked else (),
        draw=(
            (table.table.commitment.hex(), table.server_seed.hex()) if table and table.status == "finished" else None
        ),
        open=_open(table) if table and table.status == "open" else None,
        games=_games(session, outcome, account, now),
        wanted=WHOLE if account.account is None else delivery_preferences.answers(session, account.account, key),
        later=_later(session, table, account),
        stopped=_stopped(session, account),
        tables=_named(session, outcome, account),
        rules=table.rules if table and started else None,
        pending=_pending(session, outcome, now),
        invited=_invited(session, outcome, now),
    )


def _pending(session: Session, outcome: Outcome, now: datetime) -> tuple[PendingCommand, ...]:
    asked = _still_asked(outcome, CODE)
    found = None if asked is None else code_context.code(session, asked, now)
    return () if found is None else found.asked


def _invited(session: Session, outcome: Outcome, now: datetime) -> Invited | None:
    asked = _still_asked(outcome, INVITATION)
    return None if asked is None else invitation_context.invitation(session, asked, now)


def _still_asked(outcome: Outcome, code: str) -> str | None:
    """Return the id of the code or the invitation that the reply asks about again, or None."""
    return next((line.facts["id"] for line in outcome.lines if (line.what, line.code) == (STILL_ASKED, code)), None)


def _stopped(session: Session, to: Recipient) -> StoppedMail | None:
    account = None if to.account is None else session.get_one(Account, to.account)
    if account is None or account.mail_stopped_at is None:
        return None
    return StoppedMail(account.mail_stopped_at, account.mail_stopped_because or "")


def _games(session: Session, outcome: Outcome, to: Recipient, now: datetime) -> tuple[OwnGame, ...]:
    is_asked = any(line.what == GAMES for line in outcome.lines)
    return own_games(session, to.account, now).games if is_asked and to.account is not None else ()


def _named(session: Session, outcome: Outcome, to: Recipient) -> dict[str, People]:
    """Return the players of the games that the results of a mail name, by the games' ids."""
    ids = dict.fromkeys(game for line in outcome.lines for game in line.facts.get("games", "").split())
    return people_of(session, ids, to.account, to.reader.language)


def _later(session: Session, table: LoadedTable | None, to: Recipient) -> str:
    if table is None or to.account is None:
        return AT_ONCE
    return delivery_preferences.of_kind(
        session, to.account, "end" if table.status == "finished" else "turn", table.table.key
    )


def _table(session: Session, outcome: Outcome) -> LoadedTable | None:
    """Return the table to show: the last one that the mail started or joined, or else the one that it was about."""
    begun = [line.table for line in outcome.lines if line.what in (SOLO, JOINED, OPENED, REMATCH) and line.table]
    game = begun[-1] if begun else outcome.game
    return None if game is None else load(session, game)


def _turn(session: Session, table: LoadedTable, to: Recipient, last: Step | None, now: datetime) -> Turn | None:
    seat = table.seat_of(to.account)
    if seat is None:
        return None
    return Turn(
        head=table.head,
        to=to,
        table=table.table.id,
        people=People(tuple(map(table.name_of, range(table.table.seats))), seat, to.reader.language),
        seat=seat,
        version=table.version,
        state=table.state,
        happened=() if last is None else (Made(last),),
        first=False,
        notes=talk.heard_and_noted(session, table.table.key, to.account or "")[1],
        hints=to.hints and table.table.hints,
        clock=clock_shown.shown(table, seat, now),
    )


def _open(table: LoadedTable) -> OpenTable:
    row = table.table
    after = parse(row.abandoned_after)
    return OpenTable(row.id, row.seats, len(table.players), row.commitment.hex(), table.terms, after)
