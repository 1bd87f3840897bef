"""Each page, asked for by everybody who may or may not see it, answers with the status of the table of rights."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text, update
from sqlalchemy.orm import Session

from engine.moves import RESIGN, Place
from service.access.links import MoveLink, confirmation, table_link
from service.commands import explorations, imports
from service.commands.play import play
from service.commands.suspensions import suspend, unsuspend
from service.config import Settings
from service.store.accounts import Account, Token
from tests.support import web, world
from tests.support.browser import dump
from tests.support.browsers import browser_of, hidden, send, signed_in
from tests.support.clock import NOW
from tests.support.reused_database import ReusedDatabase
from tests.unit.api.test_imports import RECORD
from tests.unit.pages.page_rights import CALLERS, ELSEWHERE, FOR_ALL, RIGHTS

_FIELDS = {
    "text": "A message.", "sure": "yes", "do": "block", "token": "x", "name": "Somebody", "language": "en",
    "zone": "UTC", "seats": "2", "email": "a.new.one@example.org", "code": "AAAAA-AAAAA", "answer": "short",
    "digest_hour": "7", "http_commands": "auto", "seq": "0",
    **dict.fromkeys(("turn", "end", "closed", "invitation", "reminder"), "at_once"),
}  # fmt: skip


_NOT_SIGNED_IN = ("nobody", "bearer", "expired", "guest")
_CHANGED = ("expired", "suspended")
"""The callers for whom the owner's account is changed. They come last, so that it is as it was for the others."""

Scene = tuple[str, str, dict[str, str]]


@pytest.fixture(scope="module")
def scenes() -> list[Scene]:
    """Return a list of the scene as it stands, which is empty once a request has changed something."""
    return []


@pytest.mark.slow
@pytest.mark.parametrize("request_line", RIGHTS)
def test_each_caller_gets_the_status_of_the_table(
    app: Flask,
    session: Session,
    settings: Settings,
    pages_database: ReusedDatabase,
    person: Callable[[str], str],
    scenes: list[Scene],
    request_line: str,
) -> None:
    method, path = request_line.split()
    for caller in sorted(CALLERS, key=_CHANGED.__contains__):
        if not scenes:
            pages_database.emptied()
            scenes.append(_scene(session, person))
        owner, player, names = scenes[0]
        session.commit()
        fields = _FIELDS | {"confirm": _confirmation(session, settings, owner, names["game"])}
        if path.endswith(("players", "invitations")):
            fields |= {"invitation": "x" if path.startswith("/tables") else ""}
        if path.endswith("mails"):
            fields |= {"mail": "off", "answer": "short", "talk": "on"}
        if path.endswith("absences"):
            fields |= {"do": "back"}
        browser, form = _browser(app, session, caller, owner, player, person)
        query = ""
        if caller == "link":
            query = "?" + table_link(settings, player, names["game"]).partition("?")[2]
        there = path.format(**names, owner=owner) + query
        address = session.get_one(Account, owner).email or ""
        session.rollback()
        headers = web.sign_up(app, address).headers if caller == "bearer" else {}
        sent = {**fields, "form": form} if method == "POST" else None
        is_led_away = caller in _NOT_SIGNED_IN and request_line not in FOR_ALL
        is_idle = is_led_away or RIGHTS[request_line][caller] >= 400
        before = _told(session)
        answer = browser.open(there, method=method, data=sent, headers=headers)
        assert answer.status_code == RIGHTS[request_line][caller], (caller, answer.status_code, request_line)
        has_changed = _told(session) != before
        assert not (is_idle and has_changed), (caller, request_line)
        if is_led_away and answer.status_code == 303 and path != "/games/{game}":
            assert answer.headers["Location"].startswith("/sign-in"), caller
        if is_led_away and answer.status_code == 403:
            assert 'class="button" href="/sign-in?onward=' in answer.text, caller
        if has_changed:
            scenes.clear()
        session.rollback()
        if caller == "suspended":
            unsuspend(session, owner)
            session.commit()


def test_every_page_that_knows_sessions_is_in_the_table(app: Flask) -> None:
    beginnings = ("/games/", "/tables", "/players/", "/settings", "/account", "/sign-out", "/explorations", "/imports")
    asked = {
        (rule.rule, method)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) & {"GET", "POST"}
        if rule.rule.startswith(beginnings) and rule.endpoint.partition(".")[0] not in ELSEWHERE
    }
    adapter = app.url_map.bind("")
    ids = dict.fromkeys(("game", "over", "open", "public", "owner", "exploration", "import"), "AbCdEfGh2345")
    matched = {
        (adapter.match(path.format(**ids), method=method, return_rule=True)[0].rule, method)
        for method, path in (line.split() for line in RIGHTS)
    }
    assert asked - matched == set()


def _scene(session: Session, person: Callable[[str], str]) -> Scene:
    """Return an owner, who is to move in the game, a player, and their tables by name."""
    owner, player = person("Ann"), person("Ben")
    game = _private(session, world.match(session, owner, player))
    table = world.loaded(session, game)
    if table.account_of(table.state.turn) != owner:
        owner, player = player, owner
    return owner, player, {"game": game} | _tables(session, owner, player)


def _tables(session: Session, owner: str, player: str) -> dict[str, str]:
    waiting = world.open_table(session, owner, seats=3)
    world.join(session, player, waiting)
    _private(session, waiting)
    public = world.open_table(session, owner, seats=4)
    world.join(session, player, public)
    over = _private(session, world.match(session, owner, player))
    origin = play(session, world.loaded(session, over), 1, RESIGN, None, NOW).table
    made = explorations.begin(session, owner, origin, explorations.Beginning(0), NOW)
    brought, _ = imports.add(session, owner, imports.verified_record(RECORD), NOW)
    return {"over": over, "open": waiting, "public": public, "exploration": made.kept.id, "import": brought.id}


def _private(session: Session, table: str) -> str:
    session.execute(text("UPDATE tables SET visibility = 'private' WHERE id = :id"), {"id": table})
    return table


def _confirmation(session: Session, settings: Settings, owner: str, game: str) -> str:
    table = world.loaded(session, game)
    move = next(each for each in table.state.legal_moves() if isinstance(each, Place))
    wait = MoveLink(owner, game, table.version, table.head)
    session.rollback()
    return confirmation(settings.secret_keys, wait, f"{move.tile}@{move.x},{move.y}")


def _told(session: Session) -> list[tuple[str, str]]:
    """Return all rows but those that tell where a form led, which are kept for a form that changed nothing too."""
    return [row for row in dump(session) if row[0] != "idempotency"]


def _browser(
    app: Flask, session: Session, caller: str, owner: str, player: str, person: Callable[[str], str]
) -> tuple[FlaskClient, str]:
    """Return a caller's browser, and the token of its forms."""
    if caller in ("nobody", "bearer", "link"):
        browser = browser_of(app)
        return browser, hidden(browser.get("/").text, "form")
    if caller == "guest":
        guest = browser_of(app)
        assert send(guest, "/", "/tables/new-solo").status_code == 303
        return guest, hidden(guest.get("/tables").text, "form")
    account = {"outsider": lambda: person("Eve"), "player": lambda: player}.get(caller, lambda: owner)()
    browser = signed_in(app, session, account, NOW)
    form = hidden(browser.get("/account").text, "form")
    if caller == "expired":
        session.execute(update(Token).where(Token.account == owner).values(expires_at=NOW - timedelta(days=1)))
    if caller == "suspended":
        suspend(session, owner, NOW)
    session.commit()
    return browser, form
