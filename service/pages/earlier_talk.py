"""The pages /games/{id}/all-messages and /games/{id}/all-notes: what was said at a table, and a player's notes.

Of both, the page of the table has the newest alone.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flask import Blueprint, Response, request, url_for

from service.api.converters import id_or_none
from service.commands import tables
from service.pages.guard import needs_session
from service.pages.refusals import refusal_page
from service.pages.rendering import page
from service.pages.table_rows import place_of
from service.pages.table_talk import SHOWN, Spoken, author
from service.queries import talk
from service.queries.browser_sessions import BrowserSession
from service.queries.table_access import TableAccess
from service.store.base import db
from service.store.callers import KnownAccount

blp = Blueprint("earlier_talk_page", __name__)


@blp.get("/games/<id:game>/all-messages")
@needs_session
def show_messages(me: BrowserSession, game: str) -> Response:
    """Show what was said at a table that the player may see, the newest first, from a place in its order on."""
    before, language = place_of(request.args.get("before", "")).key, me.reader.language
    found = talk.messages(db.session(), KnownAccount(me.account), game, before, SHOWN + 1)
    shown, onward = found.messages[:SHOWN], None
    if len(found.messages) > SHOWN:
        onward = url_for("earlier_talk_page.show_messages", game=game, before=shown[-1].number)
    spoken = [Spoken(author(message, language), message) for message in shown if message.said is not None]
    title = language.say("What was said at the table")
    return _page(me, game, found.access, found.access.kind == "match", title, onward, messages=spoken)


@blp.get("/games/<id:game>/all-notes")
@needs_session
def show_notes(me: BrowserSession, game: str) -> Response:
    """Show the player's own notes at a table, the newest first, from a place in their order on."""
    found = talk.kept_notes(db.session(), KnownAccount(me.account), game, _place(), SHOWN + 1)
    shown, onward = found.notes[:SHOWN], None
    if len(found.notes) > SHOWN:
        last = shown[-1]
        onward = url_for("earlier_talk_page.show_notes", game=game, at=last.at.isoformat(), id=last.id)
    title = me.reader.language.say("Your notes")
    return _page(me, game, found.access, found.access.seat is not None, title, onward, notes=shown)


def _page(
    me: BrowserSession,
    game: str,
    access: TableAccess,
    is_there: bool,
    title: str,
    onward: str | None,
    **shown: Any,
) -> Response:
    if not (access.may_read and is_there):
        return refusal_page(tables.unknown(), me.reader, None)
    facts = {"is_empty": not any(shown.values()), "whole": None, **shown}
    return page("earlier_talk.html", me.reader, game=game, title=title, onward=onward, **facts)


def _place() -> tuple[datetime, str] | None:
    """Return the time and the id of the note after which to go on; None for the newest ones."""
    try:
        at = datetime.fromisoformat(request.args.get("at", ""))
    except ValueError:
        return None
    return None if at.tzinfo is None else (at, id_or_none(request.args.get("id", "")))
