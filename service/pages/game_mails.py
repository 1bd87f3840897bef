"""The page /games/{id}/mails: which mails a player who is signed in wants about one game."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from service.api.context import now
from service.commands import notifications, tables, talk
from service.errors import Malformed, Refusal
from service.language.people import display_name
from service.pages.done import mark
from service.pages.guard import needs_session
from service.pages.refusals import UNFIT_CHANGE, refusal_page
from service.pages.rendering import page, see_other
from service.queries.browser_sessions import BrowserSession
from service.queries.notifications import notifications_of_game, own_notifications
from service.queries.table import LoadedTable, load
from service.store.base import db
from service.store.callers import KnownAccount
from service.store.delivery_preferences import ANSWERS, HOWS
from service.store.unit import transaction

blp = Blueprint("game_mails_page", __name__)

DEFAULT, ON, OFF = "default", "on", "off"
"""The value of a choice that follows the settings of the account, and the choices about messages at the table."""


@blp.get("/games/<id:game>/mails")
@needs_session
def show_mails(me: BrowserSession, game: str) -> Response:
    """Show which mails about a game a player wants."""
    try:
        table = _played(me, game)
    except Refusal as refusal:
        return _refused(refusal, me, None)
    others = [display_name(each.name, each.seat, me.reader.language) for each in table.players]
    own = table.seat_of(me.account)
    return page(
        "game_mails.html",
        me.reader,
        game=game,
        others=[name for name, each in zip(others, table.players, strict=True) if each.seat != own],
        wanted=notifications_of_game(db.session(), KnownAccount(me.account), game),
        usual=own_notifications(db.session(), me.account),
        default=DEFAULT,
        hows=HOWS,
        answers=ANSWERS,
    )


@blp.post("/games/<id:game>/mails")
@needs_session
def change_mails(me: BrowserSession, game: str) -> Response:
    """Change which mails about a game a player wants, and show that."""
    try:
        mail, answer, said = _one_of("mail", HOWS), _one_of("answer", ANSWERS), _talk()
        with transaction() as session:
            key = _played(me, game).table.key
            talk.mute(session, game, me.account, said == OFF)
            notifications.change_game(session, me.account, key, mail, now())
            notifications.change_answers(session, me.account, key, answer)
    except Refusal as refusal:
        return _refused(refusal, me, url_for("game_mails_page.show_mails", game=game))
    return see_other(url_for("game_mails_page.show_mails", game=game, done=mark("mails")))


def _played(me: BrowserSession, game: str) -> LoadedTable:
    """Return the table of a match at which the player sits; any other does not exist here."""
    table = load(db.session(), game)
    if table is None or table.table.kind != "match" or table.seat_of(me.account) is None:
        raise tables.unknown()
    return table


def _one_of(name: str, allowed: tuple[str, ...]) -> str | None:
    """Return a choice of the form; None if it follows the settings of the account."""
    given = request.form.get(name, "")
    if given not in (DEFAULT, *allowed):
        raise Malformed("unfit", UNFIT_CHANGE)
    return None if given == DEFAULT else given


def _talk() -> str:
    """Return whether mails say what the others say at the table."""
    given = request.form.get("talk", "")
    if given not in (ON, OFF):
        raise Malformed("unfit", UNFIT_CHANGE)
    return given


def _refused(refusal: Refusal, me: BrowserSession, onward: str | None) -> Response:
    here = url_for("own_tables_page.show_tables")
    if onward is None:
        return refusal_page(refusal, me.reader, here, me.reader.language.say("My tables"))
    return refusal_page(refusal, me.reader, onward)
