"""The page /players/{id}: a player as others see them, with the games that the reader may see."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from engine.phrases import Phrase
from service.api.context import now
from service.commands import blocks
from service.errors import Refusal
from service.language.people import display_name
from service.pages.browser import signed_in
from service.pages.guard import needs_session
from service.pages.refusals import refusal_page
from service.pages.rendering import not_found, page, see_other, visitor
from service.pages.table_rows import newest, place_of, public_row
from service.queries import people, tables
from service.queries.browser_sessions import BrowserSession
from service.store import blocks as blocked
from service.store.base import db
from service.store.callers import Bearer, Caller, KnownAccount
from service.store.unit import transaction

blp = Blueprint("player_page", __name__)

SHOWN = 20
"""The number of finished games on a page."""

_UNKNOWN = Phrase("There is no such player, or their account was deleted.")


@blp.get("/players/<id:player>")
def show_player(player: str) -> Response:
    """Show a player: the name, since when, the running and the finished games."""
    me, reader, session = signed_in(), visitor(), db.session()
    caller: Caller = Bearer(None, now()) if me is None else KnownAccount(me.account)
    _, found = people.profile(session, caller, player)
    if found is None:
        return not_found(_UNKNOWN, reader)
    place = place_of(request.args.get("after", ""))
    finished = tables.listed(session, caller, _games(player, "finished"), place, SHOWN + 1).tables
    running = tables.listed(session, caller, _games(player, "running"), tables.START, SHOWN).tables
    shown, more = newest(finished, SHOWN)
    return page(
        "player.html",
        reader,
        player=found,
        name=display_name(found.name, 0, reader.language) if found.name else reader.language.say("A player"),
        is_me=me is not None and me.account == player,
        running=[public_row(each, reader.language) for each in running],
        finished=[public_row(each, reader.language) for each in shown],
        onward=None if more is None else url_for("player_page.show_player", player=player, after=more),
    )


@blp.post("/players/<id:player>/block")
@needs_session
def block(me: BrowserSession, player: str) -> Response:
    """Block a player, or take that back."""
    here = url_for("player_page.show_player", player=player)
    try:
        with transaction() as session:
            if request.form.get("do") == "unblock":
                blocked.remove(session, me.account, player)
            else:
                blocks.block(session, me.account, player, now())
    except Refusal as refusal:
        return refusal_page(refusal, me.reader, here, me.reader.language.say("To the player"))
    return see_other(here)


def _games(player: str, status: str) -> tables.Filters:
    return tables.Filters("match", status, player=player)
