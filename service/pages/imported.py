"""The pages GET /imports/{id} and /imports/{id}/text: an imported game, for its owner or, if it is shared, everybody.

Who imported it sees it by the link in the API's response, or in a browser that is signed in.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Blueprint, Response, request, url_for

from engine.phrases import Phrase
from service.access.links import importer_of
from service.api.context import settings
from service.language.languages import Reader
from service.language.people import People
from service.pages import kept_language, script, story, table_view
from service.pages.browser import signed_in
from service.pages.page_addresses import PageAddresses
from service.pages.rendering import headed, not_found, page, visitor
from service.pages.table import NO_SUCH_GOAL, NO_SUCH_MOVE, asked_move, past_move
from service.queries import imported_games, imports
from service.store.base import db
from service.store.imports import Import

blp = Blueprint("imported_page", __name__)

_ONLY_AT_TABLES = (
    "past_wait", "moving", "clock_line", "offers", "buttons", "talk", "record", "link", "changes", "seen", "seen_as",
    "exploring", "is_guests_own",
)  # fmt: skip
"""The variables of a table's template for what an imported game has not."""

_NOT_HERE = Phrase("There is no such import, or it is not shared: sign in, or open it by its own link.")


@blp.get("/imports/<id:import_id>")
def show_import(import_id: str) -> Response:
    """Show an imported game like a table, with `at` as it was after that move."""
    kept, reader, link = _found(import_id)
    if kept is None:
        return not_found(_NOT_HERE, reader)
    table = imported_games.loaded(kept)
    here = url_for("imported_page.show_import", import_id=import_id)
    addresses = PageAddresses.linked(here, link, kept_language.kept())
    if "at" in request.args and asked_move(table) is None:
        return not_found(NO_SUCH_MOVE, reader, onward=addresses.moment(None))
    at = past_move(table)
    people = People(tuple(player.name for player in table.players), None, reader.language)
    try:
        why = table_view.Why(request.args.get("why"), partial(addresses.goal, at))
        shown = table_view.prepare(table, None, reader, settings().base_url, at, addresses.moment, why)
    except table_view.NoSuchGoal:
        return not_found(NO_SUCH_GOAL, reader, onward=addresses.moment(at))
    told = imported_games.stored_summary(kept)
    course = None
    if at is None and table.status == "finished":
        caution = table_view.caution_of(table, reader.language)
        course = story.of_story(imported_games.story_of(kept), people, addresses.moment, caution)
    facts: dict[str, Any] = {
        **dict.fromkeys(_ONLY_AT_TABLES),
        **shown,
        "title": reader.language.say("An imported game of %(names)s", names=people.all()),
        "api": f"{settings().base_url}/v1/imports/{import_id}",
        "story": course,
        "here": here,
        "text": url_for("imported_page.show_imported_text", import_id=import_id, at=at, link=link),
        "imported_at": kept.imported_at,
        "timed": told["timed"],
        "has_record": told["has_record"],
        "rules": table.rules,
        "script": url_for("script.show_script", v=script.version()),
    }
    return page("imported.html", reader, policy=script.POLICY, **facts)


@blp.get("/imports/<id:import_id>/text")
def show_imported_text(import_id: str) -> Response:
    """Return the text of an imported game, with `at` up to that move."""
    kept, reader, _ = _found(import_id)
    if kept is None:
        return not_found(_NOT_HERE, reader)
    table = imported_games.loaded(kept)
    at = asked_move(table)
    if at is None:
        return not_found(NO_SUCH_MOVE, reader)
    content = imported_games.content_of(kept, at, as_text=True)
    assert content is not None
    answer = Response(content, content_type="text/plain; charset=utf-8")
    name = import_id if at == table.version else f"{import_id}-{at}"
    answer.headers["Content-Disposition"] = f'inline; filename="nova-luna-{name}.nova"'
    return headed(answer)


def _found(import_id: str) -> tuple[Import | None, Reader, str | None]:
    """Return the import if whoever looks may see it, who that is, and the link to keep in the page's addresses."""
    session, signed = signed_in(), request.args.get("link", "")
    reader = visitor() if session is None else session.reader
    if session is not None and session.is_suspended:
        session = None  # it sees no more than anybody
    owner = importer_of(settings().secret_keys, signed, import_id)
    for account, link in ((owner, signed), (None if session is None else session.account, None)):
        if (kept := imports.visible(db.session(), import_id, account)) is not None:
            return kept, reader, link if owner is not None else None
    return None, reader, None
