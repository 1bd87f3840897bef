"""The pages of a browser that is signed in, and the sign-in: scenes as in `tests.drills.growth.requests`."""

from __future__ import annotations

import json
from collections.abc import Iterator

from flask.testing import FlaskClient

from bench.seed import Player
from service.access.links import MoveLink, confirmation, table_link
from service.access.tokens import new_token, session_hash_of
from service.api.import_view import IMPORTED
from service.ids import new_id
from service.queries.table import load
from service.store.base import db
from tests.drills.growth.checkpoints import size_of_log
from tests.drills.growth.clocks import is_to_move, started
from tests.drills.growth.requests import scene
from tests.drills.growth.site import Site
from tests.support.browsers import COOKIE, browser_of, hidden, send

_SESSION = "INSERT INTO tokens (id, account, hash, created_at, kind) VALUES (%s, %s, %s, now(), 'session')"


def _shown(endpoint: str, path: str) -> None:
    """Add the scene of a page that is only shown."""

    @scene(endpoint)
    def show(site: Site) -> Iterator[None]:
        browser = _browser(site, site.reader)
        yield
        assert browser.get(path.format(player=site.regular.account)).status_code == 200


for _endpoint, _path in {
    "home_page.show_home": "/",
    "own_tables_page.show_tables": "/tables",
    "own_tables_page.show_current": "/tables/current",
    "own_tables_page.show_finished": "/tables/finished",
    "open_tables_page.show_open_tables": "/tables/open?seats=3&clock=days-3",
    "new_table_page.show_form": "/tables/new",
    "player_page.show_player": "/players/{player}",
    "account_page.show_account": "/account",
    "settings_page.show_settings": "/settings",
    "times_page.show_times": "/settings/times",
    "own_data_page.show_account_settings": "/settings/account",
    "offline_page.show_manifest": "/manifest.webmanifest",
    "offline_page.show_offline": "/offline",
}.items():
    _shown(_endpoint, _path)


def _sent(endpoint: str, page: str, path: str, **fields: str) -> None:
    """Add the scene of a form that a stranger sends."""

    @scene(endpoint)
    def post(site: Site) -> Iterator[None]:
        browser = _browser(site, site.stranger())
        yield
        there = path.format(player=site.regular.account)
        assert send(browser, page, there, **fields).status_code in (303, 403, 404)


_MAIL = dict.fromkeys(("turn", "end", "closed", "invitation", "reminder"), "at_once")
_sent("new_table_page.open_table", "/tables/new", "/tables/new", seats="3", clock="week")
_sent("solo_page.begin_solo", "/tables/new", "/tables/new-solo")
_sent("own_tables_page.choose_language", "/account", "/tables/language", language="fr")
_sent("received_page.decline", "/account", "/tables/invitations", game="AbCdEfGh2345", invitation="x")
_sent("player_page.block", "/account", "/players/{player}/block", do="block")
_sent("account_page.revoke_token", "/account", "/account/tokens", token="x")
_sent("account_page.sign_out", "/account", "/sign-out")
_sent("settings_page.change_profile", "/settings", "/settings/profile", name="Soon", language="fr")
_sent(
    "settings_page.change_mail",
    "/settings",
    "/settings/mail",
    answer="short",
    digest_hour="7",
    http_commands="auto",
    **_MAIL,
)
_sent("settings_page.change_reminders", "/settings", "/settings/reminders", at="half")
_sent("times_page.change_quiet", "/settings/times", "/settings/times/quiet", zone="Europe/Berlin")
_sent("times_page.change_absences", "/settings/times", "/settings/times/absences", do="back")
_sent("own_data_page.change_address", "/settings", "/settings/account/address", email="a.new.one@example.org")
_sent("own_data_page.confirm_address", "/settings", "/settings/account/code", code="AAAAA-AAAAA")
_sent("own_data_page.delete_account", "/settings", "/settings/account/deletion", sure="yes")


@scene("own_data_page.export")
def export(site: Site) -> Iterator[None]:
    browser = _browser(site, site.stranger())
    yield
    assert browser.get("/settings/account/games.ndjson").status_code == 200


def _at_table(endpoint: str, path: str, **fields: str) -> None:
    """Add the scene of a form of a table's page that one of its players sends."""

    @scene(f"at_table_page.{endpoint}")
    def post(site: Site) -> Iterator[None]:
        maker = site.stranger()
        game = site.table(maker)
        browser = _browser(site, site.stranger() if endpoint == "join" else maker)
        yield
        assert send(browser, "/account", f"/games/{game}/{path}", **fields).status_code in (200, 303, 409)


_at_table("say", "messages", text="Well played.")
_at_table("note", "notes", text="A note.")
_at_table("join", "players")
_at_table("leave", "leaving", sure="yes")
_at_table("rematch", "rematch")
_at_table("change_links", "invitation-links")
_at_table("invite", "invitations", email="a.new.one@example.org")


@scene("earlier_talk_page.show_messages")
@scene("earlier_talk_page.show_notes")
def show_earlier_talk(site: Site) -> Iterator[None]:
    game = site.my_turn()
    browser = _browser(site, site.reader)
    yield
    for name in ("messages", "notes"):
        assert browser.get(f"/games/{game}/all-{name}").status_code == 200


