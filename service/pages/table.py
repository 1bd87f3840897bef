"""The page GET /games/{id}: a public table for everybody, any other one by the link that its players are mailed."""

from __future__ import annotations

import re
from contextlib import suppress
from urllib.parse import quote

from flask import Blueprint, Response, request, url_for
from markupsafe import Markup, escape

from engine.phrases import Phrase
from service.access.links import record_link
from service.api.compression import takes_gzip
from service.api.context import context, now, pool, settings
from service.errors import Refusal
from service.language.clock_text import clock_text
from service.language.people import People
from service.mail.rendering import unbroken, whole
from service.pages import kept_language, script, table_buttons, table_view, whole_table
from service.pages.browser import form_token, know, reader_id, session_hash, signed_in
from service.pages.compressed_page import CompressedPage
from service.pages.guard import needs_session
from service.pages.moving import Moving, moving
from service.pages.page_addresses import PageAddresses, link_slots
from service.pages.rendering import icon, not_found, page_response, see_other, style
from service.pages.slots import Content, SlottedPage
from service.pages.table_talk import SHOWN, Seen, seen_by, standing_of, talk_slots
from service.pages.viewer import Viewer, link_asked_with, viewer_by
from service.pages.whole_table import PageKey
from service.queries import clock_shown
from service.queries.browser_sessions import BrowserSession
from service.queries.table import NOBODY, LoadedTable, load
from service.queries.table_cache import table_state
from service.queries.table_page import Visit, visit
from service.store.unit import transaction

blp = Blueprint("table_page", __name__)

_NOT_HERE = Phrase(
    "There is no such table, or it is private: open it by the link in one of your mails, or in the browser that plays "
    "there, which has to keep its cookie."
)
NO_SUCH_GOAL = Phrase("This table has no such goal now.")
NO_SUCH_MOVE = Phrase("This game has no such move.")

_CHOICE = ("tile", "x", "y", "refill")
"""The names in the query that choose a move."""

_NUMBER = re.compile("0|[1-9][0-9]{0,9}")


@blp.get("/games/<id:game>")
def show_table(game: str) -> Response:
    """Show the table, with `at` as it was after that move, and with `why` why a goal is met or not.

    A wrong link shows the same as no link.

    The player to move sees the choices too, and what a chosen move would do.
    """
    asked = link_asked_with(game)
    found = visit(pool(), game, session_hash(), None if asked is None else asked.account, now(), SHOWN)
    know(found.browser)
    viewer = viewer_by(asked, found.linked, found.browser)
    table = _read(game, viewer)
    path = url_for("table_page.show_table", game=game)
    if table is None or not table.may_be_read_by(viewer.account):
        return _not_here(path, viewer)
    to_moment = PageAddresses.linked(path, viewer.link, kept_language.kept()).moment
    if "at" in request.args and asked_move(table) is None:
        return not_found(NO_SUCH_MOVE, viewer.reader, onward=to_moment(None))
    at = past_move(table)
    seen, status = seen_by(viewer, table, found.beside), 200
    key = _key(path, table, viewer, found, seen, at)
    chooses = _chooses()
    page = None if key.choices is not None and chooses else context().pages.get(key)
    if page is None:
        if table.base is not None or not table.is_complete:
            table = _loaded(game)
            key = _key(path, table, viewer, found, seen, at)
        choices = None if key.choices is None else _choices(path, table, viewer, hints=key.choices)
        try:
            page = SlottedPage.split(whole_table.render(table, key, choices))
        except table_view.NoSuchGoal:
            return not_found(NO_SUCH_GOAL, viewer.reader, onward=to_moment(at))
        if choices is None or not chooses:
            context().pages.put(key, page)
        elif choices.problem:
            status = 422
    slots = _slots(table, viewer, seen)
    is_packed = not chooses and takes_gzip(request.headers.get("Accept-Encoding", ""))
    if chooses:
        written = page.filled(slots)
    else:
        shared = _shared(page, key, viewer.link)
        written = shared.gzipped(slots) if is_packed else shared.page.filled(slots)
    context().tables.put(table)
    response = page_response(written, viewer.reader, status, policy=script.POLICY)
    if is_packed:
        response.headers["Content-Encoding"] = "gzip"
        response.headers["Vary"] += ", Accept-Encoding"
    return response


def _not_here(path: str, viewer: Viewer) -> Response:
    """Return the page of a table that is private or not there, with a link to the sign-in or to all tables."""
    if signed_in() is None:
        sign_in = kept_language.with_language(url_for("sign_in_page.ask_address", onward=path))
        return not_found(_NOT_HERE, viewer.reader, sign_in, Phrase("Sign in"))
    return not_found(_NOT_HERE, viewer.reader, url_for("own_tables_page.show_tables"), Phrase("My tables"))


