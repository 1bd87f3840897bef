"""Scanners that have the links in somebody's mails, or somebody's cookie: they open everything 200 times in vain.

Whatever is opened, by GET or HEAD, as a link or ahead of it, with scripts or without: no row of any table changes. The
only exceptions are those of `dump`: counters of requests (`rate_limits`) and the slots of web server processes.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urldefrag, urljoin, urlsplit

import pytest
from flask import Flask
from flask.testing import FlaskClient
from playwright.async_api import Browser, BrowserContext, async_playwright
from sqlalchemy import text
from sqlalchemy.orm import Session
from werkzeug.exceptions import HTTPException

from service.access import links
from service.config import Settings
from tests.support import every_page
from tests.support.browser import CHROMIUM, dump, needs_chromium
from tests.support.browsers import COOKIE, browser_of, send, session_secret
from tests.support.clock import NOW
from tests.support.served import served

TIMES = 200
WHO = ("scanner", "player", "guest")
WINDOWS = 4
"""The windows that the scanner with scripts has at the same time."""
SELDOM = 20
"""How often it opens pages that can do nothing."""
STAYS = 7
"""The number of pages of which it stays on one."""
_WITHOUT_GRAPHICS = ["--disable-gpu", "--disable-software-rasterizer"]

_AS_SCANNERS_ASK: tuple[dict[str, str], ...] = (
    {},
    {"User-Agent": "Mozilla/5.0 (compatible; LinkCheck/1.0)", "Accept": "*/*"},
    {"Sec-Purpose": "prefetch", "Purpose": "prefetch", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
    {"Sec-Purpose": "prefetch;prerender", "X-Moz": "prefetch", "Sec-Fetch-Site": "none"},
    {"Range": "bytes=0-99", "If-None-Match": '"x"', "Cache-Control": "no-cache"},
    {"Accept": "text/event-stream", "Content-Type": "application/x-www-form-urlencoded"},
)
"""The headers of scanners, previews in mail programs, and browsers that load links ahead, in turn."""

_GIVEN = ("link", "form", "do", "sure", "confirm", "_method")
MOST_OF_A_KIND = 3


class _Addresses(HTMLParser):
    """Collects every address that a page names: of links, forms, scripts, pictures, and of streams."""

    def __init__(self, base: str, page: str) -> None:
        super().__init__()
        self.base, self.found = base, set[str]()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("href", "src", "action", "formaction", "poster", "data-changes", "data-record"):
                self.found.add(urldefrag(urljoin(self.base, value)).url)


def crawled(app: Flask, browser: FlaskClient, site: str, starts: list[str]) -> dict[str, bool]:
    """Open these addresses, and three of each kind of all that their pages name besides.

    Addresses are of one kind if they have the same route and the same names in their queries. Those of forms are opened
    as well, as if they were links. Return the addresses, each with whether it is a page.
    """
    routes, kinds = app.url_map.bind(""), Counter[object]()
    waiting, found = deque(starts), dict[str, bool]()
    while waiting:
        path = waiting.popleft()
        if path in found or not path.startswith("/"):
            continue
        asked = urlsplit(path)
        try:
            route = routes.match(asked.path)[0]
        except HTTPException:
            route = asked.path.rpartition("/")[2]
        kind = route, tuple(sorted(name for name, _ in parse_qsl(asked.query)))
        kinds[kind] += path not in starts
        if kinds[kind] > MOST_OF_A_KIND:
            continue
        answer = browser.get(path)
        assert answer.status_code < 500, (path, answer.status_code)
        found[path] = answer.status_code == 200 and answer.mimetype == "text/html"
        if found[path] and not path.startswith("/docs"):
            waiting += (each.removeprefix(site) for each in _Addresses(f"{site}{path}", answer.text).found)
        answer.close()
    return found


@pytest.fixture
def every(session: Session, settings: Settings, person: Callable[[str], str]) -> every_page.EveryPage:
    made = every_page.build(session, settings, person, ("Ann", "Ben", "Cleo"))
    session.execute(text("SELECT place_events()"))
    session.commit()
    return made


def cookies_of(session: Session, app: Flask, every: every_page.EveryPage, who: str) -> dict[str, str]:
    """Return the cookies of a scanner (none), of the player's browser, which also asked to sign in, or of a guest's."""
    if who == "player":
        return {COOKIE: session_secret(session, every.player, NOW), every_page.BROWSER: every.own_secret}
    if who == "guest":
        guest = browser_of(app)
        assert send(guest, "/", "/tables/new-solo").status_code == 303
        session.execute(text("SELECT place_events()"))
        session.commit()
        return {COOKIE: guest.get_cookie(COOKIE).value}  # type: ignore[union-attr]
    return {}


def with_cookies(app: Flask, cookies: dict[str, str]) -> FlaskClient:
    browser = browser_of(app)
    for name, value in cookies.items():
        browser.set_cookie(name, value, secure=True)
    return browser


def starts_of(every: every_page.EveryPage, who: str) -> list[str]:
    if who == "guest":
        return ["/", "/tables", *every.public.values()]
    return [*every.mailed.values(), *every.public.values(), *(every.own.values() if who == "player" else ())]


def test_each_kind_of_link_in_mails_is_opened(every: every_page.EveryPage) -> None:
    """The scanners here begin with a link of each function in `access/links.py` that makes links for mails."""
    made = {name.rpartition("_")[0].lstrip("_") for name in vars(links) if name.endswith(("_link", "_page"))} - {""}
    named = [name.replace("-", "_") for name in every.mailed]
    assert {each for each in made if not any(name.startswith(each) for name in named)} == set()


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("who", WHO)
def test_whatever_is_opened_often_changes_nothing(
    own_app: Flask,
    session: Session,
    settings: Settings,
    every: every_page.EveryPage,
    amount: Callable[..., int],
    who: str,
) -> None:
    cookies = cookies_of(session, own_app, every, who)
    before = dump(session)
    scanner = with_cookies(own_app, cookies)
    paths = crawled(own_app, scanner, settings.base_url, starts_of(every, who))
    assert len(paths) > 50 and any("tile=" in path for path in paths)
    times = amount(TIMES, 1)
    for number in range(1, times):
        headers = _AS_SCANNERS_ASK[number % len(_AS_SCANNERS_ASK)]
        for path in paths:
            with scanner.open(path, method="GET" if number % 3 else "HEAD", headers=headers) as answer:
                assert answer.status_code < 500, path
    given = "&".join(f"{name}=yes" for name in _GIVEN)
    for path in paths:
        assert scanner.get(f"{path}{'&' if '?' in path else '?'}{given}").status_code < 500, path
    assert dump(session) == before
    print(f"{who}: {len(paths)} addresses, {sum(paths.values())} of them pages, {times} times")


@pytest.mark.slow
@needs_chromium
@pytest.mark.drill
@pytest.mark.parametrize("who", [WHO[0], *(pytest.param(who, marks=pytest.mark.long) for who in WHO[1:])])
def test_a_scanner_that_runs_scripts_changes_nothing(
    own_app: Flask,
    session: Session,
    settings: Settings,
    every: every_page.EveryPage,
    amount: Callable[..., int],
    who: str,
) -> None:
    """It opens each link of every mail, and the pages that are reached from there, in a real browser.

    Pages that can do something are opened 200 times: those with a script or a form that are in mails, or the first of
    each kind on which a move is chosen. All others are opened 20 times.
    """
    cookies = cookies_of(session, own_app, every, who)
    reader, starts = with_cookies(own_app, cookies), starts_of(every, who)
    found = crawled(own_app, reader, settings.base_url, starts)
    paths = [path for path, is_page in found.items() if is_page]
    often = _those_that_can_act(own_app, reader, paths, starts)
    if amount(TIMES) == TIMES:
        visits = [path for number in range(TIMES) for path in paths if path in often or number < SELDOM]
    else:
        visits = [path for path in paths if path in every.mailed.values()]
    before = dump(session)
    with served(own_app) as site:
        asyncio.run(_visit(site, cookies, visits))
    assert dump(session) == before
    print(f"{who}: {len(paths)} pages in a browser, {len(often)} of them often; {len(visits)} visits")


def _those_that_can_act(app: Flask, reader: FlaskClient, paths: list[str], starts: list[str]) -> set[str]:
    """Return those of these pages that the scanner begins with, or on which a move is chosen, if they could act."""
    routes, kinds, able = app.url_map.bind(""), set[object](), set[str]()
    for path in paths:
        asked = urlsplit(path)
        names = frozenset(name for name, _ in parse_qsl(asked.query))
        kind = routes.match(asked.path)[0], names
        is_first_choice = "tile" in names and kind not in kinds
        if path in starts or is_first_choice or (asked.path.startswith("/games/") and not names):
            page = reader.get(path).text
            if "<script" in page or 'method="post"' in page:
                able.add(path)
                kinds.add(kind)
    return able


async def _visit(site: str, cookies: dict[str, str], paths: list[str]) -> None:
    """Open all these paths with scripts, in some windows at once, of which one has a service worker."""
    waiting = iter(enumerate(paths))
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=CHROMIUM, timeout=300_000, args=_WITHOUT_GRAPHICS)
        try:
            windows = [await _window_of(running, site, cookies, number == 0) for number in range(WINDOWS)]
            await asyncio.gather(*(_open(window, site, waiting) for window in windows))
        finally:
            await running.close()


async def _window_of(running: Browser, site: str, cookies: dict[str, str], has_worker: bool) -> BrowserContext:
    context = await running.new_context(
        viewport={"width": 360, "height": 800}, service_workers="allow" if has_worker else "block"
    )
    there = site.replace("http:", "https:")
    await context.add_cookies(
        [{"name": name, "value": value, "url": there, "secure": True} for name, value in cookies.items()]
    )
    return context


async def _open(context: BrowserContext, site: str, waiting: Iterator[tuple[int, str]]) -> None:
    """Open one path after another; stay on some of them, with the pointer over what is there, and scroll to the end."""
    page = await context.new_page()
    page.set_default_timeout(120_000)
    for number, path in waiting:
        answer = await page.goto(site + path, wait_until="load")
        assert answer is not None and answer.status == 200, (path, answer and answer.status)
        if number % STAYS == 0:
            await page.mouse.move(120 + number % 100, 200 + number % 500)
            await page.mouse.wheel(0, 20_000)
            await page.evaluate("() => new Promise(shown => requestAnimationFrame(() => requestAnimationFrame(shown)))")
