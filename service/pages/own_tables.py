"""The page /tables: a player's tables, first those that wait for the player, and the finished games."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from flask import Blueprint, Response, request, url_for

from service.api.context import now
from service.language.languages import Language
from service.language.people import People
from service.pages.guard import needs_session
from service.pages.rendering import page
from service.queries import tables
from service.queries.browser_sessions import BrowserSession
from service.queries.own_games import OwnGame, own_games
from service.store.base import db
from service.store.callers import Known

blp = Blueprint("own_tables_page", __name__)

FINISHED = 20
"""The number of finished games on a page."""


@dataclass(frozen=True, slots=True)
class Row:
    """A table in the list: its name, its address, what it waits for, and until when there is time."""

    name: str
    address: str
    state: str
    until: datetime | None = None


@blp.get("/tables")
@needs_session
def show_tables(me: BrowserSession) -> Response:
    """Show the player's tables: those that wait for the player, the other running ones, and those not started."""
    games = own_games(db.session(), me.account, now())
    language = me.reader.language
    waiting = [game for game in games if game.turn == game.seat]
    running = [game for game in games if game.turn is not None and game.turn != game.seat]
    seats_free = [game for game in games if game.turn is None]
    return page(
        "own_tables.html",
        me.reader,
        waiting=[_row(game, language) for game in waiting],
        running=[_row(game, language) for game in running],
        seats_free=[_row(game, language) for game in seats_free],
    )


@blp.get("/tables/finished")
@needs_session
def show_finished(me: BrowserSession) -> Response:
    """Show the player's finished games, the newest first, from a place in their order on."""
    place = _place(request.args.get("after", ""))
    found = [
        listed
        for kind in ("match", "solo")
        for listed in tables.listed(
            db.session(), Known(me.account), tables.Filters(kind, "finished", mine=True), place, FINISHED + 1
        ).tables
    ]
    found.sort(key=lambda listed: -listed.key)
    shown = found[:FINISHED]
    onward = None
    if len(found) > FINISHED:
        onward = url_for("own_tables_page.show_finished", after=shown[-1].key)
    rows = [
        Row(
            _name(listed.kind, _names(listed), listed.seat, me.reader.language),
            url_for("table_page.show_table", game=listed.id),
            "",
            listed.ended_at,
        )
        for listed in shown
    ]
    return page("finished.html", me.reader, rows=rows, onward=onward)


def _place(given: str) -> tables.After:
    return tables.After(int(given)) if given.isascii() and given.isdigit() and len(given) < 10 else tables.START


def _names(listed: tables.ListedTable) -> tuple[str | None, ...]:
    names: list[str | None] = [None] * listed.seats
    for sitting in listed.players:
        names[sitting.seat] = sitting.name
    return tuple(names)


def _row(game: OwnGame, language: Language) -> Row:
    people = People(game.names, game.seat, language)
    address = url_for("table_page.show_table", game=game.table)
    if game.turn is None:
        sitting = sum(name is not None for name in game.names)
        state = language.count("%(n)s seat is taken.", "%(n)s seats are taken.", sitting)
    elif game.turn == game.seat:
        state = language.say("It is your turn.")
    else:
        state = language.say("It is the turn of %(name)s.", name=people.called(game.turn))
    return Row(_name(game.kind, game.names, game.seat, language), address, state, game.until)


def _name(kind: str, names: tuple[str | None, ...], seat: int | None, language: Language) -> str:
    """Return what a table is called for its player: by the others there."""
    if kind == "solo":
        return language.say("A solo")
    return language.say("Nova Luna with %(others)s", others=People(names, seat, language).others())
