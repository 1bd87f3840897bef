"""A plain move, for `service.api.front`: this module is on the hot path, and the path of a move is what this service is
for.

Plain is a place or a refill in a JSON body with nothing else in it than the version that it is for, if that is not named
by `If-Match`. It is read and written here by the same statements and the same command as behind Flask. Whatever goes
wrong has changed nothing, so it is Flask's to find out again and to say; but for a write that nobody knows the end of.
"""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg
from flask import Flask
from sqlalchemy.exc import SQLAlchemyError

from engine.errors import MalformedMove
from engine.moves import Place, Refill, from_json
from service.api import game_view
from service.api.bodies import MAX_BODY, decoded
from service.api.context import context_of, kept_tables_of
from service.api.handed import hand_on
from service.api.idempotent import KEY
from service.api.json_response import JSON
from service.api.made import Made
from service.api.plain import KIND, TABLE, Answer, Unplain, token_of
from service.commands import play
from service.commands.play import Expectation, Played
from service.errors import Refusal, StalePrecondition
from service.queries import legal
from service.queries.table import Asking, LoadedTable
from service.store.idempotency import Slot

if TYPE_CHECKING:
    from wsgiref.types import WSGIEnvironment

BELOW = "/moves"
PATH = re.compile(TABLE + BELOW)

_ONE_TAG = re.compile(r'"([0-9]+-[0-9]+-[0-9a-f]{8})"')


def answer(app: Flask, environ: WSGIEnvironment, collection: str, table_id: str) -> Answer:
    """The move's answer, once it is made and committed; raises Unplain, and nothing was done, where it is Flask's."""
    token = token_of(environ)
    key = environ.get("HTTP_IDEMPOTENCY_KEY")
    if token is None or (key is not None and not KEY.fullmatch(key)):
        raise Unplain
    asked = _asked(environ)
    path = f"/v1/{collection}/{table_id}"
    made = Made(path, None if key is None else Slot("", "POST", path + BELOW, key), asked.data, _raced)
    try:
        played = _on_kept(app, collection, table_id, token, asked) if key is None else None
        table = _on_read(app, environ, collection, table_id, token, asked, made) if played is None else played.table
    except Refusal:
        raise Unplain from None
    except (psycopg.Error, SQLAlchemyError) as error:
        hand_on(environ, error)  # who sees it must not try the move again
        raise Unplain from None
    view = made.view(table)
    kept_tables_of(app).keep(table, view)
    seat = table.entries[-1].seat
    return Answer("201 CREATED", game_view.with_you(view, seat), table.tag, (("Location", made.location(table)),))


def _on_kept(app: Flask, collection: str, table_id: str, token: bytes, asked: _Asked) -> Played | None:
    """Make the move on what this process kept of the table, by one statement; None, and nothing was done, if that is
    not how things are."""
    table = kept_tables_of(app).kept(table_id)
    if table is None or table.table.kind != KIND[collection]:
        return None
    _check_letter(table, None if table.progress is None else table.progress.turn, asked)
    context = context_of(app)
    return play.play_on_kept(context.straight, table, token, asked.move, asked.expected, context.clock())


def _on_read(
    app: Flask, environ: WSGIEnvironment, collection: str, table_id: str, token: bytes, asked: _Asked, made: Made
) -> LoadedTable:
    """Read the table and who asks, and make the move; gives the table after it."""
    context, now = context_of(app), context_of(app).clock()
    reading = kept_tables_of(app).read(context.straight, table_id, Asking(token, now, made.slot))
    account, table = reading.account, reading.table
    seat = None if table is None else table.seat_of(account)
    if table is None or account is None or seat is None or table.table.kind != KIND[collection] or reading.answered:
        hand_on(environ, reading)
        raise Unplain
    _check_letter(table, seat, asked)
    return play.play(context.straight, table, seat, asked.move, asked.expected, now, made.by(account)).table


def _check_letter(table: LoadedTable, seat: int | None, asked: _Asked) -> None:
    """A letter that is not that of the cell, for whatever reason, is Flask's to look at."""
    if asked.letter is None:
        return
    move = asked.move
    if (
        seat is None
        or table.header is None
        or not isinstance(move, Place)
        or asked.letter != legal.letters(table.state, seat, move)
    ):
        raise Unplain


class _Asked(NamedTuple):
    """What a request asks for: its body, the move in it, the version that it is for, and what it calls the cell."""

    data: dict[str, Any]
    move: Place | Refill
    expected: Expectation
    letter: str | None


def _raced() -> None:
    """A race was lost, so nothing is written, and Flask looks who won."""
    raise Unplain


def _asked(environ: WSGIEnvironment) -> _Asked:
    """What is asked for. The body is there for Flask too."""
    length = environ.get("CONTENT_LENGTH", "")
    if environ.get("CONTENT_TYPE") != JSON or not (length.isascii() and length.isdecimal()) or int(length) > MAX_BODY:
        raise Unplain
    raw = environ["wsgi.input"].read(int(length))
    environ["wsgi.input"] = BytesIO(raw)
    try:
        data = decoded(raw)
        return _read(data, environ.get("HTTP_IF_MATCH"))
    except (ValueError, RecursionError, MalformedMove):
        raise Unplain from None


def _read(data: Any, condition: str | None) -> _Asked:
    if not isinstance(data, dict) or None in data.values():
        raise Unplain
    fields = dict(data)
    version, letter = fields.pop("expected_version", None), fields.pop("letter", None)
    move = from_json(fields)
    if not isinstance(move, Place | Refill) or not (version is None or type(version) is int):
        raise Unplain
    if condition is not None:
        tag = _ONE_TAG.fullmatch(condition)
        if tag is None:
            raise Unplain
        return _Asked(data, move, Expectation((tag[1],), StalePrecondition), letter)
    if version is None:
        raise Unplain
    return _Asked(data, move, Expectation((version,)), letter)