def _shared(page: SlottedPage, key: PageKey, link: str | None) -> CompressedPage:
    """Return a page as all are shown it who open it by a link, or by none, but for the slots of one viewer."""
    packed, language = context().packed_pages, kept_language.kept()
    found: CompressedPage | None = packed.get((key, link, language))
    if found is None:
        found = CompressedPage(page.partly_filled({"style": style, "icon": icon, **link_slots(link, language)}))
        packed.put((key, link, language), found)
    return found


def _read(game: str, viewer: Viewer) -> LoadedTable | None:
    """Return the table, with its whole log if that decides whether a link is still for the present wait."""
    table = context().tables.read(pool(), game, NOBODY).table
    if table is None or table.base is None:
        return table
    is_of_another_version = viewer.wait is not None and viewer.wait.version != table.version
    return _loaded(game) if is_of_another_version or not table.is_clock_known else table


def _loaded(game: str) -> LoadedTable:
    table = load(pool(), game)
    assert table is not None, "tables are never deleted"
    return table


def _chooses() -> bool:
    return any(name in request.args for name in _CHOICE)


def _key(path: str, table: LoadedTable, viewer: Viewer, found: Visit, seen: Seen, at: int | None) -> PageKey:
    """Return the key under which the page is cached: all that it depends on for its viewer."""
    wait, started = viewer.wait_at(table), table.header is not None
    past = viewer.wait if wait is None and started and at is None else None
    return PageKey(
        table=table_state(table),
        path=path,
        at=at,
        why=request.args.get("why") if started else None,
        language=viewer.reader.language.code,
        zone=viewer.reader.zone,
        seat=table.seat_of(viewer.account),
        has_account=viewer.account is not None,
        standing=standing_of(table, viewer),
        me=None if found.browser is None else found.browser.is_guest,
        past=None if past is None else (past.version, past.head),
        choices=None if wait is None or at is not None else table.table.hints and found.beside.hints,
        lists=seen.lists,
        notice=found.beside.notice if started else None,
    )


def _choices(path: str, table: LoadedTable, viewer: Viewer, *, hints: bool) -> Moving:
    """Return the choices of the player to move, and the chosen one."""
    wait = viewer.wait_at(table)
    assert wait is not None, "only who is to move chooses"
    address, keys, people = PageAddresses.slotted(path).choice, settings().secret_keys, _people(table, viewer)
    return moving(table, wait, people, request.args, address, hints=hints, keys=keys, now=now())


def _slots(table: LoadedTable, viewer: Viewer, seen: Seen) -> dict[str, Content]:
    """Return the contents of the slots of a table's page for its viewer."""
    me, reader = signed_in(), viewer.reader

    def name() -> str:
        return escape(me.name if me is not None and me.name else reader.language.say("Account"))

    def until() -> str:
        assert me is not None and me.expires_at is not None, "a guest's session ends"
        return unbroken(whole(reader, me.expires_at))

    def record() -> str:
        return record_link(settings(), table.table.id)

    return {
        "style": style,
        "icon": icon,
        "name": name,
        "reader": reader_id,
        "until": until,
        "form": form_token,
        "seen": lambda: unbroken(whole(reader, now())),
        "record": lambda: escape(record()),
        "record-quoted": lambda: quote(record()),
        "clock": lambda: unbroken(_clock(table, viewer)),
        **link_slots(viewer.link, kept_language.kept()),
        **talk_slots(seen, table, viewer),
    }


def _clock(table: LoadedTable, viewer: Viewer) -> str:
    """Return a paragraph about the time left in a running game, as its reader may know it; empty if none is shown."""
    people = _people(table, viewer)
    clock = clock_shown.shown(table, people.reader, now())
    if clock is None:
        return ""
    line = clock_text(clock, people, "UTC" if viewer.account is None else viewer.reader.zone, stays=True)
    return Markup("<p>{}</p>\n").format(line)


def _people(table: LoadedTable, viewer: Viewer) -> People:
    names = table.names
    return People(names, table.seat_of(viewer.account), viewer.reader.language)


@blp.post("/games/<id:game>")
@needs_session
def press_button(me: BrowserSession, game: str) -> Response:
    """Do what a button of a player's page says, and show the page again; a refusal changes nothing."""
    with suppress(Refusal), transaction() as session:
        table = load(session, game)
        seat = None if table is None else table.seat_of(me.account)
        if table is not None and seat is not None:
            table_buttons.press(session, table, seat, request.form.get("do", ""), now())
    return see_other(url_for("table_page.show_table", game=game, link=request.args.get("link")))


def asked_move(table: LoadedTable) -> int | None:
    """Return the move that `at` names, without it the last one; None if this table has none with that number."""
    asked = request.args.get("at", str(table.version))
    at = int(asked) if _NUMBER.fullmatch(asked) else -1
    return at if table.header is not None and 0 <= at <= table.version else None


def past_move(table: LoadedTable) -> int | None:
    """Return the move after which a page shows the table; None if it shows the table as it is, after the last one."""
    at = asked_move(table)
    return None if at == table.version else at
