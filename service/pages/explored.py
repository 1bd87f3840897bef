"""The pages /explorations and /explorations/{id}: what might have followed a position of a game, for its explorer.

They need a browser that is signed in. Each step of a move is an address, as on the page of a table.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Blueprint, Response, request, url_for

from engine import text
from engine.phrases import Phrase
from engine.tiles import COUNT
from service.access.links import MoveLink, confirmed
from service.api.context import limiter, now, settings
from service.commands import explorations
from service.commands.expectation import Expectation
from service.commands.tables import unknown
from service.errors import Refusal
from service.language.languages import Language
from service.language.people import People
from service.pages import exploring, script, story, table_view
from service.pages.browser import signed_in
from service.pages.cross_site import is_cross_site, refused
from service.pages.guard import needs_session, of_suspended, sign_in_first
from service.pages.moving import Moving, moving
from service.pages.page_addresses import PageAddresses
from service.pages.refusals import refusal_page
from service.pages.rendering import headed, not_found, page, see_other, visitor
from service.pages.table import NO_SUCH_GOAL, NO_SUCH_MOVE, asked_move, past_move
from service.queries import explorations as reading
from service.queries import explored_games
from service.queries.browser_sessions import BrowserSession
from service.queries.table import LoadedTable, load
from service.store.base import db
from service.store.explorations import Exploration
from service.store.unit import transaction

blp = Blueprint("explored_page", __name__)

_NOT_HERE = Phrase("You have no such exploration.")
_NO_CHOICES = Phrase("There is nothing to choose here: it is over, or it is not yours.")
_INCOMPLETE = Phrase("Nothing was done: the form is not complete. Open the exploration again, and choose again.")

_ONLY_AT_TABLES = (
    "past_wait", "clock_line", "offers", "talk", "record", "link", "exploring", "changes", "seen", "seen_as",
    "is_guests_own",
)  # fmt: skip
"""The variables of a table's template for what an exploration has not."""


@blp.get("/explorations")
@needs_session
def show_explorations(me: BrowserSession) -> Response:
    """List the explorations of the account, the newest first."""
    found, following = exploring.listed(db.session(), me, request.args.get("after", ""))
    onward = None if following is None else url_for("explored_page.show_explorations", after=following)
    return page("explorations.html", me.reader, rows=found, onward=onward)


@blp.post("/games/<id:game>/explorations")
@needs_session
def begin(me: BrowserSession, game: str) -> Response:
    """Begin an exploration at the position that the form names, and show it."""
    try:
        with transaction() as session:
            origin = load(session, game)
            if origin is None or not origin.may_be_read_by(me.account):
                raise unknown()
            explorations.check_explorable(origin, me.account)
            beginning = exploring.beginning(origin, me.account, request.form)
            most = settings().limit_explorations_per_account
            made = explorations.begin(session, me.account, origin, beginning, now(), most=most, limiter=limiter())
            id = made.kept.id
    except Refusal as refusal:
        return refusal_page(refusal, me.reader, url_for("table_page.show_table", game=game))
    return see_other(_address(id))


@blp.get("/explorations/<id:exploration_id>")
@needs_session
def show_exploration(me: BrowserSession, exploration_id: str) -> Response:
    """Show an exploration like a table, with the choices of who is to move; with `at`, as it was after that move."""
    session, reader = db.session(), me.reader
    kept = reading.own(session, exploration_id, me.account)
    if kept is None:
        return not_found(_NOT_HERE, reader)
    origin = reading.load_origin(session, kept)
    table = explored_games.loaded(kept, origin)
    addresses = _addresses(kept.id)
    if "at" in request.args and asked_move(table) is None:
        return not_found(NO_SUCH_MOVE, reader, onward=addresses.moment(None))
    at = past_move(table)
    viewer = me.account if kept.seat is not None else None  # who plays every seat is none of the players
    try:
        why = table_view.Why(request.args.get("why"), partial(addresses.goal, at))
        shown = table_view.prepare(table, table.seat_of(viewer), reader, settings().base_url, at, addresses.moment, why)
    except table_view.NoSuchGoal:
        return not_found(NO_SUCH_GOAL, reader, onward=addresses.moment(at))
    people = _people(table, reader.language)
    choices = _moving(kept, table, people) if at is None and table.state.turn is not None else None
    facts: dict[str, Any] = {
        **dict.fromkeys(_ONLY_AT_TABLES),
        **shown,
        **exploring.facts(kept, origin, table, reader),
        "people": people if choices is not None else shown["people"],
        "api": f"{settings().base_url}/v1/explorations/{kept.id}",
        "moving": choices,
        "action": url_for("explored_page.make_move", exploration_id=kept.id),
        "may_press": True,
        "pressing": url_for("explored_page.press_button", exploration_id=kept.id),
        "rules": table.rules,
        "here": _address(kept.id),
        "story": _course(table, people, addresses.moment) if at is None else None,
        "has_text": kept.tiles == COUNT,
        "policy": script.POLICY,
        "script": url_for("script.show_script", v=script.version()),
    }
    return page("exploration.html", reader, 200 if choices is None or not choices.problem else 422, **facts)


