"""Make a move. HTTP and mail both end in `play`; there is no other way to a move."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Protocol

from sqlalchemy.orm import Session

from engine import text
from engine.errors import GameOver, IllegalMove, MoveError
from engine.moves import Move
from engine.phrases import Phrase, phrase
from engine.table import Step
from service.commands import autopilot, entries
from service.commands.entries import Played
from service.commands.expectation import Expectation
from service.errors import Conflict, IllegalMoveRefused, Malformed, Refusal
from service.queries import legal
from service.queries.replay import Replay
from service.queries.table import LoadedTable, load
from service.store.autocommit_pool import Statements
from service.store.log import Entry, KeyedResponse, Progress, Provided

_PLAYED_BY_BOT = Phrase(
    "A bot has played for you in the meantime. Take your seat back, by the word back in a reply or by POST"
    " /v1/games/…/back, look at the game again, and send your next move."
)


class KeyedRequest(Protocol):
    """A request with an `Idempotency-Key`, which has its effect once: the response is stored together with it."""

    def response(self, played: Played) -> KeyedResponse:
        """Return the response to store if the move is made. It has not been made yet."""

    def check(self) -> None:
        """Raise if the response to this request is stored by now.

        Called after a lost race, which may be against the same request.
        """


def play(
    store: Session | Statements,
    table: LoadedTable,
    seat: int,
    move: Move,
    expected: Expectation | None,
    now: datetime,
    request: KeyedRequest | None = None,
) -> Played:
    """Make a player's move: replay the log, append one entry, update the projection and queue the mails.

    It takes one write statement. `table` must be loaded with its log and is consumed; continue with the returned table.
    Without an expectation, a lost race is tried again on the new state, so only moves that suit any version come
    without one.

    Raises:
        Refusal: in this order, a stale version, a game that is over or has not started, an illegal move.
    """
    while True:
        table = _with_clock(store, table)
        played = _try(store, table, seat, move, expected, now, request)
        if played is not None:
            return played
        if request:
            request.check()
        found = load(store, table.table.id)
        assert found is not None, "tables are never deleted"
        table = found


def play_on_cached(
    store: Statements, table: LoadedTable, token: bytes, move: Move, expected: Expectation, now: datetime
) -> Played | None:
    """Make the move of the player to move on a cached table, with the write as its only statement.

    That statement also checks whether the token (given as its hash) belongs to that player, and whether the cached
    table is current. The table is consumed.

    Returns:
        None, with nothing done, if either check fails or the player to move is unknown. Then the table has to be read,
        and the caller looked up.

    Raises:
        Refusal: as `play` does.
    """
    progress = table.progress
    account = None if progress is None else table.account_of(progress.turn)
    if progress is None or progress.turn is None or account is None or not (table.is_complete and table.is_clock_known):
        return None
    if not expected.holds_for(table):
        return None
    provided = Provided(token, account, now, table.table.revision, table.table.facts, progress.head)
    return _try(store, table, progress.turn, move, expected, now, None, provided)


def _try(
    store: Session | Statements,
    table: LoadedTable,
    seat: int,
    move: Move,
    expected: Expectation | None,
    now: datetime,
    request: KeyedRequest | None,
    provided: Provided | None = None,
) -> Played | None:
    """Make the move on the table as it was read, or return None if the table has changed since."""
    _check_current(table, seat, expected)
    keyed = request.response if request else None
    try:
        return entries.add(store, table, seat, move, now, keyed=keyed, provided=provided)
    except MoveError as error:
        raise _refused(error, table.replay, seat, table.version) from error


def preview(table: LoadedTable, seat: int, move: Move, expected: Expectation | None, now: datetime) -> Step:
    """Return the effect of a move without storing anything. The table is consumed.

    Raises:
        Refusal: as `play` does.
    """
    progress = _check_current(table, seat, expected)
    try:
        return table.replay.advance(Entry(progress.version + 1, now, seat, "", text.render(move)))
    except MoveError as error:
        raise _refused(error, table.replay, seat, progress.version) from error


def _check_current(table: LoadedTable, seat: int, expected: Expectation | None) -> Progress:
    """Return the progress of a running game; refuse a stale version, and a game that is not running."""
    version = table.version
    if expected is not None and not expected.holds_for(table):
        if autopilot.plays(table, seat):
            raise expected.refusal("stale_version", _PLAYED_BY_BOT, version=version)
        raise expected.refusal(
            "stale_version",
            phrase(
                "The move is for another state than that of the game, which is at version %(version)s;"
                " look at it and send the"
                " move for that.",
                version=version,
            ),
            version=version,
        )
    if table.table.closed_at is not None:
        raise Conflict("table_closed", "The table was closed before the game started.", version=version)
    if table.progress is None:
        solo = table.table.kind == "solo"
        detail = (
            Phrase("This solo has not been started.")
            if solo
            else Phrase("The game has not started; seats are still free.")
        )
        raise Conflict("not_started", detail, version=version)
    if table.progress.status == "finished":
        raise Conflict("game_over", "The game is over; no move can follow.", version=version)
    return table.progress


def _refused(error: MoveError, replay: Replay, seat: int, version: int) -> Refusal:
    members: dict[str, Any] = {"version": version}
    if isinstance(error, GameOver):
        return Conflict(error.code, error.phrase, **members)
    if isinstance(error, IllegalMove):
        allowed = legal.moves(replay.state, seat)
        return IllegalMoveRefused(error.code, error.phrase, rule=error.rule, legal=allowed, **members)
    return Malformed(error.code, error.phrase)


def _with_clock(store: Session | Statements, table: LoadedTable) -> LoadedTable:
    """Return the table with its whole log if its clock has to be computed from that."""
    if table.is_clock_known:
        return table
    found = load(store, table.table.id)
    assert found is not None, "tables are never deleted"
    return found
