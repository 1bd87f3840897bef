"""The last seen tables without network, in a real browser with the real service worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Error, Page
from sqlalchemy import delete
from sqlalchemy.orm import Session

from service.store.accounts import Token
from tests.support import world
from tests.support.browser import needs_chromium, until
from tests.support.browsers import COOKIE, signed_in
from tests.support.clock import NOW
from tests.support.running import eventually
from tests.support.served import served

pytestmark = needs_chromium

_PATIENCE = 300_000.0
_KEPT = (
    "caches.open('seen').then((cache) => cache.keys()).then((keys) => keys.map((each) => new URL(each.url).pathname))"
)


@pytest.fixture
def site(app: Flask) -> Iterator[str]:
    with served(app) as address:
        yield address


@pytest.fixture
def window(browser: Browser, site: str, app: Flask, session: Session, ann: str) -> Iterator[Page]:
    """Yield a window of a browser in which Ann is signed in."""
    client = signed_in(app, session, ann, NOW)
    cookie = client.get_cookie(COOKIE)
    assert cookie is not None
    context: BrowserContext = browser.new_context(locale="de")
    context.add_cookies(
        [{"name": COOKIE, "value": cookie.value, "url": site.replace("http:", "https:"), "secure": True}]
    )
    page = context.new_page()
    page.set_default_timeout(_PATIENCE)
    yield page
    context.close()


@pytest.mark.slow
def test_seen_tables_are_shown_without_network_until_the_sign_out(
    window: Page, site: str, session: Session, ann: str, person: Callable[[str], str]
) -> None:
    seen, unseen = (world.match(session, ann, person(name)) for name in ("Ben", "Cleo"))
    world.move(session, seen)
    session.commit()
    window.goto(f"{site}/tables")
    window.evaluate("navigator.serviceWorker.ready.then(() => 1)")
    until(window, "() => navigator.serviceWorker.controller !== null")
    window.goto(f"{site}/tables")
    window.goto(f"{site}/games/{seen}")
    heading, did = window.locator("h1").inner_text(), window.locator("#did").inner_text()
    assert window.locator("p.offline").is_hidden()
    eventually(lambda: window.evaluate(_KEPT) == ["/tables", f"/games/{seen}"])
    window.goto(f"{site}/games/{seen}?at=0")
    assert window.locator("#did").inner_text() != did

    window.context.set_offline(True)
    window.goto(f"{site}/games/{seen}")
    assert window.locator("#did").inner_text() == did
    assert "You are offline." in window.locator("p.offline").inner_text()
    window.goto(f"{site}/games/{seen}?at=0")
    assert window.locator("p.offline").is_visible()
    window.goto(f"{site}/tables")
    assert window.locator("p.offline").is_visible()
    window.goto(f"{site}/games/{unseen}")
    assert window.locator("h1").inner_text() == "You are offline"
    listed = window.locator("main a.to-table")
    assert [each.get_attribute("href") for each in listed.all()] == [f"/games/{seen}", "/tables"]
    listed.first.click()
    assert window.locator("h1").inner_text() == heading
    window.goto(f"{site}/sign-in")  # does not reach the site, so nobody else can look next
    window.goto(f"{site}/games/{seen}")
    assert window.locator("#did").inner_text() == did

    window.context.set_offline(False)
    window.goto(f"{site}/account")
    window.locator("form[action='/sign-out'] button").click()
    window.wait_for_url("**/sign-in?done=*")
    assert window.evaluate(_KEPT) == []
    window.context.set_offline(True)
    window.goto(f"{site}/games/{seen}")
    assert window.locator("main a.to-table").count() == 0


@pytest.mark.slow
def test_what_is_kept_ends_when_the_browser_has_another_reader(
    window: Page, site: str, session: Session, ann: str, person: Callable[[str], str]
) -> None:
    """A session may end elsewhere, so the next reader's first page is the sign of it, whatever it is."""
    table = world.match(session, ann, person("Ben"))
    session.commit()
    window.goto(f"{site}/tables")
    until(window, "() => navigator.serviceWorker.controller !== null")
    window.goto(f"{site}/games/{table}")
    eventually(lambda: f"/games/{table}" in window.evaluate(_KEPT))
    window.goto(f"{site}/settings")  # of the same reader
    window.goto(f"{site}/games/{table}?at=0")
    assert f"/games/{table}" in window.evaluate(_KEPT)
    session.execute(delete(Token).where(Token.account == ann))
    session.commit()
    window.goto(site)
    eventually(lambda: window.evaluate(_KEPT) == [])
    window.locator("form[action^='/tables/new-solo'] button").first.click()
    window.wait_for_url("**/games/*")
    solo = window.url.removeprefix(site).partition("#")[0]
    eventually(lambda: window.evaluate(_KEPT) == [solo])
    window.context.set_offline(True)
    window.goto(f"{site}/games/{table}")
    listed = window.locator("main a.to-table")
    assert [each.get_attribute("href") for each in listed.all()] == [solo]


@pytest.mark.slow
def test_going_back_to_a_refused_form_is_left_to_the_browser(window: Page, site: str) -> None:
    """It asks whether to send the form again; the service worker would call that offline."""
    window.goto(f"{site}/tables")
    until(window, "() => navigator.serviceWorker.controller !== null")
    window.goto(f"{site}/settings")
    window.locator("#name").fill("see www.example.org")
    with window.expect_response("**/settings/profile") as answer:
        window.locator("form[action^='/settings/profile'] button").click()
    assert answer.value.status == 422
    window.goto(f"{site}/tables")
    with pytest.raises(Error, match="ERR_CACHE_MISS"):
        window.go_back()
