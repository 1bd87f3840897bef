"""``/v1/explorations``: what might have followed a position of a game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from flask import Response

from engine.phrases import Phrase, phrase
from service.api.at_exploration import at_exploration, at_state
from service.api.at_table import at_table
from service.api.auth import signed_in
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.bodies import body, query
from service.api.context import limiter, now, settings
from service.api.etags import conditional, takes_if_match
from service.api.exploration_schemas import (
    ExplorationPage,
    ExplorationRecordSchema,
    ExplorationRequest,
    ExplorationSchema,
)
from service.api.exploration_view import CREATED_HEADERS, EXPLORATION, answer, exploration_json, summary
from service.api.export_forms import NDJSON
from service.api.flask_adapter import current_request
from service.api.game_answers import PAST_HEADERS
from service.api.idempotent import idempotent
from service.api.json_response import JSON, json_response, link_to, page_response
from service.api.json_text import encode
from service.api.legal_move_schemas import LegalMovesSchema
from service.api.move_schemas import ViewQuery
from service.api.openapi_annotations import View, refuses
from service.api.paging import LINK_HEADER, PAGE_HEADERS, PageQuery, cut, decode_cursor, encode_cursor
from service.api.past_states import AskedState, replay_at
from service.api.read_table import BY_TYPE, TEXT_SUFFIX, record_type_asked_for
from service.api.requests import refuse
from service.api.viewed_states import legal_moves_response, state_response
from service.commands import explorations
from service.commands.explorations import Beginning
from service.queries import explorations as reading
from service.queries import explored_games, legal, replay
from service.queries.table import LoadedTable
from service.store.base import db
from service.store.explorations import Exploration
from service.store.unit import transaction

blp = Blueprint("explorations", __name__, description="What might have followed a position of a game. No games.")

_BODY = {"seq": 0}

_LINES = {
    "type": "string",
    "description": "Lines of JSON, each a record (`ExplorationRecord`) and a line feed.",
}


def _documents_beginning(kind: str) -> Callable[[View], View]:
    """Look up the game, and document what beginning an exploration takes, refuses and returns (a decorator)."""

    def decorator(view: View) -> View:
        made = blp.response(201, ExplorationSchema, example=EXPLORATION.begun, headers=CREATED_HEADERS)(view)
        taking = body(ExplorationRequest, example=_BODY, required=False)(refuses(409, 429)(idempotent(made)))
        return at_table(kind, Role.MEMBER)(taking)

    return decorator


@blp.route("/v1/games/<id:game_id>/explorations", methods=["POST"])
@_documents_beginning("match")
def explore_game(account: str, table: LoadedTable, body: dict[str, Any]) -> Any:
    """Explore a finished game: go on from one of its positions, alone or against a bot.

    An exploration is marked as one everywhere, and is no game: it is never rated, is in no list of games, has no clock
    and no mail, and no checkpoint has it. The game stays as it is. Nobody but you can see the exploration. The tiles
    come in the order in which they did or would have come.

    You may explore every finished game that you may see (409 `not_over` while it is running). Nothing can follow its
    end (409 `game_over`). You can have 100 explorations (409 `too_many_explorations`), and begin 120 an hour (429
    `too_many_new_explorations`).
    """
    return _begun(account, table, body)


@blp.route("/v1/solo-sessions/<id:session_id>/explorations", methods=["POST"])
@_documents_beginning("solo")
def explore_solo(account: str, table: LoadedTable, body: dict[str, Any]) -> Any:
    """Explore a solo session, as a game: a finished one, or one of your own at any time.

    Of a running solo, the tiles that have not been shown are drawn anew, so that its draw stays a secret:
    `origin.tiles` is then less than 68.
    """
    return _begun(account, table, body)


@blp.route("/v1/explorations", methods=["GET"])
@signed_in
@query(PageQuery)
@conditional
@blp.response(200, ExplorationPage, example=EXPLORATION.page, headers=PAGE_HEADERS)
def list_explorations(account: str, query: dict[str, Any]) -> Any:
    """List your explorations, newest first."""
    shown, following = _page(account, query)
    return page_response([encode(summary(*each)) for each in shown], following)


@blp.route("/v1/me/explorations.ndjson", methods=["GET"])
@signed_in
@query(PageQuery)
@blp.answers(200, _LINES, content_type=NDJSON, headers=LINK_HEADER)
def export_explorations(account: str, query: dict[str, Any]) -> Response:
    """Download the records of your explorations, newest first: a page of them at a time.

    Each line is a record like that of `GET /v1/explorations/{exploration_id}/record`. Those of your games are in
    `GET /v1/me/games.ndjson`; no exploration is among them.
    """
    shown, following = _page(account, query)
    lines = [explored_games.line(reading.load_explored(db.session(), kept)) for kept, _, _ in shown]
    headers = {} if following is None else {"Link": link_to(following)}
    return Response(b"".join(lines), headers=headers, content_type=NDJSON)


@blp.route("/v1/explorations/<id:exploration_id>", methods=["GET"])
@at_exploration
@query(ViewQuery)
@conditional
@blp.response(200, ExplorationSchema, example=EXPLORATION.view, headers=PAST_HEADERS)
def get_exploration(account: str, kept: Exploration, query: dict[str, Any]) -> Any:
    """Get an exploration of yours; with `at`, as it was at that version, from the start of the game on."""

    def show(table: LoadedTable, asked: AskedState) -> Response:
        shown = exploration_json(settings().base_url, kept, table, replay_at(table, asked.version))
        return json_response(shown)

    return at_state(kept, query, show, for_reader=True)


@blp.route("/v1/explorations/<id:exploration_id>", methods=["DELETE"])
@at_exploration
@takes_if_match
@blp.response(204)
def delete_exploration(account: str, kept: Exploration) -> None:
    """Delete an exploration."""
    with transaction() as session:
        explorations.remove(session, account, kept.id, current_request().if_match())


@blp.route("/v1/explorations/<id:exploration_id>/legal-moves", methods=["GET"])
@at_exploration
@query(ViewQuery)
@conditional
@blp.response(200, LegalMovesSchema, example=EXPLORATION.legal, headers=PAST_HEADERS)
def list_exploration_legal_moves(account: str, kept: Exploration, query: dict[str, Any]) -> Any:
    """List the legal moves of the player to move in an exploration, as in a game."""
    return at_state(kept, query, legal_moves_response)


@blp.route("/v1/explorations/<id:exploration_id>/record", methods=["GET"])
@at_exploration
@refuses(406)
@query(ViewQuery)
@conditional
@blp.response(200, ExplorationRecordSchema, example=EXPLORATION.record, headers=PAST_HEADERS)
def get_exploration_record(account: str, kept: Exploration, query: dict[str, Any]) -> Any:
    """Get the record of an exploration, `nova-luna-exploration/1`, which anybody can verify.

    Its format is not that of a game's record, so that nothing takes it for one. It begins with the entries of the game,
    and proves that they are. With `at`, it is the record as it was at that version; there is none (404 `no_record`) of
    a version before `origin.seq`, which is the game's.

    With `Accept: text/vnd.nova-luna` (or `text/plain`) you get the text of the game that is explored, in which the
    exploration is a variation. There is none (404 `no_text`) if tiles were drawn anew, as the game never had these.
    """
    media_type = record_type_asked_for(current_request())
    if media_type != JSON:
        return _text(kept, query, media_type)

    def show(table: LoadedTable, asked: AskedState) -> Response:
        return Response(explored_games.line(table, asked.version), content_type=JSON)

    return at_state(kept, query, show, headers=BY_TYPE)


def _text(kept: Exploration, query: dict[str, Any], media_type: str) -> Response:
    """Return the response with an exploration as a variation of its game."""
    session = db.session()
    origin = reading.load_origin(session, kept)
    table = explored_games.loaded(kept, origin)

    def show(table: LoadedTable, asked: AskedState) -> Response:
        content = reading.text_of(session, kept, origin, table, asked.version)
        return Response(content, content_type=f"{media_type}; charset=utf-8")

    suffix = f"{TEXT_SUFFIX}-{origin.table.revision}"
    return state_response(table, query, show, suffix=suffix, headers=BY_TYPE)


def _page(account: str, query: dict[str, Any]) -> tuple[Sequence[tuple[Exploration, str, str]], str | None]:
    """Return a page of the account's explorations, and the cursor of the next one."""
    before: tuple[datetime, str] | None = None
    if "cursor" in query:
        at, id = decode_cursor(query["cursor"], datetime, str)
        before = (at, id)
    limit = query["limit"]
    found = reading.page(db.session(), account, before, limit + 1)
    shown, last = cut(found, limit)
    return shown, None if last is None else encode_cursor(last[0].created_at, last[0].id)


