"""Real browsers that read the site's pages; for most tests the application answers directly, without a network."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Route, sync_playwright
from sqlalchemy import text
from sqlalchemy.orm import Session

CHROMIUM, FIREFOX = Path("/usr/bin/chromium"), Path("/usr/bin/firefox-esr")

_PATIENCE = 300_000.0
"""The longest wait for a page, in milliseconds; an idle machine shows it at once."""

needs_chromium = pytest.mark.skipif(
    not CHROMIUM.exists(), reason=f"There is no browser at {CHROMIUM}; on Debian: apt install chromium"
)

needs_firefox = pytest.mark.skipif(
    not FIREFOX.exists(), reason=f"There is no browser at {FIREFOX}; on Debian: apt install firefox-esr"
)

FIREFOX_TOO = ("chromium", pytest.param("firefox", marks=needs_firefox))
"""The browsers of tests that `make test` runs in Firefox too."""

FIREFOX_IN_DRILLS = (
    "chromium",
    pytest.param("firefox", marks=[needs_firefox, pytest.mark.drill, pytest.mark.long]),
)
"""The browsers of tests that only `make drill` runs in Firefox too."""


@contextmanager
def running(name: str, *, scripts: bool = True) -> Iterator[Browser]:
    """Yield a running browser by its name, Firefox with or without scripts.

    Firefox ignores what a window is opened with of that, and of light and dark and of motion.
    """
    if name == "chromium":
        with chromium() as browser:
            yield browser
        return
    with sync_playwright() as playwright:
        prefs: dict[str, str | float | bool] = {"javascript.enabled": scripts}
        browser = playwright.firefox.launch(
            channel="moz-firefox", executable_path=FIREFOX, firefox_user_prefs=prefs, timeout=_PATIENCE
        )
        yield browser
        browser.close()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a running browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, timeout=_PATIENCE)
        yield browser
        browser.close()


def one_page(browser: Browser, scheme: str, width: int) -> Page:
    """Return the browser's only page, with this color scheme and width in pixels.

    All tests share it, because opening a window costs more than a test. A service worker would ask the network for what
    the tests answer themselves.
    """
    page = browser.contexts[0].pages[0] if browser.contexts else browser.new_page(service_workers="block")
    page.set_default_timeout(_PATIENCE)
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 800})
    return page


@contextmanager
def reading(
    browser: Browser, client: FlaskClient, site: str, *, scheme: str, width: int
) -> Iterator[tuple[Page, list[str]]]:
    """Yield a page that runs scripts, and a list of the problems on it.

    These are violations of its policy, requests to other sites than `site`, and errors.
    """
    wrong: list[str] = []

    def answer(route: Route) -> None:
        request = route.request
        if not request.url.startswith(f"{site}/"):
            wrong.append(f"{request.method} {request.url}")
            return route.abort()
        found = client.open(
            request.url.removeprefix(site),
            method=request.method,
            headers={"Accept-Language": request.headers.get("accept-language", "en")},
            data=request.post_data_buffer,
            content_type=request.headers.get("content-type"),
        )
        return route.fulfill(status=found.status_code, headers=dict(found.headers), body=found.data)

    def note_said(said: ConsoleMessage) -> None:
        if said.type == "error":
            wrong.append(said.text)

    def note_error(error: Error) -> None:
        wrong.append(str(error))

    page = one_page(browser, scheme, width)
    page.route("**/*", answer)
    page.on("console", note_said)
    page.on("pageerror", note_error)
    try:
        yield page, wrong
    finally:
        page.goto("about:blank")
        page.remove_listener("console", note_said)
        page.remove_listener("pageerror", note_error)
        page.unroute_all()
        page.set_extra_http_headers({})


def dump(session: Session) -> dict[str, list[Any]]:
    """Return all rows of all tables, except rate limits and slots, which count requests and processes."""
    session.rollback()
    names = session.scalars(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")).all()
    rows = {
        name: list(session.scalars(text(f'SELECT row::text FROM "{name}" AS row ORDER BY 1')))
        for name in names
        if name not in ("rate_limits", "slot_processes", "slots")
    }
    session.rollback()  # a browser may take longer than a transaction may be idle
    return rows
