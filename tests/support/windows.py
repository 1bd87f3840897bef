"""Fixtures for tests in real browsers over HTTP: the browser, an application of its own, its site, and windows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page
from sqlalchemy.orm import Session

from service.access.links import MoveLink, move_link
from service.config import Settings
from tests.support import world
from tests.support.browser import running
from tests.support.browsers import COOKIE, session_secret
from tests.support.clock import NOW
from tests.support.running import eventually
from tests.support.served import served
from tests.support.web import opened

_PATIENCE = 120_000.0
_EXPECTED = ("favicon", "403", "404", "409", "422", "429", "502", "503")
"""What messages have of what these tests do on purpose.

These are missing pages, forms of a session that is over, moves that are too late, and a site that is down.
"""


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """Yield a browser: Chromium, or the one that a test asks for, which has no scripts if its name ends so."""
    name, _, rest = getattr(request, "param", "chromium").partition(" ")
    with running(name, scripts=not rest) as browser:
        yield browser


@pytest.fixture(scope="module")
def own_app(settings: Settings) -> Iterator[Flask]:
    """Yield an application for one module, whose thread that places events ends with its tests.

    Other tests compare dumps of the database, in which that thread changes places.
    """
    with opened(settings, lambda: NOW) as app:
        yield app
    eventually(lambda: not any(each.name == "events" for each in threading.enumerate()))


@pytest.fixture
def site(own_app: Flask) -> Iterator[str]:
    """Yield the address of the running site."""
    with served(own_app) as address:
        yield address


@pytest.fixture
def enter(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Yield a function that opens a window of its own, in which nothing may go wrong.

    It takes the width in pixels, the language, whether scripts run, and what else Playwright opens a context with. By
    itself nothing moves, since a click may miss what a smooth scroll moves away below it.
    """
    windows: list[tuple[Page, list[str]]] = []

    def open_window(width: int = 900, language: str = "en", *, scripts: bool = True, **given: Any) -> Page:
        size = {"width": width, "height": 900}
        given.setdefault("reduced_motion", "reduce")
        context = browser.new_context(viewport=size, java_script_enabled=scripts, locale=language, **given)  # type: ignore[arg-type]
        page, wrong = context.new_page(), []
        page.set_default_timeout(_PATIENCE)
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        windows.append((page, wrong))
        return page

    yield open_window
    for page, _ in windows:
        page.context.close()
    assert [each for _, wrong in windows for each in wrong if not any(known in each for known in _EXPECTED)] == []


def sign_in(page: Page, site: str, session: Session, account: str) -> None:
    """Give the window of a page a session of this account."""
    there = site.replace("http:", "https:")  # as its name asks; browsers send it to their own machine by http too
    secret = session_secret(session, account, NOW)
    page.context.add_cookies([{"name": COOKIE, "value": secret, "url": there, "secure": True, "httpOnly": True}])


def to_move(session: Session, settings: Settings, game: str) -> tuple[str, str]:
    """Return the player to move, and the address behind the site's of the link in their turn mail."""
    table = world.loaded(session, game)
    mover = table.account_of(table.state.turn)
    assert mover is not None
    session.rollback()
    link = move_link(settings, MoveLink(mover, game, table.version, table.head))
    return mover, link.removeprefix(settings.base_url)