@scene("game_mails_page.show_mails")
@scene("game_mails_page.change_mails")
def choose_mails(site: Site) -> Iterator[None]:
    game = site.my_turn()
    browser = _browser(site, site.reader)
    yield
    here = f"/games/{game}/mails"
    assert send(browser, here, here, mail="digest", answer="default", talk="off").status_code == 303


@scene("importing_page.show_imports")
@scene("importing_page.import_game")
@scene("importing_page.change_import")
def import_game(site: Site) -> Iterator[None]:
    browser = _browser(site, site.stranger())
    yield
    made = send(browser, "/account", "/imports", game=json.dumps(IMPORTED.record))
    assert made.status_code == 303
    assert browser.get("/imports").status_code == 200
    for do in ("share", "delete"):
        assert send(browser, "/account", made.headers["Location"], do=do).status_code == 303


@scene("table_page.press_button")
def press_button(site: Site) -> Iterator[None]:
    game, players = started(site)
    browser = _browser(site, next(player for player in players if not is_to_move(site, player, game)))
    yield
    assert send(browser, "/account", f"/games/{game}", do="P1D").status_code == 303


@scene("table_page.show_table")
def show_table(site: Site) -> Iterator[None]:
    size_of_log(site)
    link = table_link(site.context.settings, site.reader.account, site.my_turn())
    yield
    site.page("GET", link)


@scene("choices_page.show_choices")
@scene("moves_page.make_move")
def make_move(site: Site) -> Iterator[None]:
    size_of_log(site)
    game = site.my_turn()
    with site.app.app_context():
        table = load(db.session(), game)
    assert table is not None
    wait = MoveLink(site.reader.account, game, table.version, table.head)
    tile, (x, y) = table.state.wheel.choices()[0], table.state.displays[table.state.turn or 0].open_cells()[0]
    confirm = confirmation(site.context.settings.secret_keys, wait, f"{tile}@{x},{y}")
    browser = _browser(site, site.reader)
    yield
    assert browser.get(f"/games/{game}?tile={tile}&x={x}&y={y}").status_code == 200
    assert browser.get(f"/games/{game}/choices?tile={tile}&x={x}&y={y}").status_code == 200
    assert browser.post(f"/games/{game}/moves", data={"confirm": confirm}).status_code == 303


@scene("script.show_script")
@scene("changes_page.stream_changes")
def stream_changes(site: Site) -> Iterator[None]:
    browser, game = _browser(site, site.reader), site.my_turn()
    headers = {"Accept": "text/event-stream"}
    yield
    assert browser.get("/scripts/table.mjs").status_code == 200
    with browser.get(f"/games/{game}/changes", headers=headers, multithread=True) as answer:
        assert answer.status_code == 200


@scene("explored_page.begin")
@scene("explored_page.show_explorations")
@scene("explored_page.show_exploration")
@scene("explored_page.show_choices")
@scene("explored_page.make_move")
@scene("explored_page.press_button")
@scene("explored_page.show_record")
@scene("explored_page.show_text")
@scene("own_data_page.export_explorations")
def explore(site: Site) -> Iterator[None]:
    player = site.stranger()
    solo = site.ask(player, "POST", "/v1/solo-sessions")["id"]
    site.ask(player, "POST", f"/v1/solo-sessions/{solo}/start")
    site.ask(player, "POST", f"/v1/solo-sessions/{solo}/moves", {"type": "resign"})
    browser = _browser(site, player)
    yield
    begun = send(browser, "/account", f"/games/{solo}/explorations", seq="0")
    path = begun.headers["Location"].partition("#")[0]
    tile = site.ask(player, "GET", f"/v1{path}/legal-moves")["tiles"][0]
    confirm = hidden(browser.get(f"{path}?tile={tile}&x=0&y=0").text, "confirm")
    assert browser.post(f"{path}/moves", data={"confirm": confirm}).status_code == 303
    below = (f"{path}{page}" for page in ("", "/choices", "/record", "/text"))
    for page in ("/explorations", *below, "/settings/account/explorations.ndjson"):
        assert browser.get(page).status_code == 200
    assert send(browser, "/account", path, do="back").status_code == 303


@scene("sign_in_page.ask_address")
@scene("sign_in_page.mail_code")
@scene("sign_in_page.ask_code")
@scene("sign_in_page.redeem_code")
@scene("sign_in_page.show_link")
@scene("sign_in_page.confirm_link")
def sign_in(site: Site) -> Iterator[None]:
    browser, address = browser_of(site.app), site.address()
    yield
    own = hidden(browser.get("/sign-in").text, "own")
    where = browser.post("/sign-in", data={"own": own, "email": address}).headers["Location"]
    assert browser.get(where).status_code == 200
    assert browser.get("/sign-in/link?link=x").status_code == 404
    assert browser.post("/sign-in/link?link=x", data={"own": own}).status_code == 404
    code = site.code("sign-in", address)
    assert browser.post(where, data={"own": own, "code": code}).status_code == 303


def _browser(site: Site, player: Player) -> FlaskClient:
    """Return a browser that is signed in as a player."""
    secret, browser = new_token(), browser_of(site.app)
    site.sql(_SESSION, new_id(), player.account, session_hash_of(secret))
    browser.set_cookie(COOKIE, secret, secure=True)
    return browser
