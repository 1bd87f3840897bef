"""Scanners and crawlers that have somebody's link or cookie: they open everything 200 times, and nothing changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import urldefrag, urljoin

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from service.access.links import MoveLink, invitation_link, move_link, never_mail_link
from service.commands import invitation_links, talk
from service.config import Settings
from tests.support import world
from tests.support.browser import chromium, dump, needs_chromium, reading
from tests.support.browsers import browser_of, signed_in
from tests.support.clock import NOW
from tests.support.mail.html_reader import links

TIMES = 200
_SAME_FOR_ALL = ("/docs", "/rules", "/openapi", "/v1/", "/programs")
"""What the addresses of pages begin with that know nobody."""


def crawled(browser: FlaskClient, site: str, starts: list[str]) -> Iterator[str]:
    """Open these addresses and all that their pages link to, except earlier moves, and yield those of pages."""
    waiting, asked = [*starts], set[str]()
    while waiting:
        path = waiting.pop()
        if path in asked or not path.startswith("/") or path.startswith(_SAME_FOR_ALL) or "at=" in path:
            continue
        asked.add(path)
        answer = browser.get(path)
        assert answer.status_code in (200, 303), (path, answer.status_code)
        if answer.mimetype == "text/html":
            yield path
            found = (urldefrag(urljoin(f"{site}{path}", link)).url.removeprefix(site) for link in links(answer.text))
            waiting += found


@pytest.fixture
def starts(session: Session, settings: Settings, person: Callable[[str], str]) -> tuple[str, list[str]]:
    """Return somebody who is to move, and the addresses in the mails of this person."""
    ann, ben = person("Ann"), person("Ben")
    game = world.match(session, ann, ben)
    world.move(session, game)
    while world.loaded(session, game).account_of(world.loaded(session, game).state.turn) != ann:
        world.move(session, game)
    table = world.loaded(session, game)
    opened = world.open_table(session, ann, visibility="private")
    made = invitation_links.make(session, ann, opened, uses=3, lifetime=world.later(days=7) - NOW, now=NOW)
    talk.say(session, game, ben, "Well played.", NOW)
    talk.note(session, game, ann, "Take the sevens late.", NOW)
    session.commit()
    mailed = (
        move_link(settings, MoveLink(ann, game, table.version, table.head)),
        never_mail_link(settings, "ann@mail.example.org"),
        invitation_link(settings, made.id),
    )
    session.rollback()
    return ann, [each.removeprefix(settings.base_url) for each in mailed]


_LONG = [pytest.mark.long]


@pytest.mark.drill
@pytest.mark.parametrize("who", [pytest.param("scanner", marks=_LONG), pytest.param("player", marks=_LONG), "guest"])
def test_whatever_is_opened_often_changes_nothing(
    app: Flask,
    session: Session,
    settings: Settings,
    starts: tuple[str, list[str]],
    amount: Callable[..., int],
    who: str,
) -> None:
    ann, mailed = starts
    if who == "player":
        browser, begin = signed_in(app, session, ann, NOW), ["/tables", "/account", "/settings", "/settings/account"]
    else:
        browser, begin = browser_of(app), mailed
    if who == "guest":
        begin = [browser.post("/tables/new-solo").headers["Location"].partition("#")[0], "/tables"]
    before = dump(session)
    pages = list(crawled(browser, settings.base_url, ["/", *begin]))
    assert len(pages) > 12 and any("tile=" in each for each in pages)
    for _ in range(1, amount(TIMES, 1)):
        for path in pages:
            assert browser.get(path).status_code == 200
    assert dump(session) == before


@needs_chromium
@pytest.mark.drill
@pytest.mark.long
@pytest.mark.xdist_group("browser")
def test_a_scanner_that_runs_scripts_changes_nothing(
    app: Flask, session: Session, settings: Settings, starts: tuple[str, list[str]], amount: Callable[..., int]
) -> None:
    browser, site = browser_of(app), settings.base_url
    pages = list(crawled(browser, site, starts[1]))
    before = dump(session)
    with chromium() as running, reading(running, browser, site, scheme="light", width=360) as (page, wrong):
        for number in range(amount(TIMES)):
            page.goto(site + pages[number % len(pages)])
            assert page.evaluate("document.readyState") == "complete"
    assert wrong == []
    assert dump(session) == before
