"""Real browsers that read the site's pages; for most tests the application answers directly, without a network."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Route, expect, sync_playwright
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.language.languages import CODES

_WITHOUT_WINDOWS, _WHOLE = Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium")

CHROMIUM = _WITHOUT_WINDOWS if _WITHOUT_WINDOWS.exists() else _WHOLE
"""Chromium, if possible without what draws windows on a screen, as Playwright prefers it: tests take a third less."""

FIREFOX = Path("/usr/bin/firefox-esr")

_PATIENCE = 300_000.0
"""The longest wait for a page, in milliseconds; an idle machine shows it at once."""

expect.set_options(timeout=_PATIENCE)

needs_chromium = pytest.mark.skipif(
    not CHROMIUM.exists(), reason=f"There is no browser at {CHROMIUM}; on Debian: apt install chromium-headless-shell"
)

needs_firefox = pytest.mark.skipif(
    not FIREFOX.exists(), reason=f"There is no browser at {FIREFOX}; on Debian: apt install firefox-esr"
)

FIREFOX_TOO = ("chromium", pytest.param("firefox", marks=[needs_firefox, pytest.mark.slow]))
"""The browsers of tests that a build runs in Firefox too."""

IN_DRILLS = [pytest.mark.drill, pytest.mark.long]
"""The marks of what only `make drill` runs, since each takes many seconds."""

IN_FIREFOX = [needs_firefox, *IN_DRILLS]

FIREFOX_IN_DRILLS = ("chromium", pytest.param("firefox", marks=IN_FIREFOX))
"""The browsers of tests that only `make drill` runs in Firefox too."""

DARK_IN_DRILLS = ("light", pytest.param("dark", marks=IN_DRILLS))
"""The color schemes of tests that only `make drill` runs in the dark one too."""

OTHERS_IN_DRILLS = ("de", *(pytest.param(code, marks=IN_DRILLS) for code in CODES if code != "de"))
"""The languages of tests that only `make drill` runs in all; the words of the first are the longest."""


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


def until(page: Page, condition: str, arg: object = None) -> None:
    """Wait until a function of JavaScript, which may take an argument, returns something true in a page.

    An expression would do only if it is true at once: looking again evaluates it as a string, which the pages' Content
    Security Policy forbids. A promise would count as true.
    """
    is_function = re.match(r"(\w+|\(\w*\)) => ", condition) and "then(" not in condition
    assert is_function, f"not a function: {condition}"
    page.wait_for_function(condition, arg=arg)


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


def dump(session: Session) -> list[tuple[str, str]]:
    """Return all rows of all tables, except rate limits and slots, which count requests and processes."""
    session.rollback()
    names = session.scalars(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).all()
    kept = (name for name in names if name not in ("rate_limits", "slot_processes", "slots"))
    of_all = " UNION ALL ".join(f"SELECT '{name}' AS name, row::text AS row FROM \"{name}\" AS row" for name in kept)
    rows = [(name, row) for name, row in session.connection().exec_driver_sql(of_all + " ORDER BY name, row")]
    session.rollback()  # a browser may take longer than a transaction may be idle
    return rows
