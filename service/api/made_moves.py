"""Answer a GET of a move that was made: what it did, and the table before and after it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from engine import notation, record
from engine.changes import Change, changes
from engine.moves import Mark, Place, Refill
from engine.phrases import phrase
from engine.table import Step
from engine.text import parse
from service.api import clock_view, game_view, move_changes
from service.api.application_context import Context
from service.api.authorization import Role, admit
from service.api.json_response import JSON
from service.api.json_text import encode
from service.api.made_move_schemas import MadeMoveQuery
from service.api.past_states import replay_at, state_asked_for
from service.api.requests import ApiRequest
from service.api.responses import ApiResponse
from service.errors import NotFound
from service.language.happenings import happening
from service.language.languages import language
from service.language.people import People
from service.queries.table import LoadedTable, RequestCaller, read_chained
from service.store.log import Entry

_QUERY = MadeMoveQuery()
_MILLISECOND = timedelta(milliseconds=1)


class MadeMove(NamedTuple):
    """A move with what it did.

    Attributes:
        entry: its entry in the log.
        step: what it did.
        changes: the changes of the table.
        turn_since: when the turn began in which it was made.
        before: the JSON of the table before it, without `clock` and `you`.
        after: the same after it.
    """

    entry: Entry
    step: Step
    changes: tuple[Change, ...]
    turn_since: datetime
    before: bytes
    after: bytes


def made_move(table: LoadedTable, seq: int) -> MadeMove:
    """Replay a game up to the move with this number, which its log has."""
    game = replay_at(table, seq - 1)
    before, since, shown = game.state.clone(), game.turn_since, game_view.render(table, game)
    entry = table.entries[seq - 1]
    step = game.advance(entry)
    return MadeMove(entry, step, changes(before, step), since, shown, game_view.render(table, game))


def show_move(context: Context, request: ApiRequest, *, kind: str, table_id: str, seq: int) -> ApiResponse:
    """Return a move that was made at a table; raise NotFound if the log has none with this number."""
    token = request.token_hash()
    found = read_chained(context.pool, table_id, RequestCaller(token, context.clock()))
    admit(found.access, kind, Role.READER, token)
    query = request.load_query(_QUERY)
    table = found.table
    assert table is not None, "a table that is not there admits nobody"
    check_made(table, seq)
    state = state_asked_for(table, {**query, "at": seq}, for_reader=True)
    if request.knows(state.tag):
        return ApiResponse(304, None, state.headers())
    made = made_move(table, seq)
    seat = table.seat_of(found.account)
    clock = clock_view.render(table, seat, None)
    views = (game_view.for_reader(view, clock, seat).decode() for view in (made.before, made.after))
    shown = encode(to_json(table, made, found.hashes, query["language"]))
    body = '{}"before":{},"after":{}}}'.format(f"{shown[:-1]},", *views)
    return ApiResponse(200, body.encode(), {**state.headers(), "Content-Type": JSON})


def check_made(table: LoadedTable, seq: int) -> None:
    """Raise NotFound if the log of a table has no entry with this number."""
    if not 1 <= seq <= table.version:
        detail = phrase("There is no move %(seq)s; the game is at version %(version)s.", seq=seq, version=table.version)
        raise NotFound("no_such_move", detail, version=table.version)


def to_json(table: LoadedTable, made: MadeMove, hashes: Sequence[bytes], code: str) -> dict[str, Any]:
    """Return a move in JSON, without the table before and after it.

    Args:
        table: the table with its whole log.
        made: the move.
        hashes: the hashes of the entries up to it.
        code: the code of the language to tell it in.
    """
    seq = made.entry.seq
    assert table.header is not None
    return {
        **move_summary(table, made, code),
        "prev": record.digest(table.header) if seq == 1 else hashes[seq - 2].hex(),
        "hash": hashes[seq - 1].hex(),
    }


def move_summary(table: LoadedTable, made: MadeMove, code: str, *, timed: bool = True) -> dict[str, Any]:
    """Return a move in JSON, without its hash, and without the table before and after it.

    Args:
        table: the table with its whole log.
        made: the move.
        code: the code of the language to tell it in.
        timed: whether it is known when it was made.
    """
    entry, step = made.entry, made.step
    names = table.names
    return {
        **game_view.last_move(entry, step),
        "line": notation.line(_notated(entry, step, timed=timed)),
        "sentence": happening(step, People(names, language=language(code)), entry.by, step.covered_by),
        "space": step.space,
        "turn": step.turn,
        "in_a_row": _in_a_row(table.entries[: entry.seq]) if isinstance(step.move, Place | Refill) else None,
        "took_ms": _took(table, made) if timed else None,
        "changes": [move_changes.to_json(change) for change in made.changes],
    }


def _notated(entry: Entry, step: Step, *, timed: bool) -> notation.Entry:
    put_out = tuple(tile for _, tile in step.refilled)
    at = record.stamp(entry.at) if timed else None
    return notation.Entry(entry.seq, entry.seat, step.move, entry.by or None, at, covered=step.covered, put_out=put_out)


def _in_a_row(entries: Sequence[Entry]) -> int:
    """Return which turn in a row of its player the last of these entries belongs to, a placement or a refill (2.1).

    A refill belongs to the turn of the placement after it (2.2).
    """
    *before, last = entries
    turns = 1
    for entry in reversed(before):
        if isinstance(parse(entry.move), Place):  # only placements end a turn
            if entry.seat != last.seat:
                break
            turns += 1
    return turns


def _took(table: LoadedTable, made: MadeMove) -> int | None:
    """Return the milliseconds that the player to move took for a move; None for a mark, and for others' moves."""
    entry, step = made.entry, made.step
    if isinstance(step.move, Mark) or step.seat is None or step.seat != step.before:
        return None
    moves = reversed(table.entries[: entry.seq - 1])
    last = next((each.at for each in moves if isinstance(parse(each.move), Place | Refill)), made.turn_since)
    return (entry.at - max(last, made.turn_since)) // _MILLISECOND
