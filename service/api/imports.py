"""``/v1/imports``: games that were played elsewhere, to be replayed here."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flask import Response
from werkzeug.exceptions import UnsupportedMediaType

from engine import record
from engine.notation import MEDIA_TYPE
from engine.phrases import phrase
from service.api import game_view
from service.api.at_import import at_import, at_state
from service.api.auth import signed_in
from service.api.blueprint import Blueprint
from service.api.bodies import body, documents_body, query
from service.api.context import limiter, now, settings
from service.api.etags import conditional, takes_if_match
from service.api.flask_adapter import current_request
from service.api.game_answers import PAST_HEADERS
from service.api.import_schemas import (
    ImportChangeRequest,
    ImportedGameSchema,
    ImportedViewQuery,
    ImportPage,
    ImportSchema,
)
from service.api.import_view import IMPORTED, game_json, import_json
from service.api.json_response import JSON, json_response, page_response
from service.api.json_text import encode
from service.api.move_schemas import RecordSchema
from service.api.openapi_annotations import refuses
from service.api.paging import PAGE_HEADERS, PageQuery, cut, decode_cursor, encode_cursor
from service.api.past_states import AskedState, replay_at
from service.api.read_table import BY_TYPE, RECORD_TYPES, TEXT_SUFFIX, record_type_asked_for
from service.commands import imports
from service.errors import NotFound, WrongMediaType
from service.queries import imports as reading
from service.queries.imported_games import content_of
from service.queries.table import LoadedTable
from service.store.base import db
from service.store.imports import Import
from service.store.unit import transaction

blp = Blueprint("imports", __name__, description="Games that were played elsewhere, to be replayed here.")

_LOCATION = {"Location": {"description": "The URL of the import.", "schema": {"type": "string"}}}


@blp.route("/v1/imports", methods=["GET"])
@signed_in
@query(PageQuery)
@conditional
@blp.response(200, ImportPage, example=IMPORTED.page, headers=PAGE_HEADERS)
def list_imports(account: str, query: dict[str, Any]) -> Any:
    """List your imports, newest first."""
    before: tuple[datetime, str] | None = None
    if "cursor" in query:
        at, import_id = decode_cursor(query["cursor"], datetime, str)
        before = (at, import_id)
    limit = query["limit"]
    found = reading.page(db.session(), account, before, limit + 1)
    shown, last = cut(found, limit)
    following = None if last is None else encode_cursor(last.imported_at, last.id)
    return page_response([encode(import_json(settings(), each, account)) for each in shown], following)


def _documents_import(view: Any) -> Any:
    """Document the body of an import, the text notation in words only: generators of clients take no bodies of text."""
    return documents_body(view, RecordSchema, IMPORTED.record)


@blp.route("/v1/imports", methods=["POST"])
@signed_in
@_documents_import
@refuses(409, 429)
@blp.alternative(
    200, ImportSchema, description="You have imported this game before; this is that import.", example=IMPORTED.entry
)
@blp.response(201, ImportSchema, reads_body=True, example=IMPORTED.entry, headers=_LOCATION)
def import_game(account: str) -> Any:
    """Import a game that was played elsewhere, at another service or at a kitchen table.

    The body is its record, `nova-luna-record/1`, as JSON in any spelling, or, with `Content-Type: text/vnd.nova-luna`
    (or `text/plain`), its text, `nova-luna-text/1`. A record is verified by its audit, a text by playing it. One that
    does not hold is refused with 422 `bad_record` or `bad_text`: `fault` says what is wrong, `entry` or `line` where.
    So is one with a name of more than 30 characters (`name_too_long`), and a record whose text would have a line of
    more than 65,536 characters (`bad_text`).

    Nobody else sees an import unless you share it, and nothing counts it: the names in it are no accounts. If you
    import the same game again, you get the import that there is (200). You can have 200 imports (409
    `too_many_imports`), and try 60 times an hour (429 `too_many_imported`); a try that is refused counts, too.
    """
    imports.count(limiter(), account)
    found = _verified()
    with transaction() as session:
        made, is_new = imports.add(session, account, found, now())
    return import_json(settings(), made, account), 201 if is_new else 200, {"Location": f"/v1/imports/{made.id}"}


@blp.route("/v1/imports/<id:import_id>", methods=["GET"])
@at_import
@query(ImportedViewQuery)
@conditional
@blp.response(200, ImportedGameSchema, example=IMPORTED.game, headers=PAST_HEADERS)
def get_import(kept: Import, account: str | None, query: dict[str, Any]) -> Any:
    """Get an import of your own, or one that is shared, with its table; with `at`, as it was at that version."""

    def show(table: LoadedTable, asked: AskedState) -> Response:
        shown = game_json(
            import_json(settings(), kept, account), game_view.render(table, replay_at(table, asked.version))
        )
        return json_response(shown)

    return at_state(kept, query, show, for_reader=True)


@blp.route("/v1/imports/<id:import_id>", methods=["PATCH"])
@signed_in
@refuses(404)
@takes_if_match
@body(ImportChangeRequest, example={"shared": True})
@blp.response(200, ImportSchema, example={**IMPORTED.entry, "shared": True})
def change_import(account: str, import_id: str, body: dict[str, Any]) -> Any:
    """Let others see one of your imports, or no longer."""
    with transaction() as session:
        kept = imports.share(session, account, import_id, body["shared"], current_request().if_match())
        return import_json(settings(), kept, account)


@blp.route("/v1/imports/<id:import_id>", methods=["DELETE"])
@signed_in
@refuses(404)
@takes_if_match
@blp.response(204)
def delete_import(account: str, import_id: str) -> None:
    """Delete one of your imports."""
    with transaction() as session:
        imports.remove(session, account, import_id, current_request().if_match())


@blp.route("/v1/imports/<id:import_id>/record", methods=["GET"])
@at_import
@refuses(406)
@query(ImportedViewQuery)
@conditional
@blp.response(200, RecordSchema, example=IMPORTED.record, headers=PAST_HEADERS)
def get_imported_record(kept: Import, account: str | None, query: dict[str, Any]) -> Response:
    """Get the record of an imported game, or its text, as that of a game; with `at`, as it was at that version.

    A text that is not complete has no record (404 `no_record`); ask for `text/vnd.nova-luna`. With `at`, a text has no
    variations.
    """
    media_type = record_type_asked_for(current_request())
    as_text = media_type != JSON
    suffix = TEXT_SUFFIX if as_text else ""

    def show(table: LoadedTable, asked: AskedState) -> Response:
        content = content_of(kept, asked.version, as_text=as_text)
        if content is None:
            raise NotFound("no_record", "This import is a text that is not complete, from which no record follows.")
        return Response(content, content_type=f"{media_type}; charset=utf-8" if as_text else JSON)

    return at_state(kept, query, show, suffix=suffix, headers=BY_TYPE)


def _verified() -> imports.Verified:
    """Return the game in the body of the request."""
    request = current_request()
    if request.media_type in (MEDIA_TYPE, "text/plain"):
        return imports.verified_text(request.body())
    try:
        found = request.json()
    except UnsupportedMediaType:
        types = ", ".join(RECORD_TYPES)
        raise WrongMediaType("unsupported_media_type", phrase("Send the body as %(types)s.", types=types)) from None
    return imports.verified_record(record.line(found))
