"""The cache of tables' pages: what is shared is the same for all who share it, and nothing in it is one viewer's."""

import gzip
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import event
from sqlalchemy.orm import Session

from engine.clock.terms import Terms
from engine.moves import Place
from service.access.links import MoveLink, move_link, table_link
from service.api.context import context_of
from service.commands import accounts, blocks, tables
from service.config import Settings
from service.language.languages import language
from service.pages.compressed_page import CompressedPage
from service.pages.slots import SlottedPage, slot
from service.store.autocommit_pool import AutocommitPool
from service.store.base import db
from tests.support import world
from tests.support.browsers import hidden, send, signed_in, without_nonces
from tests.support.clock import NOW, Clock
from tests.support.mail.html_reader import heard
from tests.support.web import opened

Enter = Callable[[str], FlaskClient]


@pytest.fixture(autouse=True)
def pages(app: Flask) -> Mapping[Any, SlottedPage]:
    """Return the cached pages, of which there are none at first."""
    context = context_of(app)
    for cache in (context.pages, context.packed_pages):
        cache._cached.clear()
    return context.pages._cached


@pytest.fixture
def game(session: Session, ann: str, ben: str) -> str:
    """Return a running public match with some moves."""
    game = world.match(session, ann, ben)
    for _ in range(8):
        world.move(session, game)
    session.commit()
    return game


def secret(settings: Settings, url: str) -> str:
    """Return the signed link in the URL of a table's page."""
    return url.removeprefix(settings.base_url).partition("link=")[2]


def test_a_page_is_rendered_once_and_is_the_same_again(app: Flask, client: FlaskClient, pages: Any, game: str) -> None:
    first = client.get(f"/games/{game}")
    assert len(pages) == 1 and b"\0" not in first.data
    (page,) = (kept.page for kept in context_of(app).packed_pages._cached.values())
    page.parts = [part.replace(b"Selection track", b"The cached track") for part in page.parts]
    again = client.get(f"/games/{game}")
    assert again.data == first.data.replace(b"Selection track", b"The cached track")
    assert again.headers["Cache-Control"] == first.headers["Cache-Control"] == "private, no-store"


def test_a_cached_page_has_nothing_that_is_one_viewers(
    session: Session, settings: Settings, enter: Enter, client: FlaskClient, pages: Any, ann: str, ben: str, game: str,
    person: Callable[[str], str],
) -> None:  # fmt: skip
    table = world.loaded(session, game)
    mover = table.account_of(table.state.turn)
    assert mover is not None
    to_move = move_link(settings, MoveLink(mover, game, table.version, table.head))
    links = [to_move, *(table_link(settings, each, game) for each in (ann, ben))]
    eve = person("Evangeline")
    browsers = {each: enter(each) for each in (ann, ben, eve)}
    page = f"/games/{game}"
    send(browsers[ann], page, f"{page}/messages", text="The message of all")
    send(browsers[ann], page, f"{page}/notes", text="The note of one")
    told = [hidden(browser.get(page).text, "form") for browser in (browsers[ann], browsers[ben])]
    assert "The note of one" in browsers[ann].get(page).text and "The note of one" not in browsers[ben].get(page).text
    assert "Evangeline" in browsers[eve].get(page).text
    for link in links:
        path = link.removeprefix(settings.base_url)
        shown = client.get(path).text
        assert secret(settings, link) in shown and "The message of all" in shown and "The note of one" not in shown
        told.append(secret(settings, link))
    place = table.state.legal_moves()[0]
    assert isinstance(place, Place)
    choice = browsers[mover].get(f"{page}?tile={place.tile}&x={place.x}&y={place.y}").text
    told += [hidden(choice, "confirm"), "The message of all", "The note of one", "Evangeline"]
    world.play_out(session, game)
    session.commit()
    over = browsers[ann].get(page).text
    assert "/record?link=" in over
    assert len(pages) >= 6
    everything = b"\n".join(part for page in pages.values() for part in page.parts).decode()
    assert not [each for each in told if each in everything]
    assert "link=" not in everything and "?at=1" in everything


def test_two_players_are_each_shown_their_own_seat(
    enter: Enter, client: FlaskClient, ann: str, ben: str, game: str
) -> None:
    page, browsers = f"/games/{game}", (enter(ann), enter(ben))
    for _ in range(2):
        mine, theirs = (browser.get(page).text for browser in browsers)
        assert "Ann (you)" in heard(mine) and "Ben (you)" not in heard(mine)
        assert "Ben (you)" in heard(theirs) and "Ann (you)" not in heard(theirs)
        assert ('id="move"' in mine) != ('id="move"' in theirs)
        assert "(you)" not in client.get(page).text


