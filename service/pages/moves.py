"""The form of a table's page by which its player confirms a move that the page has shown.

The form's field is signed for one state of the game and one move. Sent twice, it has its effect once: the second time
leads to the same page as the first.
"""

from __future__ import annotations

from contextlib import suppress

from flask import Blueprint, Response, request, url_for
from sqlalchemy.orm import Session

from engine import text
from engine.phrases import Phrase
from service.access.links import MoveLink, confirmed, move_text, table_text
from service.api.context import now, settings
from service.commands import guests
from service.commands.expectation import Expectation
from service.commands.play import play
from service.commands.suspensions import why
from service.errors import Conflict, Refusal
from service.language.people import People
from service.pages.cross_site import is_cross_site, refused
from service.pages.guard import sign_in_first
from service.pages.refusals import refusal_page
from service.pages.rendering import not_found, page, see_other
from service.pages.viewer import Viewer, is_current, viewer_of
from service.pages.whole_table import told_since
from service.queries.table import LoadedTable, load
from service.store.base import db
from service.store.unit import transaction

blp = Blueprint("moves_page", __name__)

_NOT_HERE = Phrase(
    "Nothing was done: the link or the form is not complete. Open the link in the newest mail, and choose again."
)
_TOO_LATE = Phrase("Your move was not made: the table has changed since you opened that page.")
_MARK = "mark "


@blp.post("/games/<id:game>/moves")
def make_move(game: str) -> Response:
    """Make the move in the form and show the table after it; if the wait is over, show what happened since."""
    viewer = viewer_of(db.session(), game)
    if is_cross_site():
        return refused(viewer.reader)
    asked = confirmed(settings().secret_keys, request.form.get("confirm", ""))
    if viewer.is_suspended:
        told = viewer.reader.language.say(why(settings().contact))
        return page("missing.html", viewer.reader, 403, what=told, onward=None)
    if asked is not None and asked[0].table == game and viewer.account is None:
        return sign_in_first(url_for("table_page.show_table", game=game))
    if asked is None or asked[0].table != game or not viewer.may_confirm(asked[0]):
        return not_found(_NOT_HERE, viewer.reader)
    wait, move = asked
    try:
        table, is_made = _made(wait, move, is_guest=viewer.session is not None and viewer.session.is_guest)
    except Refusal as refusal:
        return refusal_page(refusal, viewer.reader, _address(game, viewer.link))
    if not is_made and viewer.link is None:
        return _too_late(table, wait, viewer)
    return see_other(_address(game, _next_link(table, wait, viewer) if is_made else viewer.link))


def _made(wait: MoveLink, move: str, *, is_guest: bool) -> tuple[LoadedTable, bool]:
    """Make the move, unless it was made before; return the table, and whether it was made: not if the wait is over."""
    with suppress(Conflict), transaction() as session:
        if is_guest:
            guests.hold(session, wait.account)
        table = _loaded(session, wait)
        seat = table.seat_of(wait.account)
        if seat is not None and is_current(table, wait):
            return play(session, table, seat, text.parse(move), Expectation((wait.version,)), now()).table, True
    with transaction() as session:
        table = _loaded(session, wait)
    return table, _was_made(table, wait, move)


def _too_late(table: LoadedTable, wait: MoveLink, viewer: Viewer) -> Response:
    """Return the page that says what happened since the form was made; a link says it on the table's own page."""
    names = table.names
    people = People(names, table.seat_of(wait.account), viewer.reader.language)
    what, told = viewer.reader.language.say(_TOO_LATE), told_since(table, wait, people)
    return page("missing.html", viewer.reader, 409, what=what, told=told, onward=_address(wait.table, None))


def _loaded(session: Session, wait: MoveLink) -> LoadedTable:
    table = load(session, wait.table)
    assert table is not None, "tables are never deleted"
    return table


def _was_made(table: LoadedTable, wait: MoveLink, move: str) -> bool:
    """Return whether the last move is this one, made in this wait by its player: the form was sent before."""
    since = [entry for entry in table.entries[wait.version :] if not entry.move.startswith(_MARK)]
    return [(entry.seat, entry.move, entry.by) for entry in since] == [(table.seat_of(wait.account), move, "")]


def _next_link(table: LoadedTable, wait: MoveLink, viewer: Viewer) -> str | None:
    """Return the link for the page after a move: to move again if it is the same player's turn, else to look.

    A browser that is signed in needs none.
    """
    if viewer.session is not None:
        return None
    keys, seat = settings().secret_keys, table.seat_of(wait.account)
    if table.status == "running" and table.state.turn == seat:
        return move_text(keys, wait._replace(version=table.version, head=table.head))
    return table_text(keys, wait.account, wait.table)


def _address(game: str, link: str | None) -> str:
    return url_for("table_page.show_table", game=game, link=link, _anchor="board")
