"""Every page in a real browser: accessible, and whole on screens of any width, in each language, light and dark."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from urllib.parse import parse_qsl, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from flask import Flask
from playwright.sync_api import Browser, Page
from sqlalchemy.orm import Session

from service.config import Settings
from service.language.languages import CODES
from service.store.accounts import Account
from tests.acceptance.test_pages_in_browser import OVER_A_CORNER, SMALL_TARGETS, TOO_WIDE
from tests.support import every_page
from tests.support.browser import needs_chromium, reading
from tests.support.browsers import COOKIE, browser_of, session_secret
from tests.support.clock import NOW

pytestmark = needs_chromium

WIDTHS, SCHEMES = (320, 1600), ("light", "dark")
LOOKS = tuple(product(CODES, SCHEMES, WIDTHS))
"""The languages, color schemes and widths in which every page is read."""

_NOT_PAGES = ("record", "calendar", "settings")
_IN_ENGLISH = ("guide", "docs-errors")
_GIVES_UP = "404"

_BROKEN_WORDS = """() => {
    const found = [], range = document.createRange()
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
        const text = texts.currentNode
        const parent = text.parentElement
        if (!parent.checkVisibility() || parent.closest("svg, code, pre, table, .unseen")) continue
        if (text.data.includes("://")) continue
        for (const { 0: word, index } of text.data.matchAll(/\\p{L}{2,13}(?![\\p{L}\\u00ad-])/gu)) {
            if (/[\\p{L}\\u00ad]$/u.test(text.data.slice(0, index))) continue
            range.setStart(text, index)
            range.setEnd(text, index + word.length)
            if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1) found.push(word)
        }
    }
    return found
}"""
"""What finds words that are in two lines without a hyphen; tables, addresses and very long names have to break some."""

_BARELY_SEEN = """() => [...document.querySelectorAll(".button, .cell, .step, .field, .tap, .pick-tile")]
    .filter(each => each.checkVisibility())
    .filter(each => ["none", "hidden"].includes(getComputedStyle(each).borderTopStyle)
        && getComputedStyle(each).textDecorationLine === "none")
    .map(each => each.outerHTML.slice(0, 80))"""

_ANIMATED = """() => document.getAnimations().length + [...document.querySelectorAll("body *")].filter(each => {
    const style = getComputedStyle(each)
    return style.transitionDuration !== "0s" || style.animationName !== "none" || style.scrollBehavior === "smooth"
}).length"""


@pytest.fixture
def every(session: Session, settings: Settings, person: Callable[[str], str]) -> every_page.EveryPage:
    names = ("Maximiliane von und zu Sternenf.", "W" * 30, "山" * 30)
    return every_page.build(session, settings, person, names)


@pytest.fixture
def pages(session: Session, every: every_page.EveryPage) -> list[tuple[str, str, dict[str, str]]]:
    """Return the name, the address and the cookies of each page."""
    own = {COOKIE: session_secret(session, every.player, NOW)}
    asked = {every_page.BROWSER: every.own_secret}
    mailed = {name: path for name, path in every.mailed.items() if name not in _NOT_PAGES}
    return [
        *((name, path, asked) for name, path in (mailed | every.public).items()),
        *((name, path, own) for name, path in every.own.items()),
    ]


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.tenth
@pytest.mark.parametrize("part", range(4))
def test_nothing_bars_anybody_from_any_page(
    browser: Browser,
    app: Flask,
    session: Session,
    settings: Settings,
    pages: list[tuple[str, str, dict[str, str]]],
    amount: Callable[..., int],
    part: int,
) -> None:
    """No page violates a rule of axe-core, scrolls sideways, or has a target that is too small for a thumb.

    A drill reads each page in every language, color scheme and width; otherwise one page of each route and parameters
    is read in one of them.
    """
    looks = amount(len(LOOKS), 1)
    for number, (name, path, cookies) in enumerate(pages if looks > 1 else _one_of_each_route(app, pages)):
        if number % 4 != part:
            continue
        for look in range(looks):
            language, scheme, width = LOOKS[(number + number // 4 + look) % len(LOOKS)]
            session.query(Account).update({"language": language})
            session.commit()
            client = browser_of(app)
            for cookie, value in cookies.items():
                client.set_cookie(cookie, value, secure=True)
            with reading(browser, client, settings.base_url, scheme=scheme, width=width) as (page, wrong):
                page.set_extra_http_headers({"Accept-Language": language})
                page.goto(settings.base_url + path)
                where = f"{name} {language} {scheme} {width}"
                assert page.locator("html").get_attribute("lang") == (language if name not in _IN_ENGLISH else "en"), (
                    where
                )
                _check(page, where)
                assert [each for each in wrong if _GIVES_UP not in each] == [], where


def _one_of_each_route(
    app: Flask, pages: list[tuple[str, str, dict[str, str]]]
) -> list[tuple[str, str, dict[str, str]]]:
    """Return the first page with each route and parameters, and whoever is signed in."""
    routes, first = app.url_map.bind(""), dict[object, tuple[str, str, dict[str, str]]]()
    for name, path, cookies in pages:
        asked = urlsplit(path)
        parameters = tuple(sorted(name for name, _ in parse_qsl(asked.query)))
        first.setdefault((routes.match(asked.path)[0], parameters, COOKIE in cookies), (name, path, cookies))
    return list(first.values())


def _check(page: Page, where: str) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, f"{where}: {found.generate_report()}"
    page.evaluate("() => document.querySelectorAll('details').forEach(each => each.open = true)")
    for fault in (TOO_WIDE, SMALL_TARGETS, OVER_A_CORNER, _BROKEN_WORDS):
        assert page.evaluate(fault) == [], where


@pytest.mark.slow
@pytest.mark.drill
def test_forced_colors_more_contrast_and_less_motion_keep_everything(
    browser: Browser,
    app: Flask,
    session: Session,
    settings: Settings,
    pages: list[tuple[str, str, dict[str, str]]],
    amount: Callable[..., int],
) -> None:
    """Under forced colors what can be pressed has a border, with more contrast too; with less motion nothing moves."""
    some = pages[:: len(pages) // amount(len(pages), 8)]
    for name, path, cookies in some:
        client = browser_of(app)
        for cookie, value in cookies.items():
            client.set_cookie(cookie, value, secure=True)
        with reading(browser, client, settings.base_url, scheme="light", width=320) as (page, _):
            page.emulate_media(forced_colors="active", contrast="more", reduced_motion="reduce")
            page.goto(settings.base_url + path)
            assert page.evaluate(_BARELY_SEEN) == [], name
            assert page.evaluate(_ANIMATED) == 0, name
            assert page.evaluate(TOO_WIDE) == [], name
            page.emulate_media(forced_colors="none", contrast="no-preference", reduced_motion="no-preference")


@pytest.mark.slow
def test_twice_the_size_loses_nothing(
    browser: Browser, app: Flask, session: Session, settings: Settings, every: every_page.EveryPage
) -> None:
    """At 200 percent, a screen of 640 pixels has room for 320, and what is focused is in view."""
    client = browser_of(app)
    client.set_cookie(COOKIE, session_secret(session, every.player, NOW), secure=True)
    with reading(browser, client, settings.base_url, scheme="light", width=640) as (page, _):
        for name in ("own-turn", "own-preview", "own-over", "settings"):
            page.goto(settings.base_url + every.own[name])
            page.evaluate("document.documentElement.style.zoom = 2")
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
            for _ in range(12):
                page.keyboard.press("Tab")
                assert page.evaluate(
                    "() => { const box = document.activeElement.getBoundingClientRect();"
                    "return box.bottom > 0 && box.top < innerHeight && box.left >= 0 && box.left < innerWidth }"
                ), name


@pytest.mark.slow
def test_the_list_of_sessions_breaks_no_word(
    browser: Browser, app: Flask, session: Session, settings: Settings, every: every_page.EveryPage
) -> None:
    session.query(Account).update({"language": "fr"})
    session.commit()
    client = browser_of(app)
    client.set_cookie(COOKIE, session_secret(session, every.player, NOW), secure=True)
    with reading(browser, client, settings.base_url, scheme="light", width=320) as (page, _):
        page.goto(settings.base_url + every.own["account"])
        assert page.locator("main li.between").count() > 0 and page.evaluate(_BROKEN_WORDS) == []
