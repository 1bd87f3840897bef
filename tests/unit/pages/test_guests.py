"""Solos without an address: begun on `/`, played by forms, kept for a day by a cookie, moved by signing in."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, text, update
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from service.access import tokens
from service.access.links import sign_in_link, table_link
from service.commands import guests
from service.config import Settings
from service.errors import Unauthorized
from service.language.languages import CODES
from service.store.accounts import Account, Code, Token
from service.store.batches import Batch
from tests.support import web, world
from tests.support.browser import dump
from tests.support.browsers import COOKIE, browser_of, hidden
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard, links

_BEGIN = re.compile(r'<form class="row" method="post" action="(/tables/new-solo[^"]*)">')


@pytest.fixture
def browser(app: Flask) -> FlaskClient:
    return browser_of(app)


def begin(browser: FlaskClient, home: str = "/") -> TestResponse:
    """Begin a solo as the form on the home page does."""
    page = browser.get(home).text
    action = _BEGIN.search(page)
    assert action
    return browser.post(action[1], data={"form": hidden(page, "form")})


def game_of(answer: TestResponse) -> str:
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"].split("/")[2].partition("#")[0]


def move(browser: FlaskClient, game: str) -> str:
    """Make the first move that the page of a game offers, and return the page that follows."""
    page = browser.get(f"/games/{game}").text
    page = browser.get(re.findall(r'class="pick-tile" href="([^"]+)"', page)[0].replace("&amp;", "&")).text
    if 'name="confirm"' not in page:
        page = browser.get(re.findall(r'class="cell[^"]*"[^>]* href="([^"]+)"', page)[0].replace("&amp;", "&")).text
    answer = browser.post(f"/games/{game}/moves", data={"confirm": hidden(page, "confirm")})
    assert answer.status_code == 303
    return browser.get(answer.headers["Location"]).text


def guest_of(session: Session, game: str) -> str:
    session.rollback()
    account = world.loaded(session, game).account_of(0)
    session.rollback()
    assert account is not None
    return account


def sign_in(app: Flask, browser: FlaskClient, address: str, onward: str = "") -> TestResponse:
    """Sign in by a mailed code, in a browser that may be a guest's."""
    page = browser.get(f"/sign-in?onward={onward}").text
    form = {"own": hidden(page, "own"), "onward": hidden(page, "onward"), "email": address}
    where = browser.post("/sign-in", data=form).headers["Location"]
    code = web.codes_for(app, address)[0]
    return browser.post(where, data={"own": hidden(browser.get(where).text, "own"), "code": code})


def test_two_taps_lead_from_the_home_page_to_the_first_tile(app: Flask, session: Session, browser: FlaskClient) -> None:
    answer = begin(browser)
    game = game_of(answer)
    assert answer.headers["Location"] == f"/games/{game}#move"
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith(COOKIE + "=") and "Max-Age=86400;" in cookie
    assert all(part in cookie for part in ("Secure", "HttpOnly", "Path=/", "SameSite=Lax"))
    page = browser.get(f"/games/{game}").text
    tile = re.findall(r'class="pick-tile" href="([^"]+)"', page)[0].replace("&amp;", "&")
    preview = browser.get(tile).text
    assert "What this move would do" in heard(preview) and hidden(preview, "confirm")
    assert links(preview).count(f"/games/{game}#move") == 1  # to choose again
    after = browser.post(f"/games/{game}/moves", data={"confirm": hidden(preview, "confirm")})
    assert after.headers["Location"] == f"/games/{game}#board"
    session.rollback()
    assert world.loaded(session, game).version == 1
    row = session.get_one(Account, guest_of(session, game))
    assert (row.email, row.name, row.erased_at, row.created_at) == (None, None, None, NOW)


@pytest.mark.parametrize("code", CODES)
def test_a_guest_plays_in_the_language_of_the_home_page(browser: FlaskClient, code: str) -> None:
    game = game_of(begin(browser, f"/?language={code}"))
    page = browser.get(f"/games/{game}", headers={"Accept-Language": "en"})
    assert page.headers["Content-Language"] == code
    assert f'href="/sign-in?onward=/games/{game}"' in page.text