@blp.get("/explorations/<id:exploration_id>/choices")
@needs_session
def show_choices(me: BrowserSession, exploration_id: str) -> Response:
    """Show the choices of the player to move alone, as `service.pages.choices` does; 404 if there are none."""
    kept = reading.own(db.session(), exploration_id, me.account)
    table = None if kept is None else reading.load_explored(db.session(), kept)
    if kept is None or table is None or table.state.turn is None:
        return not_found(_NO_CHOICES, me.reader)
    people = _people(table, me.reader.language)
    shown = _moving(kept, table, people)
    action = url_for("explored_page.make_move", exploration_id=kept.id)
    return page("choices.html", me.reader, 422 if shown.problem else 200, moving=shown, people=people, action=action)


@blp.post("/explorations/<id:exploration_id>/moves")
def make_move(exploration_id: str) -> Response:
    """Make the move that the page has shown; the form is signed for one state, so a second time changes nothing."""
    me = signed_in()
    if is_cross_site():
        return refused(visitor())
    if me is None:
        return sign_in_first(url_for("explored_page.show_exploration", exploration_id=exploration_id))
    asked = confirmed(settings().secret_keys, request.form.get("confirm", ""))
    if (suspended := of_suspended(me)) is not None:
        return suspended
    if asked is None or asked[0].table != exploration_id or asked[0].account != me.account:
        return not_found(_INCOMPLETE, me.reader)
    wait, move = asked
    try:
        with transaction() as session:
            expected = Expectation((f"{wait.version}-0-{wait.head}",))
            explorations.move(session, me.account, exploration_id, text.parse(move), expected, now())
    except Refusal as refusal:
        if refusal.code != "stale_version":
            return refusal_page(refusal, me.reader, _address(exploration_id))
    return see_other(_address(exploration_id))


@blp.post("/explorations/<id:exploration_id>")
@needs_session
def press_button(me: BrowserSession, exploration_id: str) -> Response:
    """Take the last move back, or delete the exploration, as the form's button says."""
    do = request.form.get("do", "")
    try:
        with transaction() as session:
            kept = reading.own(session, exploration_id, me.account)
            if kept is None:
                raise explorations.unknown()
            seq = exploring.last_own_move(kept)
            if do == exploring.DELETE:
                explorations.remove(session, me.account, exploration_id)
            elif do == exploring.BACK and seq is not None:
                explorations.take_back(session, me.account, exploration_id, seq, now())
    except Refusal as refusal:
        return refusal_page(refusal, me.reader, url_for("explored_page.show_explorations"))
    return see_other(url_for("explored_page.show_explorations") if do == exploring.DELETE else _address(exploration_id))


@blp.get("/explorations/<id:exploration_id>/record")
@needs_session
def show_record(me: BrowserSession, exploration_id: str) -> Response:
    """Return the record of an exploration as a file, with `at` as it was after that move."""
    kept = reading.own(db.session(), exploration_id, me.account)
    if kept is None:
        return not_found(_NOT_HERE, me.reader)
    table = reading.load_explored(db.session(), kept)
    at = asked_move(table)
    if at is None:
        return not_found(NO_SUCH_MOVE, me.reader, onward=_address(kept.id))
    try:
        line = explored_games.line(table, at)
    except Refusal as refusal:
        return refusal_page(refusal, me.reader, _address(kept.id))
    answer = Response(line, content_type="application/json")
    answer.headers["Content-Disposition"] = f'attachment; filename="nova-luna-exploration-{kept.id}.json"'
    return headed(answer)


def _people(table: LoadedTable, language: Language) -> People:
    """Return the players as the player to move reads of them."""
    return People(tuple(player.name for player in table.players), table.state.turn, language)


def _moving(kept: Exploration, table: LoadedTable, people: People) -> Moving:
    """Return the choices of the player to move, and what the chosen move would do."""
    wait = MoveLink(kept.account, kept.id, table.version, table.head)
    keys, address = settings().secret_keys, _addresses(kept.id).choice
    return moving(table, wait, people, request.args, address, hints=True, keys=keys, now=now())


@blp.get("/explorations/<id:exploration_id>/text")
@needs_session
def show_text(me: BrowserSession, exploration_id: str) -> Response:
    """Return the text of the game that is explored, with the exploration, or with `at` a part of it, as a variation."""
    session = db.session()
    kept = reading.own(session, exploration_id, me.account)
    if kept is None:
        return not_found(_NOT_HERE, me.reader)
    origin = reading.load_origin(session, kept)
    table = explored_games.loaded(kept, origin)
    at = asked_move(table)
    if at is None:
        return not_found(NO_SUCH_MOVE, me.reader, onward=_address(kept.id))
    try:
        content = reading.text_of(session, kept, origin, table, at)
    except Refusal as refusal:
        return refusal_page(refusal, me.reader, _address(kept.id))
    answer = Response(content, content_type="text/plain; charset=utf-8")
    answer.headers["Content-Disposition"] = f'inline; filename="nova-luna-exploration-{kept.id}.nova"'
    return headed(answer)


def _course(table: LoadedTable, people: People, address: table_view.Address) -> dict[str, Any] | None:
    """Return the story of an exploration for the template; None until it is over."""
    if table.status != "finished":
        return None
    caution = table_view.caution_of(table, people.language)
    return story.of_story(explored_games.story_of(table), people, address, caution)


def _address(id: str) -> str:
    return _addresses(id).moment(None)


def _addresses(id: str) -> PageAddresses:
    return PageAddresses(url_for("explored_page.show_exploration", exploration_id=id))
