"""Replaying a long game in a browser: by the keyboard alone, and as a screen reader hears it."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page
from sqlalchemy.orm import Session

from engine.moves import Mark
from service.config import Settings
from service.language.happenings import happening
from service.language.languages import language
from service.language.people import People
from service.store.accounts import Account
from tests.support import world
from tests.support.browser import DARK_IN_DRILLS, OTHERS_IN_DRILLS, needs_chromium, reading, until

pytestmark = needs_chromium

MOVES = 60
_FOCUSED = "() => document.activeElement.id"
_TOO_WIDE = "() => document.documentElement.scrollWidth > innerWidth"
_HIDDEN = """() => {
    const box = document.activeElement.getBoundingClientRect()
    return box.bottom < 0 || box.top > innerHeight
}"""


@pytest.fixture
def game(session: Session, person: Callable[[str], str]) -> str:
    """Return the id of a public match with sixty moves."""
    table = world.match(session, person("Ann"), person("Maximiliane von und zu Sternenfels"), person("Cleo"))
    while world.loaded(session, table).version < MOVES:
        world.move(session, table)
    session.commit()
    return table


def announced(page: Page) -> str:
    """Return a screen reader's words for the focused element: its role, name and description."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    for node in nodes:
        told = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
        if told.get("focused") and node["role"]["value"] != "RootWebArea":
            return " ".join(node.get(part, {}).get("value", "") for part in ("role", "name", "description"))
    return ""


def sentences(session: Session, game: str) -> list[str]:
    table = world.loaded(session, game)
    people = People(table.names, None, language("en"))
    told = []
    for _, step in table.steps():
        assert not isinstance(step.move, Mark)
        told.append((happening(step, people) or "").split(" and covered ")[0].rstrip("."))
    return told


@pytest.mark.slow
@pytest.mark.drill
def test_sixty_moves_are_walked_by_the_keyboard_alone(
    browser: Browser,
    client: FlaskClient,
    session: Session,
    settings: Settings,
    game: str,
    amount: Callable[[int], int],
) -> None:
    """Enter on one link leads through all moves, and each is announced with what it did; then back to the start."""
    began = MOVES - amount(MOVES)
    told = sentences(session, game)
    with reading(browser, client, settings.base_url, scheme="light", width=320) as (page, wrong):
        page.goto(f"{settings.base_url}/games/{game}?at={began}#next")
        assert page.evaluate(_FOCUSED) == "next"
        assert (f"After move {began}:" if began else "At the start") in announced(page).replace(
            "\N{NO-BREAK SPACE}", " "
        )
        for seq in range(began + 1, MOVES + 1):
            with page.expect_navigation():
                page.keyboard.press("Enter")
            place = f"?at={seq}" if seq < MOVES else game  # after the last move one is at the table as it is
            assert page.url.endswith(f"{place}#next") and page.evaluate(_FOCUSED) == "next"
            assert not page.evaluate(_HIDDEN)
            said = announced(page).replace("\N{NO-BREAK SPACE}", " ")
            assert said.startswith("link Next") and f"After move {seq}: {told[seq - 1]}" in said
        assert page.locator("#next").get_attribute("aria-disabled") == "true", "the end is reached, and the focus kept"
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(_FOCUSED) == "prev"
        for seq in (MOVES - 1, MOVES - 2):
            with page.expect_navigation():
                page.keyboard.press("Enter")
            assert page.url.endswith(f"?at={seq}#prev") and page.evaluate(_FOCUSED) == "prev"
        page.keyboard.press("Shift+Tab")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert page.url.endswith("?at=0#first") and page.evaluate(_FOCUSED) == "first"
        assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", DARK_IN_DRILLS)
def test_nothing_bars_anybody_from_replaying(
    browser: Browser, client: FlaskClient, settings: Settings, game: str, scheme: str
) -> None:
    """The page of a past move, with a goal explained and all lists open, violates no rule of axe-core."""
    with reading(browser, client, settings.base_url, scheme=scheme, width=320) as (page, wrong):
        page.goto(f"{settings.base_url}/games/{game}?at=40")
        page.evaluate("() => document.querySelectorAll('details').forEach(each => each.open = true)")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        page.locator(".goals a").first.click()
        until(page, "() => document.activeElement.id === 'why'")  # the page has the focus where its address says
        assert page.url.endswith("#why")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert not page.evaluate(_TOO_WIDE) and wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("code", OTHERS_IN_DRILLS)
def test_replaying_fits_the_smallest_screen_in_each_language(
    browser: Browser, client: FlaskClient, session: Session, settings: Settings, game: str, code: str
) -> None:
    session.query(Account).update({"language": code})
    session.commit()
    with reading(browser, client, settings.base_url, scheme="light", width=320) as (page, _):
        page.set_extra_http_headers({"Accept-Language": code})
        for at in (0, 7, MOVES):
            page.goto(f"{settings.base_url}/games/{game}?at={at}")
            page.evaluate("() => document.querySelectorAll('details').forEach(each => each.open = true)")
            assert page.locator("html").get_attribute("lang") == code and not page.evaluate(_TOO_WIDE)
            small = page.evaluate(
                "() => [...document.querySelectorAll('.step, .goals a')].filter(each => "
                "each.getBoundingClientRect().height < 24).length"
            )
            assert small == 0
