"""The pages of large games in a real browser: whole on a small screen, by keyboard, in light and dark."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser
from sqlalchemy.orm import Session

from service.access.links import (
    MoveLink,
    invitation_link,
    move_link,
    never_mail_link,
    table_link,
    unsubscribe_link,
)
from service.commands import invitation_links
from service.config import Settings
from service.store.accounts import Account
from tests.support import world
from tests.support.browser import OTHERS_IN_DRILLS, needs_chromium, reading
from tests.support.clock import NOW

pytestmark = needs_chromium

TOO_WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
    .filter(part => part.getBoundingClientRect().right > innerWidth && !part.closest(".scroll, svg"))
    .map(part => part.outerHTML.slice(0, 80))"""

_WRITTEN_OVER = """() => {
    const texts = [...document.querySelectorAll("svg text")]
    const written = texts.map(text => [text.textContent, text.getBoundingClientRect()])
    return written.flatMap(([one, a], number) => written.slice(number + 1)
        .filter(([, b]) => a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom)
        .map(([other]) => `${one} / ${other}`))
}"""

SMALL_TARGETS = """() => [...document.querySelectorAll("a, button")]
    .filter(target => getComputedStyle(target).display !== "inline" && target.checkVisibility())
    .map(target => [target.textContent.trim(), target.getBoundingClientRect()])
    .filter(([, box]) => box.width < 24 || box.height < 24)
    .map(([said, box]) => `${said}: ${box.width} x ${box.height}`)"""

OVER_A_CORNER = """() => [...document.querySelectorAll(".button")].flatMap(button => {
    if (!button.checkVisibility()) return []
    const box = button.getBoundingClientRect()
    const told = parseFloat(getComputedStyle(button).borderTopLeftRadius)
    const round = Math.min(told, box.width / 2, box.height / 2)
    const range = document.createRange()
    range.selectNodeContents(button)
    return [...range.getClientRects()].filter(line => {
        const across = round - Math.min(line.left - box.left, box.right - line.right)
        const down = round - Math.min(line.top - box.top, box.bottom - line.bottom)
        return across > 0 && down > 0 && Math.hypot(across, down) > round
    }).map(() => button.textContent)
})"""


_SPACED = """() => {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(`* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
        word-spacing: 0.16em !important } p { margin-bottom: 2em !important }`)
    document.adoptedStyleSheets = [sheet]
}"""
"""What sets the text spacing of WCAG 2.2, 1.4.12."""

_OUTSIDE = """() => [...document.querySelectorAll(".tile, .tap, .cell, .number, .step, .pip")].flatMap(badge => {
    if (!badge.checkVisibility()) return []
    const box = badge.getBoundingClientRect(), range = document.createRange()
    range.selectNodeContents(badge)
    const lines = [...range.getClientRects()].filter(line => line.width > 0)
    const away = Math.max(...lines.map(line => Math.max(line.bottom - box.bottom, box.top - line.top)))
    const inner = lines.map(line => (line.top + line.bottom) / 2)
    const middle = (Math.min(...inner) + Math.max(...inner)) / 2 - (box.top + box.bottom) / 2
    return away > 1 || Math.abs(middle) > 3 ? [`${badge.className} ${badge.textContent}: ${away}, ${middle}`] : []
})"""
"""What finds badges and buttons whose letters reach out of them, or are not in their middle."""

_IN_TWO_LINES = """() => [...document.querySelectorAll(".step")].filter(step => {
    const range = document.createRange()
    range.selectNodeContents(step)
    return new Set([...range.getClientRects()].map(line => line.top)).size > 1
}).map(step => step.textContent)"""

_EDGES = '() => ["ahead", "move"].map(id => document.getElementById(id).getBoundingClientRect())'


@dataclass(frozen=True)
class Site:
    """The paths of some pages."""

    running: str
    finished: str
    solo: str
    to_move: str
    tile: str
    others: tuple[str, ...]


@pytest.fixture
def site(session: Session, settings: Settings, person: Callable[[str], str]) -> Site:
    """Return a game of four with wide displays, a finished game, a solo, an open table, `/`, and never-mail pages."""
    ann, ben = person("Ann"), person("Maximiliane von und zu Sternenfels")
    running = world.match(session, ann, ben, person("Cleo"), person("Dan"))
    for _ in range(30):
        world.move(session, running)
    finished = world.match(session, ann, ben, goal_discs=5)
    world.play_out(session, finished)
    solo = world.solo(session, ann)
    for _ in range(12):
        world.move(session, solo)
    waiting = world.open_table(session, ann, seats=4)
    linked = invitation_links.make(session, ann, waiting, uses=1, lifetime=timedelta(days=7), now=NOW)
    wide = world.match(session, person("W" * 30), person("山" * 30), ann)
    world.move(session, wide)
    session.commit()
    link = table_link(settings, ann, running).removeprefix(settings.base_url)
    table = world.loaded(session, running)
    mover = table.account_of(table.state.turn)
    assert mover is not None
    to_move = move_link(settings, MoveLink(mover, running, table.version, table.head))
    return Site(
        running=link,
        finished=f"/games/{finished}",
        solo=table_link(settings, ann, solo).removeprefix(settings.base_url),
        to_move=to_move.removeprefix(settings.base_url),
        tile=f"tile={table.state.wheel.choices()[0]}",
        others=(
            "/",
            f"{link}&at=7",
            f"{link}&at=999",
            f"/games/{waiting}",
            invitation_link(settings, linked.id).removeprefix(settings.base_url),
            f"/games/{wide}",
            unsubscribe_link(settings, ann, wide, "turn").removeprefix(settings.base_url),
            never_mail_link(settings, f"{ann}{'x' * 50}@{'mail' * 15}.{'example' * 8}.org").removeprefix(
                settings.base_url
            ),
            unsubscribe_link(settings, ann, running, "turn").removeprefix(settings.base_url),
        ),
    )


