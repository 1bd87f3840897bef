"""The pages of somebody who is signed in, and those on which one moves, in a real browser."""

from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from flask import Flask
from playwright.sync_api import Browser
from sqlalchemy.orm import Session

from engine.moves import Place
from service.access.links import MoveLink, move_link
from service.commands import explorations, talk
from service.config import Settings
from service.store.accounts import Account
from tests.acceptance.test_pages_in_browser import OVER_A_CORNER, SMALL_TARGETS, TOO_WIDE, assert_nothing_found
from tests.support import world
from tests.support.browser import chromium, needs_chromium, reading
from tests.support.browsers import signed_in
from tests.support.clock import NOW

pytestmark = [needs_chromium, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def mover(session: Session, person: Callable[[str], str]) -> str:
    return person("Maximiliane von und zu Sternenf.")


@pytest.fixture
def paths(session: Session, settings: Settings, mover: str, person: Callable[[str], str]) -> list[str]:
    """Return the paths of the pages, in a small world."""
    ben = person("Ben")
    game = world.match(session, mover, ben, person("Cleo"))
    for _ in range(30):
        world.move(session, game)
    while world.loaded(session, game).account_of(world.loaded(session, game).state.turn) != mover:
        world.move(session, game)
    talk.say(session, game, ben, "Well played. I had my eye on that one! " + "So much! " * 20, NOW)
    talk.note(session, game, mover, "Take the sevens late.", NOW)
    finished = world.match(session, mover, ben, goal_discs=5)
    world.play_out(session, finished)
    origin, beginning = world.loaded(session, finished), explorations.Beginning(5, "greedy", 0)
    explored = explorations.begin(session, mover, origin, beginning, NOW)
    choice = explored.table.state.wheel.choices()[0]
    mine, others = world.open_table(session, mover, seats=4), world.open_table(session, ben, seats=3)
    session.commit()
    table = world.loaded(session, game)
    move = next(each for each in table.state.legal_moves() if isinstance(each, Place))
    tile, cell = {"tile": move.tile}, {"tile": move.tile, "x": move.x, "y": move.y}
    link = move_link(settings, MoveLink(mover, game, table.version, table.head)).removeprefix(settings.base_url)
    own = [
        "/",
        "/sign-in",
        "/tables",
        "/tables/open",
        "/tables/new",
        "/tables/finished",
        "/account",
        "/settings",
        "/settings/times",
        "/settings/account",
        f"/players/{ben}",
        f"/games/{mine}",
        f"/games/{others}",
        f"/games/{game}",
        f"/games/{finished}?at=4",
        "/explorations",
        f"/explorations/{explored.kept.id}",
        f"/explorations/{explored.kept.id}?tile={choice}",
    ]
    return [*own, *(f"{link}&{urlencode(asked)}" for asked in (tile, cell))]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_bars_anybody_from_playing(
    browser: Browser, app: Flask, session: Session, settings: Settings, mover: str, paths: list[str], scheme: str
) -> None:
    client = signed_in(app, session, mover, NOW)
    with reading(browser, client, settings.base_url, scheme=scheme, width=360) as (page, wrong):
        for path in paths:
            page.goto(settings.base_url + path)
            assert_nothing_found(Axe().run(page))
        assert wrong == []


@pytest.mark.parametrize(("language", "width"), [("en", 320), ("fr", 320), ("es", 360), ("de", 320), ("de", 1600)])
def test_the_pages_to_play_on_fit_a_small_screen_and_a_thumb(
    browser: Browser,
    app: Flask,
    session: Session,
    settings: Settings,
    mover: str,
    paths: list[str],
    language: str,
    width: int,
) -> None:
    session.query(Account).update({"language": language})
    session.commit()
    client = signed_in(app, session, mover, NOW)
    with reading(browser, client, settings.base_url, scheme="light", width=width) as (page, wrong):
        page.set_extra_http_headers({"Accept-Language": language})
        for path in paths:
            page.goto(settings.base_url + path)
            assert page.locator("html").get_attribute("lang") == language
            assert page.evaluate(TOO_WIDE) == [], path
            assert page.evaluate(SMALL_TARGETS) == [], path
            assert page.evaluate(OVER_A_CORNER) == [], path
        assert wrong == []
