"""``/v1/games/{game_id}/notes`` and ``/v1/solo-sessions/{session_id}/notes``: private notes of a player."""

from datetime import datetime
from typing import Any

from flask import Response

from engine.record import stamp
from service.api.at_table import at_table
from service.api.authorization import Role
from service.api.blueprint import Blueprint
from service.api.bodies import body, query
from service.api.callers import TableRequest, with_table_request
from service.api.context import now, pool
from service.api.etags import conditional
from service.api.idempotent import idempotent
from service.api.json_response import page_response
from service.api.json_text import encode
from service.api.openapi_annotations import refuses
from service.api.paging import PAGE_HEADERS, PageQuery, check_epoch, cut, encode_cursor, place_of
from service.api.talk_schemas import NOTE_EXAMPLE, NotePage, NoteRequest, NoteSchema
from service.commands import talk
from service.queries.table import LoadedTable
from service.queries.talk import kept_notes, own_note
from service.store.base import db
from service.store.talk import Note
from service.store.unit import transaction

blp = Blueprint("notes", __name__, description="Your private notes on a game. Nobody else ever sees them.")

_PAGE = {"items": [NOTE_EXAMPLE], "next": None}
_GIVEN = {"text": "Two more red ones at the lower end, then tile 12 is done."}
_MADE = {"Location": {"description": "The URL of the note.", "schema": {"type": "string"}}}


@blp.route("/v1/games/<id:game_id>/notes", methods=["GET"])
@with_table_request("match", Role.PLAYER)
@query(PageQuery)
@conditional
@blp.response(200, NotePage, example=_PAGE, headers=PAGE_HEADERS)
def list_notes(asked: TableRequest, query: dict[str, Any]) -> Any:
    """List your notes on a game that you play, newest first."""
    return _listed(asked, query)


@blp.route("/v1/games/<id:game_id>/notes", methods=["POST"])
@at_table("match", Role.PLAYER)
@body(NoteRequest, example=_GIVEN)
@refuses(409)
@idempotent
@blp.response(201, NoteSchema, example=NOTE_EXAMPLE, headers=_MADE)
def write_note(account: str, table: LoadedTable, body: dict[str, Any]) -> Any:
    """Write a private note on a game that you play.

    Your own turn mails of this game show it, and nothing else does. It is deleted with your account. You can keep up to
    200 notes at one table (409).
    """
    return _written(account, table, body, "games")


@blp.route("/v1/games/<id:game_id>/notes/<id:note_id>", methods=["GET"])
@at_table("match", Role.PLAYER)
@blp.response(200, NoteSchema, example=NOTE_EXAMPLE)
def get_note(account: str, table: LoadedTable, note_id: str) -> Any:
    """Get one of your notes."""
    return _found(account, table, note_id)


@blp.route("/v1/games/<id:game_id>/notes/<id:note_id>", methods=["DELETE"])
@at_table("match", Role.PLAYER)
@blp.response(204)
def delete_note(account: str, table: LoadedTable, note_id: str) -> None:
    """Delete one of your notes."""
    _deleted(account, table, note_id)


@blp.route("/v1/solo-sessions/<id:session_id>/notes", methods=["GET"])
@with_table_request("solo", Role.PLAYER)
@query(PageQuery)
@conditional
@blp.response(200, NotePage, example=_PAGE, headers=PAGE_HEADERS)
def list_solo_notes(asked: TableRequest, query: dict[str, Any]) -> Any:
    """List your notes on a solo session, newest first."""
    return _listed(asked, query)


@blp.route("/v1/solo-sessions/<id:session_id>/notes", methods=["POST"])
@at_table("solo", Role.PLAYER)
@body(NoteRequest, example=_GIVEN)
@refuses(409)
@idempotent
@blp.response(201, NoteSchema, example=NOTE_EXAMPLE, headers=_MADE)
def write_solo_note(account: str, table: LoadedTable, body: dict[str, Any]) -> Any:
    """Write a private note on a solo session, as on a game."""
    return _written(account, table, body, "solo-sessions")


@blp.route("/v1/solo-sessions/<id:session_id>/notes/<id:note_id>", methods=["GET"])
@at_table("solo", Role.PLAYER)
@blp.response(200, NoteSchema, example=NOTE_EXAMPLE)
def get_solo_note(account: str, table: LoadedTable, note_id: str) -> Any:
    """Get one of your notes."""
    return _found(account, table, note_id)


@blp.route("/v1/solo-sessions/<id:session_id>/notes/<id:note_id>", methods=["DELETE"])
@at_table("solo", Role.PLAYER)
@blp.response(204)
def delete_solo_note(account: str, table: LoadedTable, note_id: str) -> None:
    """Delete one of your notes."""
    _deleted(account, table, note_id)


def _listed(asked: TableRequest, query: dict[str, Any]) -> Response:
    limit = query["limit"]
    place = place_of(query, datetime, str)
    before = (place.parts[0], place.parts[1]) if place else None
    found = kept_notes(pool(), asked.caller, asked.table_id, before, limit + 1)
    asked.admit(found.access)
    check_epoch(place, found.epoch)
    notes, last = cut(found.notes, limit)
    following = None if last is None else encode_cursor(last.at, last.id, of=found.epoch)
    shown = [encode({"id": id, "at": stamp(at), "text": text}) for id, at, text in notes]
    return page_response(shown, following)


def _written(account: str, table: LoadedTable, body: dict[str, Any], resource: str) -> Any:
    with transaction() as session:
        made = talk.note(session, table.table.id, account, body["text"], now())
    return made, 201, {"Location": f"/v1/{resource}/{table.table.id}/notes/{made.id}"}


def _found(account: str, table: LoadedTable, note: str) -> Note:
    found = own_note(db.session(), table.table.key, account, note)
    if found is None:
        raise talk.no_such_note()
    return found


def _deleted(account: str, table: LoadedTable, note: str) -> None:
    with transaction() as session:
        talk.delete_note(session, table.table.key, account, note)
