"""The documentation for developers in a real browser: accessible, searchable, and operations can be tried out."""

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from flask import Flask
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, Request, expect
from sqlalchemy.orm import Session

from service.access import tokens
from service.config import Settings
from service.ids import new_id
from service.store.accounts import Token
from tests.support.browser import DARK_IN_DRILLS, needs_chromium, one_page, reading
from tests.support.clock import NOW
from tests.support.served import served

pytestmark = needs_chromium

PAGES = ["/docs/guide", "/docs/guide/limits", "/docs/errors", "/docs/changelog"]


def assert_no_barrier(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
@pytest.mark.parametrize("scheme", DARK_IN_DRILLS)
def test_pages_to_read_bar_nobody(browser: Browser, client: FlaskClient, settings: Settings, scheme: str) -> None:
    with reading(browser, client, settings.base_url, scheme=scheme, width=360) as (page, wrong):
        for path in PAGES:
            page.goto(settings.base_url + path)
            assert_no_barrier(page)
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", DARK_IN_DRILLS)
def test_operations_are_found_and_shown(browser: Browser, client: FlaskClient, settings: Settings, scheme: str) -> None:
    with reading(browser, client, settings.base_url, scheme=scheme, width=360) as (page, wrong):
        page.goto(settings.base_url + "/docs")
        page.wait_for_selector(".opblock")
        every = page.locator(".opblock").count()
        page.get_by_label("Search the operations").fill("rematch PLAYED")
        expect(page.locator("#found")).to_have_text("1 operation")
        assert page.locator(".opblock-summary-path").all_inner_texts() == ["/v1/games/{game_id}/rematch"]
        page.locator(".opblock-summary-control").click()
        page.wait_for_selector(".responses-table pre")
        assert page.url.endswith("#/rematches/askForRematch")
        assert page.locator(".parameter__name").filter(has_text="Idempotency-Key").count() == 1
        assert page.locator("tr[data-param-name='Idempotency-Key'] input").input_value() == ""
        assert_no_barrier(page)
        page.get_by_label("Search the operations").fill("xyzzy")
        expect(page.locator("#found")).to_have_text("No operations")
        page.get_by_label("Search the operations").fill("")
        expect(page.locator(".opblock")).to_have_count(every)
    assert wrong == []


@pytest.mark.slow
def test_an_operation_is_tried_out_with_a_token(
    browser: Browser, app: Flask, session: Session, person: Callable[[str], str]
) -> None:
    token = tokens.new_token()
    session.add(Token(id=new_id(), account=person("Tess"), hash=tokens.hash_of(token), created_at=NOW))
    session.commit()
    asked: list[Request] = []
    with served(app.wsgi_app) as site:
        page = one_page(browser, "light", 1200)
        page.on("request", lambda request: asked.append(request))
        page.goto(site + "/docs")
        page.locator(".btn.authorize").click()
        page.locator(".auth-container input").fill(token)
        page.locator(".auth-btn-wrapper .authorize").click()
        page.locator(".btn-done").click()
        page.locator("#operations-me-getMe .opblock-summary-control").click()
        page.locator(".try-out__btn").click()
        page.locator(".execute").click()
        page.wait_for_selector(".live-responses-table .response-col_status")
        assert '"name": "Tess"' in page.locator(".live-responses-table .highlight-code").inner_text()
        page.goto("about:blank")
    assert all(each.url.startswith((site, "data:", "about:")) for each in asked)
    [tried] = [each for each in asked if each.url == f"{site}/v1/me"]
    assert tried.headers["authorization"] == f"Bearer {token}"