def test_a_guest_is_told_until_when_and_nothing_about_mail(browser: FlaskClient) -> None:
    game = game_of(begin(browser))
    move(browser, game)
    said = heard(browser.get(f"/games/{game}").text)
    until = (NOW + timedelta(days=1)).strftime("%H:%M")
    assert "You play without an address. This browser keeps your solos until" in said and until in said
    assert "No mail reaches" not in said and "A note for yourself" not in said
    tables = browser.get("/tables").text
    assert f"/games/{game}" in links(tables) and "/tables/new" not in links(tables)
    assert "You play without an address." in heard(tables)


def test_a_guest_with_the_link_of_a_match_is_told_whose_page_it_is(
    session: Session, settings: Settings, browser: FlaskClient, person: Callable[[str], str]
) -> None:
    ann = person("Ann")
    match = world.match(session, ann, person("Ben"))
    session.commit()
    begin(browser)
    said = heard(browser.get(table_link(settings, ann, match).removeprefix(settings.base_url)).text)
    assert "You see this table as Ann does" in said and "You play without an address." not in said


def test_a_guest_goes_on_in_the_language_that_was_chosen_last(browser: FlaskClient) -> None:
    english = {"Accept-Language": "en"}
    first = game_of(begin(browser))
    second = game_of(begin(browser, "/?language=de"))
    for game in (first, second):
        assert browser.get(f"/games/{game}", headers=english).headers["Content-Language"] == "de"
    third = game_of(begin(browser))
    assert browser.get(f"/games/{third}", headers=english).headers["Content-Language"] == "de"


def test_a_guest_chooses_the_language_among_the_tables(browser: FlaskClient) -> None:
    begin(browser)
    page = browser.get("/tables").text
    form = {"form": hidden(page, "form"), "language": "es"}
    assert browser.post("/tables/language", data=form | {"language": "xx"}).headers["Location"] == "/tables"
    assert '<html lang="en">' in browser.get("/tables").text
    assert browser.post("/tables/language", data=form).headers["Location"] == "/tables"
    page = browser.get("/tables").text
    assert '<html lang="es">' in page and '<option value="es" lang="es" selected>' in page


def test_a_guest_is_not_offered_to_block_a_player(
    session: Session, browser: FlaskClient, person: Callable[[str], str]
) -> None:
    ann = person("Ann")
    session.commit()
    begin(browser)
    page = browser.get(f"/players/{ann}")
    assert page.status_code == 200 and "Block this player" not in heard(page.text)


def test_only_the_browser_that_began_it_sees_a_guests_solo(app: Flask, session: Session, browser: FlaskClient) -> None:
    game = game_of(begin(browser))
    other = browser_of(app)
    game_of(begin(other))
    for stranger in (browser_of(app), other):
        page = stranger.get(f"/games/{game}")
        assert page.status_code == 404 and "has to keep its cookie" in heard(page.text)
        assert stranger.post(f"/games/{game}/moves", data={"confirm": "x"}).status_code == 404
    guest = guest_of(session, game)
    assert browser_of(app).get(f"/players/{guest}").status_code == 404


def test_a_guest_is_led_to_the_sign_in_from_all_that_is_not_a_solo(
    session: Session, browser: FlaskClient, person: Callable[[str], str]
) -> None:
    public = world.open_table(session, person("Ann"))
    session.commit()
    game = game_of(begin(browser))
    form = hidden(browser.get("/tables").text, "form")
    before = dump(session)
    asked = ("/settings", "/settings/times", "/settings/account", "/account", "/tables/new")
    for path in asked:
        answer = browser.get(path)
        assert (answer.status_code, answer.headers["Location"]) == (303, f"/sign-in?onward={path}")
    fields = {"form": form, "seats": "2", "text": "A note.", "name": "Eve", "language": "en", "do": "block"}
    sent = {
        "/tables/new": "/tables/new",
        f"/games/{game}/notes": f"/games/{game}",
        f"/games/{game}/messages": f"/games/{game}",
        f"/games/{public}/players": f"/games/{public}",
        "/settings/profile": "/settings",
        "/account/tokens": "/account",
        "/settings/account/deletion": "/settings/account",
    }
    for path, onward in sent.items():
        answer = browser.post(path, data=fields)
        assert answer.status_code == 403 and "you play without one" in heard(answer.text), path
        assert f'href="/sign-in?onward={onward}"' in answer.text, path
    assert "Take a seat" not in heard(browser.get(f"/games/{public}").text)
    assert dump(session) == before


