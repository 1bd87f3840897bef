"""Explore a game: go on from one of its positions, alone or against a bot, without changing anything about the game.

An exploration is its account's own sketch: nobody else sees it, no mail and no event tells of it, and it can be taken
back and deleted.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from engine import record, text
from engine.moves import END, Move
from engine.phrases import Phrase, phrase
from engine.table import Step
from engine.tiles import COUNT
from service.access.limits import Hit, Limit, Limiter
from service.commands import bots, play, projection, tables
from service.commands.expectation import Expectation
from service.errors import Conflict, NotFound
from service.ids import new_id
from service.queries import explorations as reading
from service.queries import legal, replay
from service.queries.counting import count_up_to
from service.queries.explored_games import loaded, read_moves, seat_to_play, written_moves
from service.queries.table import LoadedTable
from service.store.explorations import Exploration
from service.store.log import Entry

PER_HOUR = 120
"""The most explorations that an account may begin in an hour."""

_SEED_BYTES = 32

_UNKNOWN = Phrase("You have no such exploration.")
_NOT_OVER = Phrase("A game can be explored once it is over; a solo of your own at any time.")
_OVER = Phrase("The game is over there, so nothing can follow; begin from an earlier version.")


@dataclass(frozen=True, slots=True)
class Beginning:
    """The position where an exploration begins, and who plays.

    Attributes:
        seq: the last entry of the game that is kept.
        bot: the bot that plays all seats but one; None: the account plays every seat in turn.
        seat: the seat that the account plays if there is a bot.
    """

    seq: int
    bot: str | None = None
    seat: int | None = None


class Explored(NamedTuple):
    """An exploration as it is stored, and as a loaded table."""

    kept: Exploration
    table: LoadedTable


def check_explorable(origin: LoadedTable, account: str) -> None:
    """Refuse to explore a game that is not over, but for a running solo of the account.

    Raises:
        Conflict: `not_started`, or `not_over`.
    """
    if origin.header is None:
        raise Conflict("not_started", "The game has not started, so there is nothing to explore.", version=0)
    is_own_solo = origin.table.kind == "solo" and origin.seat_of(account) is not None
    if origin.status != "finished" and not is_own_solo:
        raise Conflict("not_over", _NOT_OVER, version=origin.version)


def last_position(origin: LoadedTable) -> int:
    """Return the version at which a game that may be explored can be left last: the one before its end."""
    return origin.version - 1 if origin.status == "finished" else origin.version


def begin(
    session: Session,
    account: str,
    origin: LoadedTable,
    beginning: Beginning,
    now: datetime,
    *,
    most: int = 0,
    limiter: Limiter | None = None,
) -> Explored:
    """Begin an exploration, let the bot move if it is its turn, and return it.

    A game that is over has no secrets, so its tiles come in their order. Of a running solo, the tiles that have not
    been shown are drawn anew: their order stays a secret.

    Args:
        session: the database session.
        account: whose exploration it is.
        origin: the game with its whole log, which passes `check_explorable`.
        beginning: where it begins and who plays; the seat is one that has not left by then.
        now: the time.
        most: the most explorations that the account may have; 0 for no limit.
        limiter: counts how many the account begins; None for no limit.

    Raises:
        Conflict: the game is over at that version (`game_over`), or the account has too many (`too_many_explorations`).
        LimitReached: the account has begun too many within an hour.
    """
    tables.lock_account(session, account, alone=True)
    _check_amount(session, account, most, limiter)
    assert origin.header is not None
    if beginning.seq > last_position(origin):
        raise Conflict("game_over", _OVER, version=origin.version)
    hashed = replay.chained(record.digest(origin.header), origin.entries[: beginning.seq])
    known = COUNT if origin.status == "finished" else origin.state.wheel.shown
    kept = Exploration(
        id=new_id(),
        account=account,
        origin=origin.table.key,
        seq=beginning.seq,
        hash=bytes.fromhex(hashed),
        tiles=known,
        seed=secrets.token_bytes(_SEED_BYTES) if known < COUNT else None,
        bot=beginning.bot,
        seat=beginning.seat if beginning.bot is not None else None,
        moves=written_moves(()),
        version=beginning.seq,
        status="running",
        created_at=now.replace(microsecond=now.microsecond // 1000 * 1000),
    )
    session.add(kept)
    return _go_on(session, kept, loaded(kept, origin), now)


def move(
    session: Session, account: str, id: str, wanted: Move, expected: Expectation | None, now: datetime
) -> Explored:
    """Make a move in an exploration and those of the bot that follow, and return it.

    Raises:
        NotFound: the account has no such exploration.
        Refusal: as `service.commands.play.play` does.
    """
    kept = _locked(session, account, id)
    table = reading.load_explored(session, kept)
    assert table.progress is not None
    seat = seat_to_play(kept, table)
    at = projection.next_at(table.progress, now)
    step = play.preview(table, 0 if seat is None else seat, wanted, expected, at)
    entry = Entry(table.version + 1, at, seat, "", text.render(wanted))
    return _go_on(session, kept, _after(table, entry, step), now)


def take_back(
    session: Session, account: str, id: str, seq: int, now: datetime, expected: Expectation | None = None
) -> Explored:
    """Take back a move of an exploration and all that followed it, and return it.

    If it is the bot's turn then, the bot moves again. `expected` is the state in which this may be done; None for any.

    Raises:
        NotFound: the account has no such exploration, or it has no such move.
        Conflict: the move is one of the game that is explored (`not_explored`).
        Refusal: the exploration is in another state than was expected (`stale_version`).
    """
    kept = _locked(session, account, id)
    if not 0 < seq <= kept.version:
        raise NotFound("no_such_move", phrase("The last move is %(version)s.", version=kept.version))
    if seq <= kept.seq:
        detail = phrase(
            "The moves up to %(seq)s are those of the game; only later ones can be taken back.", seq=kept.seq
        )
        raise Conflict("not_explored", detail, version=kept.version)
    if expected is not None:
        expected.check(reading.load_explored(session, kept))
    kept.moves = written_moves(read_moves(kept)[: seq - kept.seq - 1])
    return _go_on(session, kept, reading.load_explored(session, kept), now)


def remove(session: Session, account: str, id: str, expected: Expectation | None = None) -> None:
    """Delete an exploration of the account; raise NotFound for any other.

    `expected` is the state in which it may be deleted; None for any.
    """
    kept = _locked(session, account, id)
    if expected is not None:
        expected.check(reading.load_explored(session, kept))
    session.delete(kept)


def remove_all(session: Session, account: str) -> None:
    """Delete all explorations of an account, whose owner deletes it."""
    session.execute(delete(Exploration).where(Exploration.account == account))


def unknown() -> NotFound:
    """Return the refusal of an exploration that is not there, or is another account's."""
    return NotFound("no_such_exploration", _UNKNOWN)


