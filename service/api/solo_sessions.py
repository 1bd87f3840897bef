"""``/v1/solo-sessions``: the solo game, private while it is running."""

from functools import partial
from typing import Any

from flask import Response

from engine.solo import DISCS
from service.api import game_answers, read_table
from service.api.at_table import at_table
from service.api.auth import signed_in
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.bodies import body, query
from service.api.callers import TableRequest, with_caller, with_table_request
from service.api.context import bounds, now
from service.api.etags import conditional, takes_if_match
from service.api.flask_adapter import answered, current_request
from service.api.game_answers import CREATED_HEADERS, TAG_HEADERS
from service.api.game_examples import SOLO
from service.api.game_schemas import GamePage, GameSchema
from service.api.games import documents_view
from service.api.idempotent import idempotent
from service.api.legal_move_schemas import LegalMovesSchema
from service.api.made_moves import show_move
from service.api.make_move import make_move
from service.api.move_schemas import LogPage, LogQuery
from service.api.moves import documents_goals, documents_made_move, documents_move, documents_read, documents_record
from service.api.openapi_annotations import refuses
from service.api.paging import PAGE_HEADERS
from service.api.seat_goals import show_goals
from service.api.show_table import show_table
from service.api.table_lists import page
from service.api.table_schemas import SoloQuery, SoloSessionRequest, StartRequest
from service.commands import tables
from service.commands.start import start_solo
from service.queries.table import LoadedTable
from service.store.callers import Bearer
from service.store.unit import transaction

blp = Blueprint("solo-sessions", __name__, description="The solo game. It is private while it is running.")


@blp.route("/v1/solo-sessions", methods=["GET"])
@with_caller
@query(SoloQuery)
@refuses(410)
@conditional
@blp.response(200, GamePage, example=SOLO.page, headers=PAGE_HEADERS)
def list_solo_sessions(caller: Bearer, query: dict[str, Any]) -> Any:
    """List your solo sessions, newest first."""
    return page("solo", caller, {**query, "mine": True})


@blp.route("/v1/solo-sessions", methods=["POST"])
@signed_in
@body(SoloSessionRequest, example={}, required=False)
@refuses(409, 429)
@idempotent
@blp.response(201, GameSchema, example=SOLO.open, headers=CREATED_HEADERS)
def create_solo_session(account: str, body: dict[str, Any]) -> Any:
    """Open a solo session.

    The response shows the commitment to the draw's seed. Then start the session, with a text of your own if you like.
    An account may have 20 sessions that are not over (409 `too_many_solos`), and open 200 tables a day, solo sessions
    included (429 `too_many_tables`).
    """
    with transaction() as session:
        table = tables.create(
            session,
            account,
            tables.TableSettings(seats=1, goal_discs=DISCS, visibility="private", kind="solo"),
            now=now(),
            bounds=bounds(),
        )
        return game_answers.fresh_view(table.id, account, 201, f"/v1/solo-sessions/{table.id}")


@blp.route("/v1/solo-sessions/<id:session_id>", methods=["GET"])
@documents_view(blp, SOLO)
def get_solo_session(session_id: str) -> Response:
    """Get a solo session, with everything that its player may see; anybody may read a finished one."""
    return answered(show_table, kind="solo", table_id=session_id)


@blp.route("/v1/solo-sessions/<id:session_id>", methods=["DELETE"])
@at_table("solo", Role.PLAYER)
@refuses(409)
@takes_if_match
@blp.response(204)
def close_solo_session(account: str, table: LoadedTable) -> None:
    """Close a solo session that has not started; to leave a running one, make the move `resign`."""
    with transaction() as session:
        tables.close(session, account, table.table.id, now(), current_request().if_match())


@blp.route("/v1/solo-sessions/<id:session_id>/start", methods=["POST"])
@at_table("solo", Role.PLAYER)
@body(StartRequest, example={"entropy": "seven herons over the lake"}, required=False)
@refuses(409)
@idempotent
@takes_if_match
@blp.response(200, GameSchema, example=SOLO.started, headers=TAG_HEADERS)
def start_solo_session(account: str, table: LoadedTable, body: dict[str, Any]) -> Any:
    """Start a solo session, with your text for the draw."""
    with transaction() as session:
        start_solo(session, account, table.table.id, body["entropy"], now(), current_request().if_match())
        return game_answers.fresh_view(table.table.id, account)


@blp.route("/v1/solo-sessions/<id:session_id>/keep", methods=["POST"])
@at_table("solo", Role.PLAYER)
@refuses(409, 429)
@idempotent
@takes_if_match
@blp.response(200, GameSchema, example=SOLO.started, headers=TAG_HEADERS)
def keep_solo_session(account: str, table: LoadedTable) -> Any:
    """Keep a solo session that would end because you have not gone on with it for long.

    It ends after 90 days in which you do not move, two weeks after a mail that warns you. You can keep it 5 times a day
    (429 `too_often`).
    """
    return game_answers.kept_view(account, table)


@blp.route("/v1/solo-sessions/<id:session_id>/moves", methods=["GET"])
@with_table_request("solo")
@query(LogQuery)
@conditional
@blp.response(200, LogPage, example=SOLO.log, headers=PAGE_HEADERS)
def list_solo_moves(asked: TableRequest, query: dict[str, Any]) -> Any:
    """List the log of a solo session: the accepted moves, oldest first, in the same form as in the record."""
    return game_answers.log(asked, query)


@blp.route("/v1/solo-sessions/<id:session_id>/moves/<int:seq>", methods=["GET"])
@documents_made_move(blp, SOLO)
def get_solo_move(session_id: str, seq: int) -> Response:
    """Get a move that was made in a solo session, as in a game."""
    return answered(partial(show_move, seq=seq), kind="solo", table_id=session_id)


@blp.route("/v1/solo-sessions/<id:session_id>/moves", methods=["POST"])
@documents_move(blp, SOLO)
def make_solo_move(session_id: str) -> Response:
    """Make a move in a solo session, as in a game."""
    return answered(make_move, kind="solo", table_id=session_id)


@blp.route("/v1/solo-sessions/<id:session_id>/legal-moves", methods=["GET"])
@documents_read(blp, LegalMovesSchema, SOLO.legal)
def list_solo_legal_moves(session_id: str) -> Response:
    """List the legal moves of the player."""
    return answered(read_table.list_legal_moves, kind="solo", table_id=session_id)


@blp.route("/v1/solo-sessions/<id:session_id>/seats/<int:seat>/goals", methods=["GET"])
@documents_goals(blp, SOLO)
def list_solo_goals(session_id: str, seat: int) -> Response:
    """List the goals on the display of a solo session, whose only seat is 0, as in a game."""
    return answered(partial(show_goals, seat=seat), kind="solo", table_id=session_id)


@blp.route("/v1/solo-sessions/<id:session_id>/record", methods=["GET"])
@documents_record(blp, SOLO)
def get_solo_record(session_id: str) -> Response:
    """Get the record of a solo session, `nova-luna-record/1` or `nova-luna-text/1`, as that of a game."""
    return answered(read_table.show_record, kind="solo", table_id=session_id)