def test_a_guest_goes_on_and_begins_another_solo_for_a_day_more(settings: Settings, session: Session) -> None:
    at = [NOW]
    with web.opened(settings, lambda: at[0]) as app:
        browser = browser_of(app)
        first = game_of(begin(browser))
        at[0] = NOW + timedelta(hours=20)
        answer = begin(browser)
        assert "Max-Age=86400;" in answer.headers["Set-Cookie"]
        second = game_of(answer)
        assert first != second and guest_of(session, first) == guest_of(session, second)
        at[0] = NOW + timedelta(hours=43)
        assert browser.get(f"/games/{first}").status_code == 200
        at[0] = NOW + timedelta(hours=44)
        assert browser.get(f"/games/{first}").status_code == 404


def test_the_solos_of_a_network_are_limited(settings: Settings) -> None:
    with web.opened(replace(settings, limit_guest_solos_per_ip=2), lambda: NOW) as app:
        first, other = browser_of(app), browser_of(app)
        second = app.test_client()
        second.environ_base.update(first.environ_base)
        game_of(begin(first))
        game_of(begin(second))
        for browser in (first, second):
            refused = begin(browser)
            assert refused.status_code == 429 and 0 < int(refused.headers["Retry-After"]) <= 3600
            assert "/sign-in" in links(refused.text)
        game_of(begin(other))


def test_another_site_begins_no_solo(session: Session, browser: FlaskClient) -> None:
    before = dump(session)
    refused = browser.post("/tables/new-solo", headers={"Sec-Fetch-Site": "cross-site"})
    assert refused.status_code == 403 and dump(session) == before
    game_of(begin(browser))
    before = dump(session)
    for fields in ({}, {"form": "x"}):
        assert browser.post("/tables/new-solo", data=fields).status_code == 403
    assert dump(session) == before


@pytest.mark.parametrize("is_known", [False, True])
def test_signing_in_moves_the_solos_to_the_account(
    app: Flask, session: Session, browser: FlaskClient, person: Callable[[str], str], is_known: bool
) -> None:
    address = "somebody.new@example.org"
    if is_known:
        address = session.get_one(Account, person("Ann")).email or ""
        session.commit()
    game = game_of(begin(browser))
    move(browser, game)
    over = game_of(begin(browser))
    form = hidden(browser.get("/tables").text, "form")
    assert browser.post(f"/games/{over}/leaving", data={"form": form, "sure": "yes"}).status_code == 303
    guest = guest_of(session, game)
    cached = world.loaded(session, game).tag
    session.rollback()
    answer = sign_in(app, browser, address, f"/games/{game}")
    assert answer.headers["Location"] == f"/games/{game}"
    assert guest_of(session, game) == guest_of(session, over) != guest
    account = session.scalars(select(Account).where(Account.email == address)).one()
    assert guest_of(session, game) == account.id
    table = world.loaded(session, game)
    assert table.table.maker == account.id and table.tag != cached
    waits = text("SELECT turn_account FROM progress WHERE game = :key")
    assert session.scalar(waits, {"key": table.table.key}) == account.id
    session.rollback()
    gone = session.get_one(Account, guest)
    assert gone.erased_at == NOW and session.scalars(select(Token).where(Token.account == guest)).all() == []
    page = move(browser, game)
    assert "You play without an address." not in heard(page)
    assert f"/games/{game}" in links(browser.get("/tables").text)
    assert f"/games/{over}" in links(browser.get("/tables/finished").text)


