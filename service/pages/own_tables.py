"""The pages /tables, /tables/current and /tables/finished: a player's tables, first those that wait for the player."""

from __future__ import annotations

from contextlib import suppress

from flask import Blueprint, Response, request, url_for

from service.api.context import now
from service.commands import accounts
from service.errors import Unauthorized
from service.language.languages import CODES
from service.mail.rendering import whole
from service.pages.guard import needs_session
from service.pages.offline import REGISTERING
from service.pages.received import received_invitations
from service.pages.rendering import page, see_other
from service.pages.requested_language import NAMES
from service.pages.table_rows import finished_row, newest, own_row, place_of
from service.queries import tables
from service.queries.browser_sessions import BrowserSession
from service.queries.own_games import own_games, own_games_from
from service.store.base import db
from service.store.callers import KnownAccount
from service.store.unit import transaction

blp = Blueprint("own_tables_page", __name__)

SHOWN = 20
"""The number of games on a page of a list."""


@blp.get("/tables")
@needs_session
def show_tables(me: BrowserSession) -> Response:
    """Show the player's tables: those that wait for the player, the other running ones, and those not started."""
    (games, has_more), language = own_games(db.session(), me.account, now()), me.reader.language
    return page(
        "own_tables.html",
        me.reader,
        waiting=[own_row(game, language) for game in games if game.turn == game.seat],
        running=[own_row(game, language) for game in games if game.turn not in (None, game.seat)],
        seats_free=[own_row(game, language) for game in games if game.turn is None],
        has_more=has_more,
        languages=NAMES,
        invitations=received_invitations(db.session(), me.account, language),
        seen_on=whole(me.reader, now()),
        policy=REGISTERING,
    )


@blp.post("/tables/language")
@needs_session
def choose_language(me: BrowserSession) -> Response:
    """Change the language of the account; a guest, who has no settings, does it here."""
    here, code = url_for("own_tables_page.show_tables"), request.form.get("language", "")
    if code in CODES:
        with suppress(Unauthorized), transaction() as session:
            accounts.change(session, me.account, {"language": code}, now())
    return see_other(here)


@blp.get("/tables/current")
@needs_session
def show_current(me: BrowserSession) -> Response:
    """Show all of the player's games that are not over, the newest first, from a place in their order on."""
    place, language = place_of(request.args.get("after", "")), me.reader.language
    games, more = own_games_from(db.session(), me.account, now(), place, SHOWN)
    return page(
        "table_list.html",
        me.reader,
        title=language.say("All games that are not over"),
        rows=[own_row(game, language) for game in games],
        onward=None if more is None else url_for("own_tables_page.show_current", after=more),
    )


@blp.get("/tables/finished")
@needs_session
def show_finished(me: BrowserSession) -> Response:
    """Show the player's finished games, the newest first, from a place in their order on."""
    place, caller = place_of(request.args.get("after", "")), KnownAccount(me.account)
    filters = [tables.Filters(kind, "finished", mine=True) for kind in ("match", "solo")]
    found = [each for one in filters for each in tables.listed(db.session(), caller, one, place, SHOWN + 1).tables]
    shown, more = newest(found, SHOWN)
    return page(
        "table_list.html",
        me.reader,
        title=me.reader.language.say("Finished games"),
        rows=[finished_row(each, me.reader.language) for each in shown],
        onward=None if more is None else url_for("own_tables_page.show_finished", after=more),
    )
