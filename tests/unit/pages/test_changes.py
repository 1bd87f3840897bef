"""What a table's page fetches by its script: the script itself, the choices alone, and the stream of what happens."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text, update
from sqlalchemy.orm import Session

from service.access.links import MoveLink, move_link, table_link
from service.config import Settings
from service.pages.changes import state_of
from service.store.accounts import Token
from service.store.events import announce_after_commit
from tests.support import world
from tests.support.browsers import browser_of, signed_in
from tests.support.clock import NOW
from tests.support.running import eventually
from tests.support.web import opened

_STREAM = {"Accept": "text/event-stream"}


@pytest.fixture(scope="module")
def app(settings: Settings) -> Iterator[Flask]:
    """Return an application of its own, whose thread that places events ends with these tests."""
    with opened(settings, lambda: NOW) as app:
        yield app
    eventually(lambda: not any(each.name == "events" for each in threading.enumerate()))


@pytest.fixture
def people(person: Callable[[str], str]) -> tuple[str, str]:
    return person("Ann"), person("Ben")


@pytest.fixture
def game(session: Session, people: tuple[str, str]) -> str:
    """Return a private game with four moves."""
    game = world.match(session, *people)
    for _ in range(4):
        world.move(session, game)
    session.execute(text("UPDATE tables SET visibility = 'private' WHERE id = :id"), {"id": game})
    session.commit()
    return game


@contextmanager
def stream(browser: FlaskClient, path: str) -> Iterator[Iterator[str]]:
    """Yield the parts of a stream as they come."""
    with browser.get(path, headers=_STREAM, environ_overrides={"wsgi.multithread": True}) as answer:
        assert answer.status_code == 200 and answer.mimetype == "text/event-stream"
        yield (part.decode() for part in answer.iter_encoded())


def test_stream_brings_a_move_of_the_other_player(
    app: Flask, session: Session, people: tuple[str, str], game: str
) -> None:
    with stream(signed_in(app, session, people[0], NOW), f"/games/{game}/changes") as parts:
        assert "data" not in next(parts)
        world.move(session, game)
        announce_after_commit(session)
        session.commit()
        told = json.loads(next(parts).rpartition("data: ")[2])
    assert (told["kind"], told["game"], told["version"]) == ("move", game, 5)
    assert told["etag"].strip('"') == state_of(world.loaded(session, game))


def test_stream_of_a_page_that_is_old_begins_with_a_reset(
    app: Flask, session: Session, settings: Settings, people: tuple[str, str], game: str
) -> None:
    seen, browser = state_of(world.loaded(session, game)), browser_of(app)
    query = table_link(settings, people[1], game).partition("?")[2]
    with stream(browser, f"/games/{game}/changes?seen={seen}&{query}") as parts:
        assert "reset" not in next(parts)
    world.move(session, game)
    session.commit()
    with stream(browser, f"/games/{game}/changes?seen={seen}&{query}") as parts:
        assert "event: reset" in next(parts)


@pytest.mark.parametrize("caller", ["nobody", "outsider", "expired"])
def test_stream_of_a_private_table_is_for_its_players(
    app: Flask, session: Session, person: Callable[[str], str], people: tuple[str, str], game: str, caller: str
) -> None:
    account = {"outsider": person("Eve"), "expired": people[0]}.get(caller)
    browser = browser_of(app) if account is None else signed_in(app, session, account, NOW)
    if caller == "expired":
        session.execute(update(Token).values(expires_at=NOW - timedelta(days=1)))
        session.commit()
    answer = browser.get(f"/games/{game}/changes", headers=_STREAM, environ_overrides={"wsgi.multithread": True})
    assert answer.status_code == 404


def test_streams_of_one_account_are_limited(
    app: Flask, session: Session, settings: Settings, people: tuple[str, str], game: str
) -> None:
    browser = signed_in(app, session, people[0], NOW)
    opened = []
    try:
        for _ in range(settings.limit_streams_per_account):
            opened.append(stream(browser, f"/games/{game}/changes"))
            next(opened[-1].__enter__())
        refused = browser.get(f"/games/{game}/changes", headers=_STREAM, environ_overrides={"wsgi.multithread": True})
        assert refused.status_code == 429
    finally:
        for each in opened:
            each.__exit__(None, None, None)


def test_choices_alone_are_those_of_the_page(app: Flask, session: Session, settings: Settings, game: str) -> None:
    table, browser = world.loaded(session, game), browser_of(app)
    mover = table.account_of(table.state.turn)
    assert mover is not None
    link = move_link(settings, MoveLink(mover, game, table.version, table.head)).removeprefix(settings.base_url)
    tile, (x, y) = table.state.wheel.choices()[0], table.state.displays[table.state.turn or 0].open_cells()[0]
    for choice in ("", f"&tile={tile}", f"&tile={tile}&x={x}&y={y}", "&tile=99"):
        whole, alone = browser.get(link + choice), browser.get(link.replace("?", "/choices?") + choice)
        assert alone.status_code == whole.status_code
        assert alone.text.strip() and alone.text.strip() in whole.text
    world.move(session, game)
    session.commit()
    assert browser.get(link.replace("?", "/choices?")).status_code == 404


def test_script_is_small_and_kept_by_its_version(client: FlaskClient, session: Session, game: str) -> None:
    public = client.get(f"/games/{game}")
    assert public.status_code == 404
    session.execute(text("UPDATE tables SET visibility = 'public' WHERE id = :id"), {"id": game})
    session.commit()
    page = client.get(f"/games/{game}")
    address = page.text.partition('<script type="module" src="')[2].partition('"')[0]
    script = client.get(address)
    assert script.mimetype == "text/javascript" and len(script.data) <= 25_000
    assert "immutable" in script.headers["Cache-Control"]
    assert client.get(address, headers={"If-None-Match": script.headers["ETag"]}).status_code == 304
    assert client.get("/scripts/table.mjs?v=other").headers["Cache-Control"] == "no-cache"
    policy = page.headers["Content-Security-Policy"]
    assert "script-src 'self'; connect-src 'self'" in policy and "unsafe" not in policy
    assert page.text.count("<script") == 1
