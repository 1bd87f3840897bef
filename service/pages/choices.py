"""The choices of the player to move as a piece of a page, which the script of a table's page puts into it."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from engine.phrases import Phrase
from service.api.context import now, settings
from service.language.people import People
from service.pages.moving import moving
from service.pages.page_addresses import PageAddresses
from service.pages.rendering import not_found, page
from service.pages.viewer import viewer_of
from service.queries.recipients import player
from service.queries.table import load
from service.store.unit import transaction

blp = Blueprint("choices_page", __name__)

_NO_WAIT = Phrase("There is nothing to choose here now: it is not your turn, or the link is for a move that is past.")


@blp.get("/games/<id:game>/choices")
def show_choices(game: str) -> Response:
    """Show the section of the table's page on which its player moves, with the same choice in the query, alone.

    The answer is 404 for everybody who can not move now.
    """
    with transaction() as session:
        table, viewer = load(session, game), viewer_of(session, game)
        wait = None if table is None else viewer.wait_at(table)
        to = None if wait is None else player(session, wait.account)
    if table is None or wait is None:
        return not_found(_NO_WAIT, viewer.reader)
    addresses = PageAddresses.linked(url_for("table_page.show_table", game=game), viewer.link)
    names = table.names
    people = People(names, table.seat_of(wait.account), viewer.reader.language)
    hints, keys = table.table.hints and (to is None or to.hints), settings().secret_keys
    shown = moving(table, wait, people, request.args, addresses.choice, hints=hints, keys=keys, now=now())
    return page(
        "choices.html",
        viewer.reader,
        422 if shown.problem else 200,
        moving=shown,
        people=people,
        action=addresses.below("/moves"),
    )