def test_a_link_is_kept_in_the_addresses_of_who_has_it_alone(
    client: FlaskClient, settings: Settings, ann: str, game: str
) -> None:
    link = table_link(settings, ann, game)
    for _ in range(2):
        assert f"?at=3&amp;link={secret(settings, link)}#board" in client.get(link.removeprefix(settings.base_url)).text
        assert f'"/games/{game}?at=3#board"' in client.get(f"/games/{game}").text


def test_a_cached_page_follows_moves_names_and_languages(
    session: Session, client: FlaskClient, ann: str, game: str
) -> None:
    page = f"/games/{game}"
    assert "Move 8" in heard(client.get(page).text)
    world.move(session, game)
    session.commit()
    assert "Move 9" in heard(client.get(page).text)
    accounts.change(session, ann, {"name": "Anneliese"}, NOW)
    session.commit()
    assert "Anneliese" in client.get(page).text
    assert "Le tour de Ben" not in client.get(page).text
    assert '<html lang="fr">' in client.get(page, headers={"Accept-Language": "fr"}).text
    assert '<html lang="en">' in client.get(page).text


def forget_pieces() -> None:
    """Empty the caches for pieces of pages, drawings and sentences."""
    for name, module in list(sys.modules.items()):
        if name.startswith(
            ("service.pictures.", "service.language.", "service.mail.rendering", "service.pages.moving")
        ):
            for each in vars(module).values():
                if hasattr(each, "cache_clear") and each is not language:
                    each.cache_clear()


def test_a_page_after_a_move_is_as_if_nothing_was_cached(
    session: Session, enter: Enter, client: FlaskClient, pages: Any, ann: str, ben: str, game: str
) -> None:
    page, browsers = f"/games/{game}", (client, enter(ann), enter(ben))
    goal = re.compile(r'data-asks="([0-9.]+)"')
    for _ in range(4):
        asked = goal.findall(client.get(page).text)[0]
        paths = page, f"{page}?why={asked}", f"{page}?at=5"
        told = [without_nonces(browser.get(path).text) for browser in browsers for path in paths]
        pages.clear()
        forget_pieces()
        assert [without_nonces(browser.get(path).text) for browser in browsers for path in paths] == told
        assert len(set(told)) == 9 and told[1].count('aria-current="true"') == told[0].count('aria-current="true"') + 1
        world.move(session, game)
        session.commit()


def test_a_blocked_players_messages_are_missing_from_a_shared_page(
    session: Session, enter: Enter, client: FlaskClient, ann: str, ben: str, game: str
) -> None:
    page, theirs = f"/games/{game}", enter(ben)
    send(enter(ann), page, f"{page}/messages", text="Hello there")
    assert "Hello there" in theirs.get(page).text and "Hello there" in client.get(page).text
    blocks.block(session, ben, ann, NOW)
    session.commit()
    assert "Hello there" not in theirs.get(page).text and "Hello there" in client.get(page).text


def test_the_clock_of_a_cached_page_does_not_go_stale(session: Session, settings: Settings, ann: str, ben: str) -> None:
    terms = tables.TableSettings(2, 20, "public", terms=Terms.chosen("days-3"))
    made = tables.create(session, ann, terms, now=NOW)
    world.join(session, ben, made.id)
    session.commit()
    mover = world.loaded(session, made.id).account_of(world.loaded(session, made.id).state.turn)
    assert mover is not None
    clock = Clock()
    with opened(settings, clock) as app:
        browser = signed_in(app, session, mover, NOW)
        early = heard(browser.get(f"/games/{made.id}").text)
        clock.advance(hours=30)
        late = heard(browser.get(f"/games/{made.id}").text)
        assert len(context_of(app).pages._cached) == 1
    told = re.findall(r"You have time until [^.]+\.", early)
    assert len(told) == 1 and told == re.findall(r"You have time until [^.]+\.", late)


def test_a_page_again_takes_two_statements(
    app: Flask, enter: Enter, monkeypatch: pytest.MonkeyPatch, ann: str, game: str
) -> None:
    browser = enter(ann)
    with counted(app, monkeypatch) as taken:
        browser.get(f"/games/{game}")
        first = len(taken)
        browser.get(f"/games/{game}")
    assert (first, len(taken)) == (2, 4), taken


