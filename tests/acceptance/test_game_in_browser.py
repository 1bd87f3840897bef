"""Whole games in a real browser without scripts, over HTTP: by the links in mails, and by signing in."""

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
from tests.support.browser import chromium, needs_chromium
from tests.support.served import served

pytestmark = [needs_chromium, pytest.mark.xdist_group("browser")]

_PATIENCE = 300_000.0
PHONE, DESK = 360, 1280

IN_DRILLS = [pytest.mark.drill, pytest.mark.long]
"""The marks of games that only `make drill` plays, since each takes many seconds."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def site(app: Flask) -> Iterator[str]:
    """Return the address of the running site."""
    with served(app) as address:
        yield address


@pytest.fixture
def enter(browser: Browser) -> Iterator[Callable[[int, str], Page]]:
    """Return a function that opens a window of its own, without scripts, of a width and in a language."""
    contexts: list[BrowserContext] = []

    def open_window(width: int, language: str) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 800}, java_script_enabled=False, locale=language
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(_PATIENCE)
        return page

    yield open_window
    for context in contexts:
        context.close()


@pytest.mark.parametrize(
    ("language", "width"),
    [
        ("en", PHONE),
        *(pytest.param(*each, marks=IN_DRILLS) for each in (("fr", DESK), ("es", PHONE), ("de", DESK))),
    ],
)
def test_two_people_play_a_game_by_the_links_in_their_mails(
    site: str,
    session: Session,
    settings: Settings,
    person: Callable[[str], str],
    enter: Callable[[int, str], Page],
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
        page.locator("a.tap.good, a.tap").first.click()
        assert page.locator("html").get_attribute("lang") == language
        page.locator(".moving button").click()
        page.wait_for_url("**#board")
        moved += 1
        assert moved < 120
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


def test_from_an_invitation_to_the_first_move(
    site: str, app: Flask, session: Session, enter: Callable[[int, str], Page]
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
    mover.get_by_role("link", name="Tile ", exact=False).first.click()
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
