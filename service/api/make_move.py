"""Answer a POST of a move. This module is on the hot path, and independent of the web framework.

A move takes one statement if this process has cached the table and the table has not changed: the write itself checks
that the token belongs to the player to move. Otherwise one statement reads the caller, the table and the response that
is stored for the same request, and one more writes.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import replace
from typing import Any, NamedTuple

from werkzeug.exceptions import HTTPException

from engine import text
from engine.errors import MalformedMove
from engine.moves import MOST, Move, Place, Refill, Resign, from_json, to_json
from engine.phrases import phrase
from engine.table import Step
from service.api import game_view
from service.api.application_context import Context
from service.api.authorization import Role, find_table
from service.api.game_view import covered, moved
from service.api.move_schemas import MoveQuery, MoveRequest
from service.api.requests import JSON, ApiRequest, refuse
from service.api.responses import ApiResponse, table_response
from service.api.stored_responses import body_hash, repeated
from service.commands import play
from service.commands.entries import Played
from service.commands.expectation import Expectation
from service.errors import PreconditionRequired, Refusal
from service.queries import legal
from service.queries.table import LoadedTable, RequestCaller, read
from service.queries.table_cache import table_state
from service.store.idempotency import Slot, StoredResponse
from service.store.log import KeyedResponse

_QUERY = MoveQuery()
_NO_QUERY = _QUERY.load({})
_BODY = MoveRequest()
_PATHS = {"match": "/v1/games/", "solo": "/v1/solo-sessions/"}


def make_move(context: Context, request: ApiRequest, *, kind: str, table_id: str) -> ApiResponse:
    """Make a player's move at a table, or, in a dry run, say what it would do.

    A dry run ignores the ``Idempotency-Key``, because it changes nothing.
    """
    tried = _on_cached_table(context, request, kind, table_id)
    if isinstance(tried, Played):
        return _made(context, tried)
    account, table, stored = find_table(context, request, kind, table_id, Role.PLAYER, once=True)
    seat = table.seat_of(account)
    assert account is not None and seat is not None, "only players get here"
    if tried is not None and tried.holds_for(table, seat):
        raise tried.refusal
    asked = read_move(request)
    request.idempotency_key()  # refuses a malformed key, in a dry run too
    if asked.is_dry_run:
        return _try(context, table, seat, asked)
    if stored is not None:
        return repeated(stored, request)
    check_version_named(asked)
    check_letter(table, seat, asked)
    slot = request.idempotency_slot(account)
    keyed = None if slot is None else _KeyedRequest(context, request, slot)
    try:
        played = play.play(context.pool, table, seat, asked.move, asked.expected, context.clock(), keyed)
    except _RespondedBefore as before:
        return repeated(before.stored, request)
    if keyed is None or keyed.view is None or keyed.made is None:
        return _made(context, played)
    context.tables.put(played.table, keyed.view)
    return keyed.made


class AskedMove(NamedTuple):
    """A parsed request for a move.

    Attributes:
        move: the move.
        letter: the letter of the cell, if the client sent it.
        expected: the state that the move was chosen at, None for any.
        is_version_needed: whether the client has to name such a state.
        is_dry_run: whether the move is only to be tried.
    """

    move: Move
    letter: str | None
    expected: Expectation | None
    is_version_needed: bool
    is_dry_run: bool


def read_move(request: ApiRequest) -> AskedMove:
    """Return the move that a request asks for; refuse one that is malformed."""
    query = request.load_query(_QUERY, _NO_QUERY)
    move, version, letter = _parsed(request)
    expected, needed = request.if_match(), False
    if not request.has_if_match:
        expected = None if version is None else Expectation((version,))
        needed = not isinstance(move, Resign)
    return AskedMove(move, letter, expected, needed, query["dry_run"])


def _parsed(request: ApiRequest) -> tuple[Move, int | None, str | None]:
    """Return the move in the body, the version that it was chosen at, and the letter of its cell.

    The schema defines what is valid. But to load by it takes longer than to read the table, so a body that has nothing
    but a move in the engine's own format and a version is parsed without it.
    """
    data = request.json()
    if type(data) is dict and "letter" not in data:
        fields = {**data}
        version = fields.pop("expected_version", 0)
        if type(version) is int and 0 <= version <= MOST:
            try:
                move = from_json(fields)
            except MalformedMove:
                pass  # the schema names the wrong field
            else:
                if isinstance(move, Place | Refill | Resign):
                    return move, data.get("expected_version"), None
    loaded = request.load_body(_BODY)
    return loaded["move"], loaded["expected_version"], loaded["letter"]


class _CachedRefusal(NamedTuple):
    """The refusal of a move on a cached table, which holds if the table is current and the caller is to move."""

    refusal: Refusal
    state: Hashable
    seat: int

    def holds_for(self, table: LoadedTable, seat: int) -> bool:
        """Return whether the move is refused in the same way on this table, as it was read for the player at a seat."""
        return (self.state, self.seat) == (table_state(table), seat)


def _on_cached_table(context: Context, request: ApiRequest, kind: str, table_id: str) -> Played | _CachedRefusal | None:
    """Make the move on the cached table, by one statement.

    Return None, with nothing done, if the cache has no current table or the request is malformed, or the refusal of the
    move. Then the table is read, because what the caller is told depends on who that is.
    """
    table, token = context.tables.replayed(table_id), request.token_hash()
    if table is None or token is None or table.table.kind != kind or request.has_key:
        return None
    turn = None if table.progress is None else table.progress.turn
    try:
        asked = read_move(request)
        if turn is None or asked.expected is None or asked.is_dry_run:
            return None
        check_letter(table, turn, asked)
    except (Refusal, HTTPException):
        return None
    state = table_state(table)
    try:
        return play.play_on_cached(context.pool, table, token, asked.move, asked.expected, context.clock())
    except Refusal as refusal:
        return _CachedRefusal(refusal, state, turn)


def check_version_named(asked: AskedMove) -> None:
    """Refuse a move that has to name the version that it was chosen at, and does not."""
    if asked.expected is None and asked.is_version_needed:
        raise PreconditionRequired(
            "version_required",
            "Say which version the move is for: expected_version in the body, or If-Match with the game's ETag.",
        )


def check_letter(table: LoadedTable, seat: int, asked: AskedMove) -> None:
    """Refuse a letter that belongs to another cell at the version of the move: one of the two is a mistake.

    All other errors, such as a stale version or a cell that is not open, are found when the move is made.
    """
    if asked.letter is None or not isinstance(asked.move, Place) or table.progress is None:
        return
    if asked.expected is not None and not asked.expected.holds_for(table):
        return
    right = legal.letters(table.state, seat, asked.move)
    if right not in (None, asked.letter):
        refuse(
            "body", {"letter": [phrase("Must be %(letter)s, the letter of this cell, or not be given.", letter=right)]}
        )


def _made(context: Context, played: Played) -> ApiResponse:
    """Return the response to a committed move, and cache the new state of the table."""
    table = played.table
    view = game_view.of_table(table)
    context.tables.put(table, view)
    return table_response(table, played.step.seat, view, context.clock(), 201, location=_location(table))


def _location(table: LoadedTable) -> str:
    """Return the URL of the table in its present state."""
    return f"{_PATHS[table.table.kind]}{table.table.id}?at={table.version}&head={table.head}"


class _KeyedRequest:
    """A `service.commands.play.KeyedRequest`, whose response is stored by the statement that makes the move.

    Once it is rendered, `view` is the table after the move, without `clock` and `you`, and `made` the response that is
    stored, which the first request gets, too.
    """

    def __init__(self, context: Context, request: ApiRequest, slot: Slot) -> None:
        self._context, self._request, self._slot = context, request, slot
        self.view: bytes | None = None
        self.made: ApiResponse | None = None

    def response(self, played: Played) -> KeyedResponse:
        """Return the response to store if the move is made."""
        table = played.table
        self.view = game_view.of_table(table)
        at, location = self._context.clock(), _location(table)
        self.made = response = table_response(table, played.step.seat, self.view, at, 201, location=location)
        assert response.body is not None
        hashed = body_hash(self._request.json())
        return KeyedResponse(
            self._slot, StoredResponse(hashed, response.status, dict(response.headers), response.body.decode())
        )

    def check(self) -> None:
        """Raise `_RespondedBefore` if the same request has won a race, with the response to that one."""
        caller = RequestCaller(self._request.token_hash(), self._context.clock(), replace(self._slot, account=""))
        stored = read(self._context.pool, "", caller).stored
        if stored is not None:
            raise _RespondedBefore(stored)


class _RespondedBefore(Exception):
    """The same request was answered before, with the response `stored`."""

    def __init__(self, stored: StoredResponse) -> None:
        super().__init__(stored)
        self.stored = stored


def _try(context: Context, table: LoadedTable, seat: int, asked: AskedMove) -> ApiResponse:
    """Return the response that says what a move would do."""
    check_letter(table, seat, asked)
    step = play.preview(table, seat, asked.move, asked.expected, context.clock())
    body = json.dumps(tried(table.version, seat, asked.move, step)).encode()
    return ApiResponse(200, body, {"Content-Type": JSON})


def tried(version: int, seat: int, move: Move, step: Step) -> dict[str, Any]:
    """Return the effect of a move, in JSON, without making it."""
    return {
        "version": version,
        "seat": seat,
        "move": to_json(move),
        "notation": text.render(move),
        "moved": moved(step),
        "covered": covered(step),
        "discs_left": step.state.discs_left[seat],
        "refills": bool(step.refilled),
        "turn": step.turn,
        "result": None if step.ended is None else step.ended.to_json(),
    }
