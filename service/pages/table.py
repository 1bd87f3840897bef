"""The page GET /games/{id}: a public table for everybody, any other one by the link that its players are mailed."""

from __future__ import annotations

import re
from contextlib import suppress

from flask import Blueprint, Response, request, url_for
from sqlalchemy.orm import Session

from engine.phrases import Phrase
from service.access.links import reader_of, record_link
from service.api.context import now, settings
from service.errors import Refusal
from service.language.clock_words import clock_line
from service.language.durations import UNKNOWN
from service.language.languages import Reader, language
from service.language.people import People
from service.pages import story, table_buttons, table_view
from service.pages.cross_site import is_cross_site, refused
from service.pages.rendering import not_found, page, see_other, visitor
from service.queries import clock_shown
from service.queries.table import LoadedTable, load
from service.store.accounts import Account
from service.store.unit import transaction

blp = Blueprint("table_page", __name__)

_NOT_HERE = Phrase("There is no such table, or it is private: open it by the link in one of your mails.")
NO_SUCH_MOVE = Phrase("This game has no such move.")

_NUMBER = re.compile("0|[1-9][0-9]{0,9}")


@blp.get("/games/<id:game>")
def show_table(game: str) -> Response:
    """Show the table, with `at` as it was after that move; a wrong link shows the same as no link."""
    link = request.args.get("link", "")
    with transaction() as session:
        table = load(session, game)
        account = linked_account(session, game, link)
        reader = visitor() if account is None else Reader(language(account.language), account.zone)
        known = None if account is None else account.id
        if table is None or not table.may_be_read_by(known):
            return not_found(_NOT_HERE, reader)

    def address(at: int | None) -> str:
        kept = None if known is None else link
        return url_for("table_page.show_table", game=game, at=at, link=kept, _anchor="board")

    at = asked_move(table) if "at" in request.args else None
    if "at" in request.args and at is None:
        return not_found(NO_SUCH_MOVE, reader, onward=address(None))
    over = table.status == "finished" and known is not None
    record = record_link(settings(), game) if over else None
    text = url_for("game_text.show_text", game=game, at=at, link=None if known is None else link)
    shown = table_view.prepare(table, known, reader, settings().base_url, at, address)
    seat = table.seat_of(known)
    people = People(tuple(table.name_of(each) for each in range(table.table.seats)), seat, reader.language)
    return page(
        "table.html",
        reader,
        **shown,
        record=record,
        text=text,
        story=story.prepare(table, people, address) if at is None else None,
        link=link,
        rules=table.rules,
        clock_line=_clock(table, people, UNKNOWN if known is None else reader.zone),
        buttons=table_buttons.buttons(table, seat, people),
        offers=table_buttons.offers(table, seat, people),
    )


@blp.post("/games/<id:game>")
def press_button(game: str) -> Response:
    """Do what a button of a player's page says, and show the page again; a refusal changes nothing."""
    link = request.args.get("link", "")
    with suppress(Refusal), transaction() as session:
        account = linked_account(session, game, link)
        if account is None or account.suspended_at is not None:
            return not_found(_NOT_HERE, visitor())
        if is_cross_site():
            return refused(Reader(language(account.language), account.zone))
        table = load(session, game)
        seat = None if table is None else table.seat_of(account.id)
        if table is not None and seat is not None:
            table_buttons.press(session, table, seat, request.form.get("do", ""), now())
    return see_other(url_for("table_page.show_table", game=game, link=link))


def _clock(table: LoadedTable, people: People, zone: str) -> str:
    """Return a line about the time left in a running game, as its reader may know it; empty if there is no clock."""
    clock = clock_shown.shown(table, people.reader, now())
    return "" if clock is None else clock_line(clock, people, zone)


def asked_move(table: LoadedTable) -> int | None:
    """Return the move that `at` names, without it the last one; None if this table has none with that number."""
    asked = request.args.get("at", str(table.version))
    at = int(asked) if _NUMBER.fullmatch(asked) else -1
    return at if table.header is not None and 0 <= at <= table.version else None


def linked_account(session: Session, game: str, link: str) -> Account | None:
    """Return the account that a link was made for; None without a link to this table, or if the account was erased."""
    reader = reader_of(settings().secret_keys, link)
    if reader is None or reader.table != game:
        return None
    account = session.get(Account, reader.account)
    return None if account is None or account.erased_at is not None else account
