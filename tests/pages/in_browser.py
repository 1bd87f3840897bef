"""A real browser that reads the site's pages: the application answers it directly, and nothing else does."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser, Page, Route, sync_playwright
from sqlalchemy import text
from sqlalchemy.orm import Session

CHROMIUM = Path("/usr/bin/chromium")

needs_chromium = pytest.mark.skipif(
    not CHROMIUM.exists(), reason=f"There is no browser at {CHROMIUM}; on Debian: apt install chromium"
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        yield browser
        browser.close()


@contextmanager
def reading(
    browser: Browser, client: FlaskClient, site: str, *, scheme: str, width: int
) -> Iterator[tuple[Page, list[str]]]:
    """A page of a browser with scripts running, and what went wrong on it: what its policy forbade, what it asked of
    others than `site`, errors."""
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
        )
        return route.fulfill(status=found.status_code, headers=dict(found.headers), body=found.data)

    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 800})
    try:
        context.route("**/*", answer)
        page = context.new_page()
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        yield page, wrong
    finally:
        context.close()


def dump(session: Session) -> dict[str, list[Any]]:
    """All rows of all tables but the limits, which count requests."""
    session.rollback()
    names = session.scalars(text("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")).all()
    return {
        name: list(session.scalars(text(f'SELECT row::text FROM "{name}" AS row ORDER BY 1')))
        for name in names
        if name != "rate_limits"
    }