@contextmanager
def counted(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Collect the statements that the application runs during the block."""
    taken: list[str] = []
    rows = AutocommitPool.rows

    def counting(pool: AutocommitPool, statement: str, arguments: Any) -> Any:
        taken.append(statement)
        return rows(pool, statement, arguments)

    def note(connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        taken.append(statement)

    monkeypatch.setattr(AutocommitPool, "rows", counting)
    with app.app_context():
        engine = db.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        yield taken
    finally:
        event.remove(engine, "before_cursor_execute", note)


def test_a_slot_is_filled_wherever_it_is_and_asked_for_once() -> None:
    asked: list[str] = []

    def content() -> str:
        asked.append("one")
        return "é"

    page = SlottedPage.split(f"<a>{slot('one')}</a>{slot('two')}{slot('one')}")
    assert page.filled({"one": content, "two": str, "three": pytest.fail}).decode() == "<a>é</a>é"
    assert asked == ["one"] and SlottedPage.split("none").filled({}) == b"none"


def test_a_page_is_the_same_compressed_and_not(
    app: Flask, enter: Enter, client: FlaskClient, settings: Settings, ann: str, game: str
) -> None:
    page, browser = f"/games/{game}", enter(ann)
    send(browser, page, f"{page}/messages", text="The message of all " * 20)
    send(browser, page, f"{page}/notes", text="Note")
    linked = table_link(settings, ann, game).removeprefix(settings.base_url)
    for asking, path in ((browser, page), (client, page), (client, linked), (browser, f"{page}?at=3")):
        plain = asking.get(path)
        kept = len(context_of(app).packed_pages._cached)
        for _ in range(2):
            packed = asking.get(path, headers={"Accept-Encoding": "gzip"})
            assert without_nonces(gzip.decompress(packed.data).decode()) == without_nonces(plain.text)
            assert packed.headers["Content-Encoding"] == "gzip" and "Accept-Encoding" in packed.headers["Vary"]
            assert int(packed.headers["Content-Length"]) == len(packed.data) < len(plain.data) / 3
        assert len(context_of(app).packed_pages._cached) == kept


def test_no_length_tells_what_a_slot_has_in_common_with_its_page() -> None:
    page = CompressedPage(SlottedPage.split(f"<p>{'a secret text ' * 30}</p>{slot('one')}{slot('two')}"))
    packed = [page.gzipped({"one": one.lower, "two": str}) for one in ("a secret text", "a" * 13, "x7fk2lq93bzd0")]
    assert len({len(each) - each.index(b"\0", 10) for each in packed}) == 1
    assert gzip.decompress(packed[2]).endswith(b"</p>x7fk2lq93bzd0")
    assert len({len(page.gzipped({"one": str, "two": str})) for _ in range(99)}) > 9


def test_a_compressed_page_has_nothing_of_one_viewer(
    app: Flask, enter: Enter, session: Session, ann: str, game: str
) -> None:
    page, browser = f"/games/{game}", enter(ann)
    send(browser, page, f"{page}/notes", text="The note of one")
    send(browser, page, f"{page}/messages", text="The message of all")
    form = hidden(browser.get(page, headers={"Accept-Encoding": "identity"}).text, "form")
    browser.get(page, headers={"Accept-Encoding": "gzip"})
    kept = context_of(app).packed_pages._cached.values()
    plain = b"".join(part for each in kept for part in each.page.parts).decode()
    assert "Selection track" in plain and not [each for each in ("The note", "The message", form) if each in plain]


def test_a_page_compressed_for_a_link_is_that_links_alone(
    app: Flask, client: FlaskClient, settings: Settings, ann: str, ben: str, game: str
) -> None:
    links = [table_link(settings, each, game) for each in (ann, ben)]
    shown = [
        gzip.decompress(client.get(link.removeprefix(settings.base_url), headers={"Accept-Encoding": "gzip"}).data)
        for link in (*links, *links, links[0].partition("?")[0])
    ]
    theirs = [[secret(settings, link).encode() in page for link in links] for page in shown]
    assert theirs == [[True, False], [False, True], [True, False], [False, True], [False, False]]
    assert len(context_of(app).packed_pages._cached) == 3