def test_the_link_in_the_sign_in_mail_moves_the_solos_too(
    app: Flask, settings: Settings, session: Session, browser: FlaskClient
) -> None:
    game = game_of(begin(browser))
    page = browser.get("/sign-in").text
    assert "Your solos move to the account" in heard(page)
    address = "by.link@example.org"
    browser.post("/sign-in", data={"own": hidden(page, "own"), "email": address})
    session.rollback()
    code = session.scalars(select(Code).where(Code.email == address)).one()
    path = sign_in_link(settings, code.id).removeprefix(settings.base_url)
    session.rollback()
    answer = browser.post(path, data={"own": hidden(browser.get(path).text, "own")})
    assert answer.status_code == 303
    account = session.scalars(select(Account).where(Account.email == address)).one()
    assert guest_of(session, game) == account.id


def test_a_guest_can_be_forgotten_at_once(session: Session, settings: Settings, browser: FlaskClient) -> None:
    game = game_of(begin(browser))
    page = browser.get("/tables").text
    assert "Forget my solos on this browser" in heard(page)
    answer = browser.post("/sign-out", data={"form": hidden(page, "form")})
    assert answer.status_code == 303 and browser.get(f"/games/{game}").status_code == 404
    guest = guest_of(session, game)
    assert guests.erase_over(session, settings.secret_keys, NOW, 1000, Batch("erase_guests")) >= 1
    session.commit()
    assert session.get_one(Account, guest).erased_at == NOW
    assert world.loaded(session, game).status == "finished"
    session.rollback()


def test_guests_are_erased_after_a_day_and_nobody_else_is(
    session: Session, settings: Settings, browser: FlaskClient, app: Flask, person: Callable[[str], str]
) -> None:
    ann = person("Ann")
    session.commit()
    old, new = game_of(begin(browser)), game_of(begin(browser_of(app)))
    for game, left in ((old, timedelta()), (new, timedelta(seconds=1))):
        guest = guest_of(session, game)
        session.execute(update(Token).where(Token.account == guest).values(expires_at=NOW + left))
        session.commit()
    while guests.erase_over(session, settings.secret_keys, NOW, 5, Batch("erase_guests")):
        session.commit()
    erased = {each: session.get_one(Account, each).erased_at for each in (ann, guest_of(session, new))}
    assert set(erased.values()) == {None}
    assert session.get_one(Account, guest_of(session, old)).erased_at == NOW
    assert world.loaded(session, old).status == "finished"
    assert world.loaded(session, new).status == "running"


def test_a_guest_whose_solos_have_moved_makes_no_move(session: Session, settings: Settings) -> None:
    guest = guests.begin(session, "en", NOW, tokens.new_token())
    account = world.account(session, "Zoe")
    guests.adopt(session, settings.secret_keys, guest, account, NOW, 0)
    with pytest.raises(Unauthorized):
        guests.hold(session, guest)
    guests.adopt(session, settings.secret_keys, guest, account, NOW, 0)
    guests.adopt(session, settings.secret_keys, account, guest, NOW, 0)  # no guest
    assert session.get_one(Account, account).erased_at is None
    session.rollback()


def test_solos_beyond_the_limit_stay_behind_and_the_page_says_so(
    app: Flask, session: Session, settings: Settings, browser: FlaskClient, person: Callable[[str], str]
) -> None:
    ann = person("Ann")
    address = session.get_one(Account, ann).email or ""
    own = [world.solo(session, ann) for _ in range(settings.limit_solos_per_account - 1)]
    session.commit()
    old, new = game_of(begin(browser)), game_of(begin(browser))
    answer = sign_in(app, browser, address, onward=f"/games/{old}")
    assert answer.headers["Location"].startswith("/tables?done=")
    assert "only the newest of this browser came along" in heard(browser.get(answer.headers["Location"]).text)
    session.rollback()
    assert world.loaded(session, new).account_of(0) == ann and world.loaded(session, own[0]).account_of(0) == ann
    assert world.loaded(session, old).status == "finished" and world.loaded(session, new).status == "running"
    session.rollback()
