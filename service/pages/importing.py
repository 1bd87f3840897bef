"""The page /imports: games that were played elsewhere, put in as a text or a record, and the list of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from flask import Blueprint, Response, request, url_for

from engine import record
from engine.phrases import Phrase
from service.api.context import limiter, now
from service.api.requests import decoded
from service.commands import imports
from service.errors import Malformed, Refusal
from service.language.languages import Language
from service.language.people import People
from service.pages.guard import needs_session
from service.pages.refusals import form_page, refusal_page
from service.pages.rendering import see_other
from service.queries import imports as reading
from service.queries.browser_sessions import BrowserSession
from service.queries.imported_games import stored_summary
from service.store.base import db
from service.store.imports import Import
from service.store.unit import transaction

blp = Blueprint("importing_page", __name__)

_NOTHING = Phrase("Nothing was imported: put in the text or the record of a game, or choose a file that has it.")
_NO_JSON = Phrase("Nothing was imported: what begins with a brace is read as a record, and this is no JSON.")


@dataclass(frozen=True, slots=True)
class Row:
    """An import in the list: who played, its page, when it was imported, and whether others may see it."""

    id: str
    names: str
    imported_at: datetime
    is_shared: bool


@blp.get("/imports")
@needs_session
def show_imports(me: BrowserSession) -> Response:
    """List the imports of the account, the newest first, and let it put in another."""
    return _page(me)


@blp.post("/imports")
@needs_session
def import_game(me: BrowserSession) -> Response:
    """Import the game in the form, as the API does, and show it."""
    try:
        sent = _sent()
        imports.count(limiter(), me.account)
        found = _verified(sent)
        with transaction() as session:
            made, _ = imports.add(session, me.account, found, now())
            shown = url_for("imported_page.show_import", import_id=made.id)
    except Refusal as refusal:
        return _page(me, refusal)
    return see_other(shown)


@blp.post("/imports/<id:import_id>")
@needs_session
def change_import(me: BrowserSession, import_id: str) -> Response:
    """Share an import, or no longer, or delete it, as the form's button says."""
    here = url_for("importing_page.show_imports")
    try:
        with transaction() as session:
            if request.form.get("do") == "delete":
                imports.remove(session, me.account, import_id)
            else:
                imports.share(session, me.account, import_id, request.form.get("do") == "share")
    except Refusal as refusal:
        return refusal_page(refusal, me.reader, here, me.reader.language.say("Back to the imports"))
    return see_other(here)


def _page(me: BrowserSession, wrong: Refusal | None = None) -> Response:
    """Return the page; `wrong` says why nothing was imported, and the form keeps what was put in."""
    kept = reading.page(db.session(), me.account, None, imports.MOST)
    rows = [_row(each, me.reader.language) for each in kept]
    return form_page("imports.html", me.reader, "import", wrong, rows=rows)


def _sent() -> bytes:
    """Return the uploaded file or, without one, the typed text; refuse an empty form."""
    file = request.files.get("file")
    found = (file.read() if file else b"") or request.form.get("game", "").encode()
    if not found.strip():
        raise Malformed("nothing_imported", _NOTHING)
    return found


def _verified(sent: bytes) -> imports.Verified:
    """Return the verified game; a record begins with a brace, and a text never does."""
    if not sent.lstrip().startswith(b"{"):
        return imports.verified_text(sent)
    try:
        return imports.verified_record(record.line(decoded(sent)))
    except (ValueError, RecursionError):
        raise Malformed("not_json", _NO_JSON) from None


def _row(kept: Import, language: Language) -> Row:
    names = stored_summary(kept)["names"]
    return Row(kept.id, People(tuple(names), None, language).all(), kept.imported_at, kept.shared)
