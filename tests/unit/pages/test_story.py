"""The course of a finished game on its table's page."""

import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from engine.moves import RESIGN
from service.commands.play import play
from service.language.languages import CODES, language
from service.language.people import People
from service.language.story_words import course
from service.queries import stories
from tests.support import world
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard


@pytest.fixture
def over(session: Session, person: Callable[[str], str]) -> str:
    """Return the id of a finished public match."""
    table = world.match(session, person("Ann"), person("Ben"), goal_discs=5)
    while world.loaded(session, table).status == "running":
        world.move(session, table)
    session.commit()
    return table


def test_a_finished_game_tells_its_course(client: FlaskClient, session: Session, over: str) -> None:
    page = client.get(f"/games/{over}")
    story = stories.of_table(world.loaded(session, over))
    told = heard(page.text)
    assert all(sentence in told for sentence in course(story, People(("Ann", "Ben"))))
    assert "The course of the game" in told and f"/v1/games/{over}/story" in page.text


def test_its_numbers_are_tables_too(client: FlaskClient, session: Session, over: str) -> None:
    page = client.get(f"/games/{over}").text
    rows = re.findall(r'<tr><th scope="row" class="num"><a href="[^"]*at=(\d+)[^"]*">', page)
    story = stories.of_table(world.loaded(session, over))
    assert [int(row) for row in rows] == [move.seq for move in story.moves]
    for move in story.moves:
        assert " · ".join(map(str, move.discs_left)) in page


def test_the_ids_on_the_page_are_unique(client: FlaskClient, over: str) -> None:
    ids = re.findall(r'\sid="([^"]+)"', client.get(f"/games/{over}").text)
    assert len(ids) == len(set(ids)) and {"title", "story-title"} <= set(ids)


@pytest.mark.parametrize("code", CODES)
def test_the_course_is_told_in_the_readers_language(client: FlaskClient, over: str, code: str) -> None:
    page = client.get(f"/games/{over}", headers={"Accept-Language": code})
    assert language(code).say("The course of the game") in heard(page.text)


def test_a_past_moment_and_a_running_game_tell_no_course(
    client: FlaskClient, session: Session, over: str, person: Callable[[str], str]
) -> None:
    running = world.match(session, person("Cleo"), person("Dora"))
    world.move(session, running)
    session.commit()
    for address in (f"/games/{over}?at=2", f"/games/{running}"):
        assert "The course of the game" not in client.get(address).text


def test_a_game_that_was_left_at_once_tells_no_course(
    client: FlaskClient, session: Session, person: Callable[[str], str]
) -> None:
    table = world.match(session, person("Ann"), person("Ben"))
    play(session, world.loaded(session, table), 0, RESIGN, None, NOW)
    session.commit()
    page = client.get(f"/games/{table}")
    assert page.status_code == 200 and "The course of the game" not in page.text
