"""The pages of explorations: begun from a finished game, played without scripts, and marked as what they are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from engine import exploration, notation
from engine.moves import RESIGN
from service.commands import explorations, suspensions
from service.commands.play import play
from service.language.languages import CODES
from service.pages import own_data
from service.queries import explorations as reading
from service.queries import exports
from tests.support import world
from tests.support.browsers import browser_of, hidden, send
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard

Enter = Callable[[str], FlaskClient]


@pytest.fixture
def game(session: Session, ann: str, ben: str) -> str:
    """Return a game that Ben has resigned after four moves."""
    made = world.match(session, ann, ben, goal_discs=5)
    for _ in range(4):
        world.move(session, made)
    table = world.loaded(session, made)
    play(session, table, table.seat_of(ben) or 0, RESIGN, None, NOW)
    session.commit()
    return made


def begin(browser: FlaskClient, game: str, seq: int, opponent: str = "") -> str:
    """Begin an exploration, and return the path of its page."""
    answer = send(browser, "/account", f"/games/{game}/explorations", seq=str(seq), opponent=opponent)
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"].partition("#")[0]


def explored_in(written: bytes) -> int:
    """Return the number of moves in the variations of a text."""
    notes = [note for entry in notation.read(written).entries for note in entry.notes]
    return sum(len(note.entries) for note in notes if isinstance(note, notation.Variation))


def first_choice(page: str) -> str:
    """Return the address of the first cell that the page offers."""
    found = re.search(r'class="tap[^"]*" href="([^"#]*)', page)
    assert found is not None
    return unescape(found[1])


def move(browser: FlaskClient, path: str) -> TestResponse:
    """Make the first move that the page offers."""
    shown = browser.get(first_choice(browser.get(path).text)).text
    return browser.post(f"{path}/moves", data={"confirm": hidden(shown, "confirm")})


def test_a_finished_games_page_offers_to_explore(enter: Enter, session: Session, game: str, ann: str) -> None:
    browser = enter(ann)
    for query, seq, heading in (("", 4, "from before the last move"), ("?at=2", 2, "Explore from here")):
        page = browser.get(f"/games/{game}{query}").text
        assert heading in heard(page) and hidden(page, "seq") == str(seq)
        form = {"form": hidden(page, "form"), "seq": hidden(page, "seq"), "opponent": "greedy"}
        answer = browser.post(f"/games/{game}/explorations", data=form)
        assert answer.status_code == 303 and answer.headers["Location"].startswith("/explorations/")
    own = text("SELECT seq FROM explorations WHERE account = :account ORDER BY seq")
    assert session.scalars(own, {"account": ann}).all() == [2, 4]


def test_a_reader_who_cannot_explore_is_offered_nothing(
    app: Flask, enter: Enter, session: Session, game: str, ann: str, ben: str
) -> None:
    assert "/explorations" not in browser_of(app).get(f"/games/{game}").text.partition("<main>")[2]
    running = world.match(session, ann, ben)
    session.commit()
    assert f"/games/{running}/explorations" not in enter(ann).get(f"/games/{running}").text
    refused = send(enter(ann), "/account", f"/games/{running}/explorations", seq="0")
    assert refused.status_code == 409 and "once it is over" in heard(refused.text)


def test_a_page_plays_every_seat_and_says_what_it_is(enter: Enter, game: str, ann: str) -> None:
    browser = enter(ann)
    path = begin(browser, game, 2)
    told = heard(browser.get(path).text)
    assert "This is an exploration, no game." in told and "An exploration of a game of Ann and Ben" in told
    assert "The moves up to 2 are those of the game" in told and f"/games/{game}?at=2" in browser.get(path).text
    assert "Take the last move back" not in told
    for number in (3, 4, 5):
        answer = move(browser, path)
        assert (answer.status_code, answer.headers["Location"]) == (303, f"{path}#board")
        assert f"After move {number}" in heard(browser.get(path).text)
    record = browser.get(f"{path}/record")
    exploration.check(record.data)
    assert json.loads(record.data)["origin"]["game"] == game and len(json.loads(record.data)["log"]) == 5


def test_its_files_are_given_as_they_were_after_a_move(enter: Enter, game: str, ann: str) -> None:
    browser = enter(ann)
    path = begin(browser, game, 2)
    for _ in range(3):
        move(browser, path)
    past = browser.get(f"{path}/record?at=4")
    exploration.check(past.data)
    assert len(json.loads(past.data)["log"]) == 4
    (whole, part) = (browser.get(f"{path}/text{query}").data for query in ("", "?at=4"))
    assert [explored_in(data) for data in (whole, part)] == [3, 2]
    for file in ("record", "text"):
        assert browser.get(f"{path}/{file}?at=6").status_code == 404
    earlier = browser.get(f"{path}/record?at=1")
    assert earlier.status_code == 404 and "begins at version 2 of its game" in earlier.text


def test_its_page_has_its_picture_and_story_marked(enter: Enter, session: Session, game: str, ann: str) -> None:
    browser = enter(ann)
    path = begin(browser, game, 4)
    assert ">An exploration from move 4 on, not the game itself<" in browser.get(path).text
    assert 'id="story-title"' not in browser.get(path).text
    id = path.rpartition("/")[2]
    while (table := reading.load_explored(session, reading.own(session, id, ann))).state.turn is not None:  # type: ignore[arg-type]
        explorations.move(session, ann, id, table.state.legal_moves()[0], None, NOW)
    session.commit()
    shown = browser.get(path).text
    assert 'id="story-title">An exploration from move 4 on, not the game itself – ' in shown


def test_a_form_that_is_sent_twice_moves_once(enter: Enter, game: str, ann: str, ben: str) -> None:
    browser = enter(ann)
    path = begin(browser, game, 2)
    shown = browser.get(first_choice(browser.get(path).text)).text
    sent = [browser.post(f"{path}/moves", data={"confirm": hidden(shown, "confirm")}) for _ in range(2)]
    assert [answer.status_code for answer in sent] == [303, 303]
    assert len(json.loads(browser.get(f"{path}/record").data)["log"]) == 3
    other = enter(ben).post(f"{path}/moves", data={"confirm": hidden(shown, "confirm")})
    assert other.status_code == 404
    assert browser.post(f"{path}/moves", data={"confirm": "x"}).status_code == 404


def test_a_bot_answers_and_moves_are_taken_back(enter: Enter, game: str, ann: str) -> None:
    browser = enter(ann)
    path = begin(browser, game, 0, "greedy")

    def log() -> list[dict[str, object]]:
        found: list[dict[str, object]] = json.loads(browser.get(f"{path}/record").data)["log"]
        return found

    before = log()
    assert "It is your turn." in heard(browser.get(path).text) and "Greedy bot" in heard(browser.get(path).text)
    move(browser, path)
    assert len(log()) > len(before)
    answer = send(browser, path, path, do="back")
    assert answer.status_code == 303 and log() == before


def test_an_exploration_is_listed_and_deleted(enter: Enter, game: str, ann: str, ben: str) -> None:
    browser = enter(ann)
    path = begin(browser, game, 1)
    listed = browser.get("/explorations").text
    assert path in listed and "An exploration of a game of Ann and Ben" in heard(listed)
    assert enter(ben).get(path).status_code == 404 and path not in enter(ben).get("/explorations").text
    lines = browser.get("/settings/account/explorations.ndjson").data
    exploration.check(lines)
    answer = send(browser, path, path, do="delete")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/explorations")
    assert browser.get(path).status_code == 404 and path not in browser.get("/explorations").text


def test_a_download_is_sent_in_parts_and_ends_with_the_access(
    enter: Enter, session: Session, game: str, ann: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_data, "_AT_ONCE", 2)
    browser = enter(ann)
    made = [begin(browser, game, 1) for _ in range(5)]

    def parts(further: Callable[[], object] = lambda: None) -> list[int]:
        """Return the numbers of lines of the parts; after the first one, something happens."""
        with browser.get("/settings/account/explorations.ndjson", buffered=False) as answer:
            sizes = []
            for part in answer.iter_encoded():
                sizes.append(part.count(b"\n"))
                further()
            return sizes

    assert parts() == [2, 2, 1] and len(made) == 5

    def suspend() -> None:
        suspensions.suspend(session, ann, NOW)
        session.commit()

    assert parts(suspend)[-1] == 2 and browser.get("/settings/account/explorations.ndjson").status_code == 403


def test_the_records_of_games_end_with_the_access(
    enter: Enter, session: Session, game: str, ann: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = enter(ann)
    assert browser.get("/settings/account/games.ndjson").data.count(b"\n") == 2
    first = exports.window

    def suspended_meanwhile(*given: Any) -> exports.Window:
        suspensions.suspend(session, ann, NOW)
        session.commit()
        return first(*given)

    monkeypatch.setattr(exports, "window", suspended_meanwhile)
    with browser.get("/settings/account/games.ndjson", buffered=False) as answer:
        assert b"".join(answer.iter_encoded()) == b""


def test_a_list_goes_on_after_a_page(enter: Enter, session: Session, game: str, ann: str) -> None:
    browser = enter(ann)
    made = {begin(browser, game, 1) for _ in range(21)}
    page = browser.get("/explorations").text
    found = re.search(r'rel="next" href="([^"]+)"', page)
    assert found is not None
    rest = browser.get(unescape(found[1])).text
    assert {path for path in made if path in page or path in rest} == made
    assert sum(path in page for path in made) == 20 and sum(path in rest for path in made) == 1


def test_what_no_form_of_ours_says_is_refused(enter: Enter, game: str, ann: str) -> None:
    browser = enter(ann)
    for fields in ({}, {"seq": "x"}, {"seq": "99"}, {"seq": "٣"}, {"seq": "1", "opponent": "clever"}):
        answer = send(browser, "/account", f"/games/{game}/explorations", **fields)
        assert answer.status_code == 422, fields
    over = send(browser, "/account", f"/games/{game}/explorations", seq="5")
    assert over.status_code == 409 and "nothing can follow" in heard(over.text)
    path = begin(browser, game, 2)
    for query in ("?at=9", "?why=1.9", "?at=x"):
        assert browser.get(path + query).status_code == 404, query
    assert browser.get(f"{path}?tile=99").status_code == 422
    assert browser.get("/explorations?after=nothing").status_code == 200


def test_past_moves_and_goals_are_shown(enter: Enter, game: str, ann: str) -> None:
    browser = enter(ann)
    path = begin(browser, game, 4)
    move(browser, path)
    for at in range(6):
        page = browser.get(f"{path}?at={at}").text
        assert f"at={at}" in page or at in (0, 5)
        assert ("Your move" in heard(page)) is (at == 5)
    goal = re.search(r'href="([^"]*why=[^"#]*)', browser.get(path).text)
    assert goal is None or browser.get(unescape(goal[1])).status_code == 200


def test_a_running_solo_is_explored_with_other_tiles(enter: Enter, session: Session, ann: str) -> None:
    made = world.solo(session, ann)
    session.commit()
    browser = enter(ann)
    page = browser.get(f"/games/{made}").text
    assert "Explore from here" in heard(page) and "against the bot" not in heard(page)
    path = begin(browser, made, 0)
    assert "drawn anew" in heard(browser.get(path).text)
    refused = send(browser, "/account", f"/games/{made}/explorations", seq="0", opponent="greedy")
    assert refused.status_code == 422


@pytest.mark.slow
def test_the_pages_speak_each_language(enter: Enter, session: Session, game: str, ann: str) -> None:
    browser = enter(ann)
    path = begin(browser, game, 2)
    seen = set()
    for code in CODES:
        session.execute(text("UPDATE accounts SET language = :code WHERE id = :id"), {"code": code, "id": ann})
        session.commit()
        page = browser.get(path)
        assert page.headers["Content-Language"] == code and page.status_code == 200
        seen.add(heard(page.text).partition(".")[0])
        assert browser.get("/explorations").status_code == 200
    assert len(seen) == len(CODES)