def _locked(session: Session, account: str, id: str) -> Exploration:
    kept = reading.own(session, id, account, locked=True)
    if kept is None:
        raise unknown()
    return kept


def _check_amount(session: Session, account: str, most: int, limiter: Limiter | None) -> None:
    mine = select(Exploration.id).where(Exploration.account == account)
    if most and count_up_to(session, mine, most) >= most:
        detail = phrase("You can have at most %(most)s explorations; delete one first.", most=most)
        raise Conflict("too_many_explorations", detail, most=most)
    if limiter is not None:
        detail = phrase("You may begin %(most)s explorations within an hour; try again later.", most=PER_HOUR)
        hit = Hit(Limit.EXPLORATIONS_PER_ACCOUNT, PER_HOUR, account)
        limiter.require([hit], "too_many_new_explorations", detail, session)


def _go_on(session: Session, kept: Exploration, table: LoadedTable, now: datetime) -> Explored:
    """Let the bot move as long as it is its turn, store the moves, and return the exploration after them.

    If nobody but bots is left, the game ends.
    """
    state, seat = table.state, kept.seat
    while seat is not None and state.turn is not None and state.turn != seat:
        assert table.progress is not None
        at = projection.next_at(table.progress, now)
        if legal.has_left(state, seat):
            following = Entry(table.version + 1, at, None, "", text.render(END))
        else:
            chosen = bots.chosen(state, table.progress.head)
            following = Entry(table.version + 1, at, state.turn, bots.BY, text.render(chosen))
        table = _after(table, following, table.replay.advance(following))
        state = table.state
    kept.moves = written_moves(table.entries[kept.seq :])
    kept.version, kept.status = table.version, table.status
    session.flush()
    return Explored(kept, table)


def _after(table: LoadedTable, entry: Entry, step: Step) -> LoadedTable:
    """Return a loaded exploration after an entry that its replay has made already."""
    assert table.progress is not None
    after = table.advanced(entry, projection.after(table.progress, entry, step))
    after.__dict__["tiles"] = table.tiles  # which need not follow from a seed
    return after
