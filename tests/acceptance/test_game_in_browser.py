"""Whole games in real browsers, over HTTP: without scripts by the links in mails, and signed in with scripts."""

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from flask import Flask
from playwright.sync_api import Page
from sqlalchemy.orm import Session

from service.config import Settings
from service.language import languages
from service.store.accounts import Account
from tests.support import web, world
from tests.support.browser import IN_DRILLS, IN_FIREFOX, needs_chromium
from tests.support.windows import sign_in, to_move

pytestmark = needs_chromium

_PATIENCE = 120_000.0
PHONE, DESK = 360, 1280
MOST = 120
"""More moves than such a game has."""

_LOADED = "performance.timeOrigin"


@pytest.mark.slow
@pytest.mark.drill
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
    amount: Callable[..., int],
    language: str,
    width: int,
) -> None:
    people = person("Ann"), person("Ben")
    session.query(Account).where(Account.id.in_(people)).update({"language": language})
    game = world.match(session, *people, goal_discs=5)
    session.commit()
    windows = {account: enter(width, language, scripts=False) for account in people}
    most, moved = amount(MOST, 6), 0
    while (table := world.loaded(session, game)).status == "running" and moved < most:
        mover, link = to_move(session, settings, game)
        page = windows[mover]
        if moved == table.version and page.locator(".moving").count() == 0:
            page.goto(site + link)
        assert page.locator("html").get_attribute("lang") == language
        assert page.locator("#motion").is_hidden(), "no script runs"
        page.locator("a.tap.good, a.tap").first.click(force=True)  # without scripts, Firefox can't tell what is stable
        page.locator(".moving button").click(force=True)
        page.wait_for_url("**#board")
        moved += 1
    assert table.version == moved and (table.state.result is not None or most < MOST)


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
    windows = {account: enter(width, language) for account in people}
    for account, page in windows.items():
        sign_in(page, site, session, account)
        page.goto(f"{site}/games/{game}")
    loaded = [page.evaluate(_LOADED) for page in windows.values()]
    moved = 0
    while (table := world.loaded(session, game)).status == "running":
        mover = table.account_of(table.state.turn)
        assert mover is not None and moved < MOST
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


@pytest.mark.slow
def test_a_move_is_made_by_the_keyboard_alone(
    site: str, session: Session, settings: Settings, person: Callable[[str], str], enter: Callable[..., Page]
) -> None:
    game = world.match(session, person("Ann"), person("Ben"))
    for _ in range(8):
        world.move(session, game)
    session.commit()
    page = enter(700)
    page.goto(site + to_move(session, settings, game)[1])
    _go_to(page, "a.pick-tile")
    page.wait_for_url("**tile=**")
    _go_to(page, "a.cell")
    page.wait_for_url("**&x=**")
    _go_to(page, ".moving button")
    page.wait_for_url("**#board")
    assert world.loaded(session, game).version == 9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("browser", "language", "width"),
    [
        ("chromium", "en", DESK),
        pytest.param("chromium", "fr", PHONE, marks=IN_DRILLS),
        pytest.param("firefox", "de", DESK, marks=IN_FIREFOX),
        pytest.param("firefox", "es", PHONE, marks=IN_FIREFOX),
    ],
    indirect=["browser"],
)
def test_from_an_invitation_to_the_first_move(
    site: str, app: Flask, session: Session, enter: Callable[..., Page], language: str, width: int
) -> None:
    say = languages.language(language).say
    ann, ben = enter(width, language, scripts=False), enter(PHONE, language, scripts=False)
    for page, address in ((ann, f"ann.{language}@example.org"), (ben, f"ben.{language}@example.org")):
        _sign_in(app, page, site, address, say)
        assert page.context.cookies()[0]["httpOnly"] and page.context.cookies()[0]["sameSite"] == "Lax"
    ann.get_by_role("link", name=say("Open a table")).click()
    ann.get_by_label(say("Private: only players see it, and others join by invitation")).check()
    ann.get_by_role("button", name=say("Open the table")).click()
    ann.get_by_role("button", name=say("Make an invitation link")).click()
    link = urlsplit(ann.locator("#invite [readonly]").input_value())
    ben.goto(f"{site}{link.path}?{link.query}")
    assert ben.get_by_role("heading", level=1).inner_text() == say("Somebody invites you to a game of Nova Luna")
    ben.get_by_role("button", name=say("Take a seat")).click()
    ben.wait_for_url("**/games/**")
    game = urlsplit(ben.url).path.split("/")[2]
    ann.goto(f"{site}/tables")
    ann.locator(f"a[href='/games/{game}']").click()
    mover, other = (ann, ben) if ann.locator(".moving").count() else (ben, ann)
    mover.locator("a.pick-tile").first.click()
    mover.locator("#move form").wait_for()  # the first tile fits on one cell alone
    assert say("What this move would do") in mover.locator(".moving").inner_text()
    mover.get_by_role("button", name=say("Make this move")).click()
    mover.wait_for_url("**#board")
    other.get_by_label(say("A message to the table")).fill("Well played.")
    other.get_by_role("button", name=say("Send it")).click()
    mover.reload()
    assert "Well played." in mover.locator("#talk").inner_text()
    assert world.loaded(session, game).version == 1
    assert mover.locator("html").get_attribute("lang") == language
    mover.get_by_role("link", name=say("Account")).click()
    mover.get_by_role("button", name=say("Sign out"), exact=True).click()
    mover.wait_for_url("**/sign-in?done=*")
    assert mover.goto(f"{site}/games/{game}").status == 404  # type: ignore[union-attr]


def _sign_in(app: Flask, page: Page, site: str, address: str, say: Callable[[str], str]) -> None:
    page.goto(f"{site}/sign-in")
    page.get_by_label(say("Your email address")).fill(address)
    page.get_by_role("button", name=say("Mail me a code")).click()
    page.get_by_label(say("The code from the mail")).fill(web.codes_for(app, address)[0])
    page.get_by_role("button", name=say("Sign in")).click()
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
