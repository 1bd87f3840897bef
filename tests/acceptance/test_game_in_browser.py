"""Whole games in real browsers, over HTTP: without scripts by the links in mails, and signed in with scripts."""

import threading
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page
from sqlalchemy.orm import Session

from service.access.links import MoveLink, move_link
from service.config import Settings
from service.store.accounts import Account
from tests.support import web, world
from tests.support.browser import FIREFOX_IN_DRILLS, needs_chromium, needs_firefox, running
from tests.support.browsers import COOKIE, session_secret
from tests.support.clock import NOW
from tests.support.running import eventually
from tests.support.served import served
from tests.support.web import opened

pytestmark = [needs_chromium, pytest.mark.xdist_group("browser")]

_PATIENCE = 120_000.0
PHONE, DESK = 360, 1280

IN_DRILLS = [pytest.mark.drill, pytest.mark.long]
"""The marks of games that only `make drill` plays, since each takes many seconds."""

IN_FIREFOX = [needs_firefox, *IN_DRILLS]
_LOADED = "performance.timeOrigin"


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """Return a browser: Chromium, or the one that a test asks for, which has no scripts if its name ends so."""
    name, _, rest = getattr(request, "param", "chromium").partition(" ")
    with running(name, scripts=not rest) as browser:
        yield browser


@pytest.fixture(scope="module")
def app(settings: Settings) -> Iterator[Flask]:
    """Return an application of its own, whose thread that places events ends with these tests."""
    with opened(settings, lambda: NOW) as app:
        yield app
    eventually(lambda: not any(each.name == "events" for each in threading.enumerate()))


@pytest.fixture
def site(app: Flask) -> Iterator[str]:
    """Return the address of the running site."""
    with served(app) as address:
        yield address


