"""A solo from the front page in real browsers, without an address: on a phone and a desk, with scripts and without."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page
from sqlalchemy import select
from sqlalchemy.orm import Session

from service.language.languages import language
from service.store.tables import Table
from tests.support import world
from tests.support.browser import IN_DRILLS, IN_FIREFOX, needs_chromium

pytestmark = needs_chromium

PHONE, DESK = 360, 1280

MOST = 200
"""More moves than a solo has."""


@pytest.mark.drill
@pytest.mark.parametrize(
    ("browser", "code", "width", "scripts"),
    [
        ("chromium", "fr", PHONE, True),
        pytest.param("chromium", "en", PHONE, False, marks=IN_DRILLS),
        pytest.param("chromium", "de", DESK, True, marks=IN_DRILLS),
        pytest.param("chromium", "es", DESK, False, marks=IN_DRILLS),
        pytest.param("firefox", "es", PHONE, True, marks=IN_FIREFOX),
        pytest.param("firefox", "en", DESK, True, marks=IN_FIREFOX),
        pytest.param("firefox without scripts", "de", PHONE, False, marks=IN_FIREFOX),
        pytest.param("firefox without scripts", "fr", DESK, False, marks=IN_FIREFOX),
    ],
    indirect=["browser"],
)
def test_a_solo_is_played_from_the_front_page(
    site: str,
    session: Session,
    enter: Callable[..., Page],
    amount: Callable[..., int],
    code: str,
    width: int,
    scripts: bool,
) -> None:
    """Two taps lead to what the first tile would do. With scripts, the table is then never loaded again."""
    page, say = enter(width, code, scripts=scripts), language(code).say
    force = not scripts  # Firefox can't tell without scripts what is stable; with them, the page moves what is tapped
    page.goto(site)
    assert page.locator("html").get_attribute("lang") == code
    page.get_by_role("button", name=say("Begin a solo now")).click(force=force)
    page.wait_for_url("**/games/**")
    game = page.url.partition("/games/")[2][:12]
    page.locator("#move a.pick-tile").first.click(force=force)
    page.locator("#move form").wait_for()
    loaded = page.evaluate("performance.timeOrigin") if scripts else None
    most, moved = amount(MOST, 4), 0
    while moved < most:
        if moved:  # the choices, once they are those after the last move
            page.locator("#move a.tap").first.wait_for()
            page.locator("#move a.tap.good, #move a.tap").first.click(force=force)
        page.locator("#move form button").click(force=force)
        moved += 1
        page.locator(f"#slider[max='{moved}']").wait_for(state="attached")
        if session.scalar(select(Table.status).where(Table.id == game)) == "finished":
            break
        session.rollback()
    table = world.loaded(session, game)
    assert table.version == moved and (table.status == "finished" or most < MOST)
    if scripts:
        assert page.evaluate("performance.timeOrigin") == loaded
    page.goto(f"{site}/tables{'/finished' if table.status == 'finished' else ''}")
    assert page.locator(f"a[href='/games/{game}']").count() == 1, "the browser keeps it"