def _begun(account: str, table: LoadedTable, body: dict[str, Any]) -> Response:
    """Begin the exploration of a game and return the response with it."""
    explorations.check_explorable(table, account)
    beginning = _beginning(account, table, body)
    most = settings().limit_explorations_per_account
    with transaction() as session:
        kept, made = explorations.begin(session, account, table, beginning, now(), most=most, limiter=limiter())
        return answer(settings(), kept, made, 201)


def _beginning(account: str, table: LoadedTable, body: dict[str, Any]) -> Beginning:
    """Return where an exploration begins, as its request says; refuse a version and a seat that there is not."""
    seq: int = body.get("seq", explorations.last_position(table))
    if seq > table.version:
        refuse("body", {"seq": [phrase("Must be from %(least)s to %(most)s.", least=0, most=table.version)]})
    if body["opponent"] is None:
        if "seat" in body:
            refuse("body", {"seat": [Phrase("Needs an opponent; without one, you play every seat in turn.")]})
        return Beginning(seq)
    if table.table.seats == 1:
        refuse("body", {"opponent": [Phrase("A solo has no opponents.")]})
    assert table.header is not None
    state = replay.replay(table.header, table.tiles, table.entries[:seq]).state
    seat = body.get("seat")
    if seat is None:
        mine = table.seat_of(account)
        seat = state.turn if mine is None or legal.has_left(state, mine) else mine
    elif seat >= table.table.seats:
        refuse("body", {"seat": [phrase("Must be from %(least)s to %(most)s.", least=0, most=table.table.seats - 1)]})
    elif legal.has_left(state, seat):
        refuse("body", {"seat": [Phrase("Must be a seat that has not left the game by then.")]})
    return Beginning(seq, body["opponent"], seat)
