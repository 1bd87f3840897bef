"""The history on a table's page: first, back, on and last each show the table as it was."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import cast

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from engine import text
from engine.moves import Mark
from engine.tiles import TILES
from service.access.links import table_link
from service.commands import host
from service.config import Settings
from service.language.people import People
from service.pages.history import Navigation, moment
from service.pictures.scene import Scene
from service.pictures.table import description
from service.queries import replay
from service.queries.table import LoadedTable
from service.store.accounts import Account
from service.store.entries import Entries
from service.store.log import Entry
from service.store.tables import Table
from tests.support import world
from tests.support.browsers import signed_in
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard, links

PEOPLE = People(("Ann", "Ben"))


@pytest.fixture
def ann(person: Callable[[str], str]) -> str:
    return person("Ann")


@pytest.fixture
def ben(person: Callable[[str], str]) -> str:
    return person("Ben")


@pytest.fixture
def table(session: Session, ann: str, ben: str) -> str:
    """Return the id of a running public match with nine moves."""
    table = world.match(session, ann, ben)
    for _ in range(9):
        world.move(session, table)
    session.commit()
    return table


def after(game: LoadedTable, seq: int) -> replay.Replay:
    assert game.header is not None
    return replay.replay(game.header, game.tiles, game.entries[:seq])


def way(page: str, rel: str) -> str | None:
    """Return the target of one of the four links; None if it has none."""
    found = re.search(rf'<a class="step {rel}" id="{rel}" rel="{rel}" href="([^"]+)" accesskey="[1-4]"', page)
    if found:
        return found[1].replace("&amp;", "&")
    assert re.search(rf'<span class="step {rel}" id="{rel}" role="link" aria-disabled="true"', page)
    return None


def test_an_earlier_state_is_shown_as_it_was(client: FlaskClient, session: Session, table: str) -> None:
    game = world.loaded(session, table)
    for seq in range(9):
        answer = client.get(f"/games/{table}?at={seq}")
        page, then = heard(answer.text), after(game, seq)
        assert answer.status_code == 200
        assert " ".join(description(Scene(then.state, PEOPLE, seq, seat=0))) in page
        assert f"It was the turn of {('Ann', 'Ben')[then.state.turn or 0]}." in page and "Since" not in page
        assert ("At the start" if seq == 0 else f"After move {seq}") in page
        past, _, following = answer.text.partition('<details class="following">')
        assert re.findall(r'<li value="(\d+)">', past) == [str(one) for one in range(seq, 0, -1)]
        assert re.findall(r'<li value="(\d+)">', following) == [str(one) for one in range(seq + 1, 10)]
        numbers = re.findall(r'<span class="number">\d</span>.*?<b>(\d+)</b>', answer.text)
        assert numbers == [str(number) for number in then.state.wheel.choices()]
        for display in then.state.displays:
            assert all(TILES[number].letter in page for number, _, _, _ in display.placed())
    assert "It is the turn of" in heard(client.get(f"/games/{table}?at=9").text)


def test_the_ways_lead_through_all_of_it_and_back(
    client: FlaskClient, session: Session, settings: Settings, table: str, ann: str
) -> None:
    session.query(Table).where(Table.id == table).update({"visibility": "private"})
    session.commit()
    start = table_link(settings, ann, table).removeprefix(settings.base_url)
    page = client.get(start).text
    assert way(page, "next") is way(page, "last") is None
    seen = []
    while (back := way(page, "prev")) is not None:
        page = client.get(back).text
        seen.append(re.findall(r'<h2 id="did" tabindex="-1">(.+?)</h2>', page)[0].partition(":")[0])
    assert seen == [*(f"After move {seq}" for seq in range(8, 0, -1)), "At the start"]
    assert way(page, "first") is None
    last = way(page, "last")
    assert last is not None and "at=" not in last and "aria-current" in client.get(last).text
    count = 0
    while (on := way(page, "next")) is not None:
        page = client.get(on).text
        count += 1
    assert count == 9 and way(page, "last") is None
    first = way(page, "first")
    assert first is not None and "At the start" in heard(client.get(first).text)


def test_the_last_move_is_the_table_as_it_is(app: Flask, session: Session, table: str, ann: str, ben: str) -> None:
    """A step forward to it, and an address that names it, lead to where one can move and talk."""
    mover = (ann, ben)[world.loaded(session, table).state.turn or 0]
    session.rollback()
    browser = signed_in(app, session, mover, NOW)
    assert way(browser.get(f"/games/{table}?at=8").text, "next") == f"/games/{table}#next"
    kept = browser.get(f"/games/{table}?at=9").text
    assert 'id="move"' in kept and 'id="say"' in kept and 'data-seen="9' in kept


def test_each_move_of_the_list_leads_to_its_state(client: FlaskClient, table: str) -> None:
    page = client.get(f"/games/{table}").text
    listed = re.findall(r'<li value="(\d+)"><a href="([^"]+)"', page)
    past = [(str(seq), f"/games/{table}?at={seq}#board") for seq in range(8, 0, -1)]
    assert listed == [("9", f"/games/{table}#board"), *past]
    assert 'id="board"' in page


@pytest.mark.parametrize("wrong", ["10", "99999999999999999999", "-1", "1.0", "x", "", "01", "٣", "1%00", "9" * 5000])
def test_a_wrong_move_is_told_and_leads_on(client: FlaskClient, table: str, wrong: str) -> None:
    answer = client.get(f"/games/{table}?at={wrong}")
    assert answer.status_code == 404 and "This game has no such move." in heard(answer.text)
    front, sign_in, onward = links(answer.text)
    assert (front, sign_in) == ("/", "/sign-in")
    assert client.get(onward).status_code == 200


def test_a_wrong_move_tells_nothing_of_a_private_table(client: FlaskClient, session: Session, table: str) -> None:
    session.query(Table).where(Table.id == table).update({"visibility": "private"})
    session.commit()
    missing = client.get("/games/abcdefghijkL").text
    refused = client.get(f"/games/{table}?at=99").text
    assert refused == client.get(f"/games/{table}?at=1").text == missing.replace("abcdefghijkL", table)


def test_an_open_table_has_no_moves(client: FlaskClient, session: Session, ann: str) -> None:
    table = world.open_table(session, ann)
    session.commit()
    assert client.get(f"/games/{table}?at=0").status_code == 404
    assert "History" not in client.get(f"/games/{table}").text


def test_a_link_that_is_not_good_is_not_handed_on(client: FlaskClient, table: str) -> None:
    assert "evil" not in client.get(f"/games/{table}?at=3&link=evil").text


def test_a_finished_game_is_shown_as_it_was_then(
    client: FlaskClient, session: Session, ann: str, person: Callable[[str], str]
) -> None:
    table = world.match(session, ann, person("Ben"), goal_discs=5)
    game = world.play_out(session, table)
    session.commit()
    then = heard(client.get(f"/games/{table}?at=2").text)
    assert "It was the turn of" in then and "The ranking" not in then and game.server_seed.hex() in then
    assert "The ranking" in heard(client.get(f"/games/{table}?at={game.version}").text)


def test_a_reader_has_the_own_display_first_in_language_and_zone(
    client: FlaskClient, session: Session, settings: Settings, table: str, ann: str
) -> None:
    ben = world.loaded(session, table).account_of(1)
    assert ben is not None
    session.query(Account).where(Account.id == ben).update({"language": "de", "zone": "America/Bogota"})
    session.commit()
    page = client.get(
        table_link(settings, ben, table).removeprefix(settings.base_url), headers={"Accept-Language": "fr"}
    )
    assert (
        page.headers["Content-Language"] == "de"
        and "Nova Luna per Post" in heard(page.text)
        and "15:56" in heard(page.text)
    )
    headings = re.findall(r"<h2>(Ann|Ben)", page.text)
    assert headings == ["Ben", "Ann"]


def test_marks_are_no_steps(session: Session, table: str) -> None:
    game = world.loaded(session, table)
    marks = [Entry(seq, NOW, None, "host", text.render(Mark("pause"))) for seq in (10, 11)]
    marked = replace(game, entries=cast(Entries, (*game.entries, *marks)))
    assert moment(marked, PEOPLE, None).ways == Navigation(first=0, back=8, on=None, last=None)
    assert moment(marked, PEOPLE, 11).version == 9
    assert moment(marked, PEOPLE, 8).ways == Navigation(first=0, back=7, on=9, last=9)
    assert moment(marked, PEOPLE, 0).ways == Navigation(first=None, back=None, on=1, last=9)


def test_marks_of_clocks_are_told_without_a_link(client: FlaskClient, session: Session, table: str) -> None:
    game = world.loaded(session, table)
    words = [Mark("clock.keep"), Mark("clock.pause", {"until": "2026-12-01T00:00:00.000Z", "reason": "moving"})]
    entries = [
        Entry(10, NOW, 1, "", text.render(words[0])),
        Entry(11, NOW, None, "host", text.render(words[1])),
    ]
    marked = replace(game, entries=cast(Entries, (*game.entries, *entries)))
    shown = moment(marked, PEOPLE, None)
    assert shown.told[-2].sentence == "Ben asked for the game to be kept."
    assert shown.told[-1].sentence.startswith("The host paused the game, until 1 December 2026")
    assert [one.is_move for one in shown.told[-3:]] == [True, False, False]
    assert shown.version == 9 and shown.ways == Navigation(first=0, back=8, on=None, last=None)
    assert moment(marked, PEOPLE, 9).told == shown.told
    assert [one.seq for one in moment(marked, PEOPLE, 8).told] == list(range(1, 9))


def test_a_page_tells_of_a_pause_but_has_no_link_to_it(client: FlaskClient, session: Session, table: str) -> None:
    host.pause(session, table, world.later(days=1), "moving house", NOW)
    session.commit()
    page = client.get(f"/games/{table}").text
    told = re.findall(r'<li value="10">(.*?)</li>', page)
    assert len(told) == 1 and "The host paused the game, until " in told[0] and "“moving house”" in told[0]
    assert "<a " not in told[0]
    assert re.findall(r'<a href="[^"]+" aria-current="true">(.*?)</a>', page) == ["Move 9"]
    assert way(page, "next") is None and way(page, "prev") == f"/games/{table}?at=8#prev"
    assert "moving house" not in client.get(f"/games/{table}?at=8").text
    assert "moving house" in client.get(f"/games/{table}?at=10").text


def test_the_move_is_told_in_the_heading_and_its_changes_below(
    client: FlaskClient, session: Session, table: str
) -> None:
    game = world.loaded(session, table)
    for seq in range(1, 10):
        page = client.get(f"/games/{table}?at={seq}").text
        entry, step = game.steps()[seq - 1]
        (heading,) = re.findall(r'<h2 id="did" tabindex="-1">(.+?)</h2>', page)
        assert heading.startswith(f"After move {seq}: {('Ann', 'Ben')[entry.seat or 0]} placed tile {step.tile} ")
        assert f"<title>After move {seq} · A table with" in page or seq == 9
        shown = heard(page)
        assert f"The tile lay on space {step.space} of the selection track" in shown
        then = after(game, seq).state.turn
        name = ("Ann", "Ben")[then or 0]
        assert (f"{name} moves again." if then == entry.seat else f"{name} is next.") in shown
    assert "The tile lay" not in heard(client.get(f"/games/{table}?at=0").text)


def test_the_links_describe_the_move_and_keep_their_place(client: FlaskClient, table: str) -> None:
    page = client.get(f"/games/{table}?at=4").text
    for key, (rel, target) in enumerate(
        [("first", "?at=0#first"), ("prev", "?at=3#prev"), ("next", "?at=5#next"), ("last", "#last")], start=1
    ):
        assert way(page, rel) == f"/games/{table}{target}"
        assert re.search(rf'id="{rel}"[^>]* accesskey="{key}" aria-describedby="did"', page)
    assert page.count('id="did"') == 1 and "Access keys: 1 First, 2 Back, 3 Next and 4 Last." in heard(page)
    at_end = client.get(f"/games/{table}").text
    for rel in ("next", "last"):
        assert re.search(rf'<span [^>]*id="{rel}"[^>]*tabindex="-1"', at_end), "the focus stays where it was"


def test_the_heading_has_the_colon_of_the_language(
    client: FlaskClient, session: Session, settings: Settings, table: str, ann: str
) -> None:
    session.query(Account).where(Account.id == ann).update({"language": "fr"})
    session.commit()
    page = client.get(table_link(settings, ann, table).removeprefix(settings.base_url)).text
    assert re.findall(r'<h2 id="did" tabindex="-1">Après le coup 9\N{NO-BREAK SPACE}: \w', page)


def test_the_end_by_a_host_is_told_once_above_the_table(client: FlaskClient, session: Session, table: str) -> None:
    host.end(session, table, "nobody answers", NOW)
    session.commit()
    page = client.get(f"/games/{table}").text
    ended = "The game was ended before anybody had won."
    assert page[page.index('id="board"') : page.index('<div class="drawn">')].count(ended) == 1
    assert f'tabindex="-1">After move 11: {ended}</h2>' in page
