"""The page `/`, for people: what this is, with a picture, and where to begin."""

import gzip
import re
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import update
from sqlalchemy.orm import Session

from service.language.languages import CODES, ENGLISH
from service.mail.rendering import unbroken
from service.pages import example_table
from service.pictures.palette import LIGHT
from service.store.accounts import Account
from tests.support import world
from tests.support.browsers import browser_of, hidden, send, signed_in
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard, links

_TITLES = {
    "en": "A board game that comes by mail",
    "fr": "Un jeu de société qui arrive par mail",
    "es": "Un juego de mesa que llega por correo",
    "de": "Ein Brettspiel, das per Mail kommt",
}


@pytest.mark.parametrize("code", CODES)
def test_the_home_page_is_in_the_language_of_the_browser(client: FlaskClient, code: str) -> None:
    page = client.get("/", headers={"Accept-Language": code})
    assert (page.status_code, page.mimetype, page.headers["Content-Language"]) == (200, "text/html", code)
    assert f"<h1>{_TITLES[code]}</h1>" in page.text and f'<html lang="{code}">' in page.text
    assert re.search(rf'<svg [^>]*lang="{code}"', page.text)
    assert f"/rules?language={code}" in links(page.text)
    assert set(re.findall(r'href="/\?language=(\w\w)"', page.text)) == set(CODES) - {code}


def test_the_link_to_the_home_page_may_name_a_language(client: FlaskClient) -> None:
    page = client.get("/?language=fr", headers={"Accept-Language": "de"})
    assert f"<h1>{_TITLES['fr']}</h1>" in page.text


def test_the_language_of_the_link_holds_on_the_pages_behind_it(
    app: Flask, session: Session, person: Callable[[str], str]
) -> None:
    ann = person("Ann")
    game = world.open_table(session, ann, seats=2)
    running = world.match(session, person("Ben"), person("Cleo"))
    world.move(session, running)
    session.commit()
    browser, english = browser_of(app), {"Accept-Language": "en", "Accept-Encoding": "gzip"}
    seen, ways = set[str](), ["/?language=fr", f"/games/{running}?language=fr"]
    others = ("/docs", "/v1/", "/manifest", "/scripts", "data:", "mailto:", "/sign-in/link")
    while ways:
        way = ways.pop()
        seen.add(way.partition("#")[0])
        page = browser.get(way, headers=english)
        assert page.headers["Content-Language"] == "fr", way
        shown = gzip.decompress(page.data).decode() if page.headers.get("Content-Encoding") == "gzip" else page.text
        for link in links(shown):
            if not link.startswith(("#", "http", *others)) and not re.match(r"/\?language=(en|es|de)", link):
                assert "language=" in link, (way, link)
                if not re.search(r"language=(en|es|de)|/text|/rules/", link) and link.partition("#")[0] not in seen:
                    ways += [link] if len(seen) < 60 else []
    assert any(way.startswith(f"/games/{game}?") for way in seen), "it was found among the open tables"
    assert any(way.startswith("/sign-in?") for way in seen)


def test_a_stranger_is_offered_a_solo_and_the_sign_in(app: Flask) -> None:
    page = browser_of(app).get("/").text
    assert set(links(page)) >= {"/sign-in", "/tables/open", "/verify", "/docs"}
    assert not {"/tables", "/account"} & set(links(page))
    assert 'action="/tables/new-solo?language=en"' in page
    assert "this browser keeps the game for a day" in heard(page)


def test_a_signed_in_reader_is_led_to_a_solo_and_their_tables(
    app: Flask, session: Session, person: Callable[[str], str]
) -> None:
    ann = person("Ann")
    session.execute(update(Account).where(Account.id == ann).values(language="de"))
    browser = signed_in(app, session, ann, NOW)
    page = browser.get("/", headers={"Accept-Language": "fr"})
    assert f"<h1>{_TITLES['de']}</h1>" in page.text
    assert set(links(page.text)) >= {"/tables", "/account", "/tables/open", "/rules?language=de"}
    assert not [link for link in links(page.text) if link.startswith("/sign-in")]
    begun = send(browser, "/", "/tables/new-solo?language=de")
    assert begun.status_code == 303 and browser.get(begun.headers["Location"]).status_code == 200


@pytest.mark.parametrize("code", CODES)
def test_every_link_on_the_home_page_leads_somewhere(app: Flask, code: str) -> None:
    browser = browser_of(app)
    for link in links(browser.get(f"/?language={code}").text):
        assert browser.get(link).status_code == 200, link


def test_programmers_find_the_reference_before_anything_else(client: FlaskClient) -> None:
    assert links(client.get("/").text)[:2] == ["/", "/docs"]


def test_the_home_page_is_light_and_needs_no_script(client: FlaskClient) -> None:
    page = client.get("/")
    assert len(gzip.compress(page.data)) < 60_000
    assert "<script" not in page.text and " src=" not in page.text
    policy = page.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-") and "script" not in policy


def test_the_home_page_is_new_each_time_as_its_form_is(client: FlaskClient) -> None:
    first, second = client.get("/"), client.get("/")
    assert first.headers["Cache-Control"] == "private, no-store"
    assert hidden(first.text, "form") != hidden(second.text, "form")


def test_the_move_in_the_text_is_allowed_at_the_table_shown(client: FlaskClient) -> None:
    page = client.get("/").text
    assert "“2 F”: the second tile, on cell F" in heard(page)
    assert unbroken(example_table.picture(ENGLISH)) in page
    state = example_table.scene(ENGLISH, LIGHT, only_shipped_type=True).state
    assert state.turn is not None
    assert len(state.wheel.choices()) >= 2
    assert len(state.displays[state.turn].open_cells()) > "ABCDEFGHIJ".index("F")