@pytest.fixture
def enter(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Return a function that opens a window of its own, of a width and in a language, with scripts or without."""
    contexts: list[BrowserContext] = []

    def open_window(width: int, language: str, *, scripts: bool = False) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 800}, java_script_enabled=scripts, locale=language
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(_PATIENCE)
        return page

    yield open_window
    for context in contexts:
        context.close()


@pytest.mark.parametrize(
    ("browser", "language", "width"),
    [
        ("chromium", "en", PHONE),
        pytest.param("chromium", "fr", DESK, marks=IN_DRILLS),
        pytest.param("firefox without scripts", "es", PHONE, marks=IN_FIREFOX),
        pytest.param("firefox without scripts", "de", DESK, marks=IN_FIREFOX),
    ],
    indirect=["browser"],
)
def test_two_people_play_a_game_by_the_links_in_their_mails(
    site: str,
    session: Session,
    settings: Settings,
    person: Callable[[str], str],
    enter: Callable[..., Page],
    language: str,
    width: int,
) -> None:
    people = person("Ann"), person("Ben")
    session.query(Account).where(Account.id.in_(people)).update({"language": language})
    game = world.match(session, *people, goal_discs=5)
    session.commit()
    windows = {account: enter(width, language) for account in people}
    moved = 0
    while (table := world.loaded(session, game)).status == "running":
        mover = table.account_of(table.state.turn)
        assert mover is not None
        page = windows[mover]
        if moved == table.version and page.locator(".moving").count() == 0:
            link = move_link(settings, MoveLink(mover, game, table.version, table.head))
            page.goto(site + link.removeprefix(settings.base_url))
        session.rollback()
        assert page.locator("html").get_attribute("lang") == language
        assert page.locator("#motion").is_hidden(), "no script runs"
        page.locator("a.tap.good, a.tap").first.click(force=True)  # without scripts, Firefox can't tell what is stable
        page.locator(".moving button").click(force=True)
        page.wait_for_url("**#board")
        moved += 1
        assert moved < 120
    assert table.version == moved and table.state.result is not None


@pytest.mark.parametrize(
    ("browser", "language", "width"),
    [
        pytest.param("chromium", "de", PHONE, marks=IN_DRILLS),
        pytest.param("chromium", "es", DESK, marks=IN_DRILLS),
        pytest.param("firefox", "fr", PHONE, marks=IN_FIREFOX),
        pytest.param("firefox", "en", DESK, marks=IN_FIREFOX),
    ],
    indirect=["browser"],
)
def test_two_people_play_a_game_without_loading_a_page(
    site: str,
    session: Session,
    person: Callable[[str], str],
    enter: Callable[..., Page],
    language: str,
    width: int,
) -> None:
    """Both are signed in and look at the table from the first move to the last; one moves by keys alone."""
    people = person("Ann"), person("Ben")
    session.query(Account).where(Account.id.in_(people)).update({"language": language})
    game = world.match(session, *people, goal_discs=5)
    session.commit()
    windows = {account: enter(width, language, scripts=True) for account in people}
    for account, page in windows.items():
        secret = session_secret(session, account, NOW)
        there = site.replace("http:", "https:")  # as its name asks; browsers send it to their own machine by http too
        page.context.add_cookies([{"name": COOKIE, "value": secret, "url": there, "secure": True, "httpOnly": True}])
        page.goto(f"{site}/games/{game}")
    loaded = [page.evaluate(_LOADED) for page in windows.values()]
    moved = 0
    while (table := world.loaded(session, game)).status == "running":
        mover = table.account_of(table.state.turn)
        assert mover is not None and moved < 120
        session.rollback()
        page = windows[mover]
        page.bring_to_front()  # Firefox gives the focus to one window alone
        page.locator("#move a.pick-tile").first.wait_for()
        if mover == people[0]:
            page.locator("#move a.pick-tile").first.focus()
            page.keyboard.press("1")
            page.locator("#move .cell:focus, #move form button:focus").wait_for()
            if page.locator("#move form").count() == 0:
                page.keyboard.press("Enter")
                page.locator("#move form button:focus").wait_for()
            page.keyboard.press("Enter")
        else:
            page.locator("#move a.tap.good, #move a.tap").first.click()
            page.locator("#move form button").click()
        moved += 1
        for each in windows.values():
            each.locator(f"#slider[max='{moved}']").wait_for()
    assert [page.evaluate(_LOADED) for page in windows.values()] == loaded
    for page in windows.values():
        page.locator("#move").wait_for(state="detached")
    assert table.version == moved and table.state.result is not None


def test_a_move_is_made_by_the_keyboard_alone(
    site: str, session: Session, settings: Settings, person: Callable[[str], str], browser: Browser
) -> None:
    game = world.match(session, person("Ann"), person("Ben"))
    for _ in range(8):
        world.move(session, game)
    session.commit()
    table = world.loaded(session, game)
    mover = table.account_of(table.state.turn)
    assert mover is not None
    link = move_link(settings, MoveLink(mover, game, table.version, table.head)).removeprefix(settings.base_url)
    session.rollback()
    page = browser.new_page(viewport={"width": 700, "height": 800})
    page.set_default_timeout(_PATIENCE)
    page.goto(site + link)
    _go_to(page, "a.pick-tile")
    page.wait_for_url("**tile=**")
    _go_to(page, "a.cell")
    page.wait_for_url("**&x=**")
    _go_to(page, ".moving button")
    page.wait_for_url("**#board")
    page.close()
    assert world.loaded(session, game).version == 9


@pytest.mark.parametrize("browser", FIREFOX_IN_DRILLS, indirect=True)
def test_from_an_invitation_to_the_first_move(
    site: str, app: Flask, session: Session, enter: Callable[..., Page]
) -> None:
    ann, ben = enter(DESK, "en"), enter(PHONE, "en")
    for page, address in ((ann, "ann.browser@example.org"), (ben, "ben.browser@example.org")):
        _sign_in(app, page, site, address)
        assert page.context.cookies()[0]["httpOnly"] and page.context.cookies()[0]["sameSite"] == "Lax"
    ann.get_by_role("link", name="Open a table").click()
    ann.get_by_label("Private").check()
    ann.get_by_role("button", name="Open the table").click()
    ann.get_by_role("button", name="Make an invitation link").click()
    link = urlsplit(ann.get_by_label("The link").input_value())
    ben.goto(f"{site}{link.path}?{link.query}")
    assert ben.get_by_role("heading", level=1).inner_text().endswith("invites you to a game of Nova Luna")
    ben.get_by_role("button", name="Take a seat").click()
    ben.wait_for_url("**/games/**")
    game = urlsplit(ben.url).path.split("/")[2]
    ann.goto(f"{site}/tables")
    ann.locator(f"a[href='/games/{game}']").click()
    mover, other = (ann, ben) if ann.locator(".moving").count() else (ben, ann)
    mover.locator("a.pick-tile").first.click()
    mover.locator("#move form").wait_for()  # the first tile fits on one cell alone
    assert "What this move would do" in mover.locator(".moving").inner_text()
    mover.get_by_role("button", name="Make this move").click()
    mover.wait_for_url("**#board")
    other.get_by_label("A message to the table").fill("Well played.")
    other.get_by_role("button", name="Send it").click()
    mover.reload()
    assert "Well played." in mover.locator("#talk").inner_text()
    assert world.loaded(session, game).version == 1
    mover.get_by_role("link", name="Account").click()
    mover.get_by_role("button", name="Sign out", exact=True).click()
    mover.wait_for_url("**/sign-in")
    assert mover.goto(f"{site}/games/{game}").status == 404  # type: ignore[union-attr]


def _sign_in(app: Flask, page: Page, site: str, address: str) -> None:
    page.goto(f"{site}/sign-in")
    page.get_by_label("Your email address").fill(address)
    page.get_by_role("button", name="Mail me a code").click()
    page.get_by_label("The code from the mail").fill(web.codes_for(app, address)[0])
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/tables")


def _go_to(page: Page, selector: str) -> None:
    """Go forward by the tab key to the first element that matches, and press Enter."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"the tab key does not reach {selector}")