@pytest.mark.slow
@pytest.mark.parametrize("language", OTHERS_IN_DRILLS)
def test_page_fits_a_small_screen_and_a_thumb(
    browser: Browser, client: FlaskClient, session: Session, settings: Settings, site: Site, language: str
) -> None:
    session.query(Account).update({"language": language})
    session.commit()
    with reading(browser, client, settings.base_url, scheme="light", width=360) as (page, wrong):
        page.set_extra_http_headers({"Accept-Language": language})
        for address in (site.running, site.finished, *site.others):
            page.goto(settings.base_url + address)
            assert page.locator("html").get_attribute("lang") == language
            page.evaluate("() => document.querySelectorAll('details').forEach(each => each.open = true)")
            assert page.evaluate(TOO_WIDE) == [], address
            assert page.evaluate(_WRITTEN_OVER) == [], address
            assert page.evaluate(SMALL_TARGETS) == [], address
            assert page.evaluate(OVER_A_CORNER) == [], address
    assert [each for each in wrong if "404" not in each] == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 1366])
def test_letters_stay_in_their_badges_with_wider_text_spacing(
    browser: Browser, client: FlaskClient, session: Session, settings: Settings, site: Site, width: int
) -> None:
    session.query(Account).update({"language": "de"})
    session.commit()
    with reading(browser, client, settings.base_url, scheme="light", width=width) as (page, wrong):
        for address in (site.running, site.to_move, f"{site.to_move}&{site.tile}"):
            page.goto(settings.base_url + address)
            assert page.evaluate(_OUTSIDE) == [], address
            page.evaluate(_SPACED)
            assert page.evaluate(_OUTSIDE) == [], address
            assert page.evaluate(_IN_TWO_LINES) == [], address
            assert page.evaluate(_WRITTEN_OVER) == [], address
            assert page.evaluate(TOO_WIDE) == [], address
        assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1000, 1366])
def test_what_a_move_would_do_is_as_wide_as_its_column(
    browser: Browser, client: FlaskClient, settings: Settings, site: Site, width: int
) -> None:
    with reading(browser, client, settings.base_url, scheme="light", width=width) as (page, _):
        page.goto(f"{settings.base_url}{site.to_move}&{site.tile}")
        page.locator("#move .cell").first.hover()
        page.locator("#ahead .would").wait_for()
        ahead, move = page.evaluate(_EDGES)
        assert (ahead["left"], ahead["right"]) == (move["left"], move["right"])


@pytest.mark.slow
def test_the_brands_moon_is_seen_under_forced_colors(
    browser: Browser, client: FlaskClient, settings: Settings, site: Site
) -> None:
    with reading(browser, client, settings.base_url, scheme="light", width=390) as (page, _):
        page.emulate_media(forced_colors="active")
        page.goto(settings.base_url)
        assert page.locator(".moon").evaluate("each => getComputedStyle(each).boxShadow") != "none"
        page.emulate_media(forced_colors="none")


@pytest.mark.slow
def test_the_history_goes_by_keyboard_without_scripts(
    browser: Browser, client: FlaskClient, settings: Settings, site: Site
) -> None:
    with reading(browser, client, settings.base_url, scheme="light", width=360) as (page, _):
        page.goto(settings.base_url + site.running)
        for where in ("/", "/sign-in"):
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.pathname") == where
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.rel") == "first"
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.wait_for_url("**at=29**")
        assert page.locator("h2").first.inner_text().startswith("After move 29: ")
        page.get_by_role("link", name="First", exact=True).click()
        page.wait_for_url("**at=0**")
        assert page.get_by_role("link", name="Back").get_attribute("aria-disabled") == "true"


@pytest.mark.slow
def test_the_picture_is_light_or_dark_as_the_page_is(
    browser: Browser, client: FlaskClient, settings: Settings, site: Site
) -> None:
    grounds = {}
    for scheme in ("light", "dark"):
        with reading(browser, client, settings.base_url, scheme=scheme, width=700) as (page, wrong):
            page.goto(settings.base_url + site.finished)
            grounds[scheme] = page.evaluate("getComputedStyle(document.querySelector('svg > rect')).fill")
            assert page.get_by_role("img", name="Nova Luna: ").bounding_box()["width"] > 600  # type: ignore[index]
            assert wrong == []
    assert grounds == {"light": "rgb(245, 243, 250)", "dark": "rgb(11, 15, 32)"}


@pytest.mark.slow
def test_on_a_wide_screen_the_table_stands_beside_all_else(
    browser: Browser, client: FlaskClient, settings: Settings, site: Site
) -> None:
    with reading(browser, client, settings.base_url, scheme="light", width=1280) as (page, _):
        for address in (site.running, site.finished, site.solo):
            page.goto(settings.base_url + address)
            table = page.locator("#board").bounding_box()
            beside = [each.bounding_box() for each in page.locator("main > section:not(#board)").all()]
            assert table is not None and table["y"] < 300 and table["width"] > 600
            assert len(beside) > 4
            assert all(box is not None and box["x"] >= table["x"] + table["width"] for box in beside), address
            page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
            there = page.locator("#board").bounding_box()
            assert there is not None and there["y"] + there["height"] > 300, "it stays as the rest is read"
