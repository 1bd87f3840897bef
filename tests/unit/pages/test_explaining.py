"""Why goals are met or not, on a table's page: a list for each display, and a goal explained in words and picture."""

import re
from collections.abc import Callable
from html import unescape

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from engine.goals import explained
from service.access.links import table_link
from service.config import Settings
from service.language import goal_words
from service.language.languages import ENGLISH
from service.store.tables import Table
from tests.support import world
from tests.support.mail.html_reader import heard


@pytest.fixture
def table(session: Session, person: Callable[[str], str]) -> str:
    """Return the id of a running public match with twelve moves."""
    table = world.match(session, person("Ann"), person("Ben"))
    for _ in range(12):
        world.move(session, table)
    session.commit()
    return table


def test_each_goal_of_each_display_has_a_link_that_explains_it(
    client: FlaskClient, session: Session, table: str
) -> None:
    state = world.loaded(session, table).state
    goals = [goal for seat in (0, 1) for goal in explained(state, seat)]
    page = client.get(f"/games/{table}").text
    names = re.findall(r'<li [^>]*><a class="way" href="/games/\w+\?why=([0-9.]+)#why">', page)
    assert sorted(names) == sorted(goal.name for goal in goals) and goals
    for goal in goals[:4]:
        shown = client.get(f"/games/{table}?why={goal.name}")
        assert shown.status_code == 200
        told = heard(shown.text)
        assert f"{goal_words.name(goal, ENGLISH)} {goal_words.summary(goal, ENGLISH)}" in told
        assert all(goal_words.color(goal, color, ENGLISH) in told for color in goal.colors)
        assert f'data-why="{goal.name}"' in shown.text and shown.text.count(' id="why"') == 1
        assert re.findall(r'href="/rules/1\?language=en#([0-9.]+)"', unescape(shown.text)) == list(goal.rules)
        assert shown.text.count(' aria-current="true"') == 2, "the move, and the goal in its list"


def test_a_goal_is_explained_as_it_was(client: FlaskClient, table: str) -> None:
    page = client.get(f"/games/{table}?at=8").text
    link = unescape(re.findall(r'href="([^"]+#why)"', page)[0])
    assert "at=8" in link
    shown = client.get(link).text
    assert "After move 8" in heard(shown) and 'id="why"' in shown
    back = unescape(re.findall(r'<a class="way" href="([^"]+)">Show the table without this', shown)[0])
    assert back == f"/games/{table}?at=8#board"
    assert 'data-why="' not in client.get(back).text


def test_rules_have_their_numbers_as_anchors(client: FlaskClient) -> None:
    for code in ("en", "fr", "es", "de"):
        page = client.get(f"/rules/1?language={code}").text
        for rule in ("3.1", "3.2", "3.3", "3.5", "5.4"):
            assert page.count(f'<li id="{rule}">{rule} ') == 1


@pytest.mark.parametrize("wrong", ["1", "69.1", "17.4", "0.1", "x", "", "17.1.1", "017.1", "9" * 5000])
def test_a_goal_that_is_not_there_is_told_and_leads_on(client: FlaskClient, table: str, wrong: str) -> None:
    answer = client.get(f"/games/{table}?why={wrong}&at=3")
    assert answer.status_code == 404 and "This table has no such goal now." in heard(answer.text)
    assert f'href="/games/{table}?at=3#board"' in answer.text


def test_goals_of_a_private_table_are_for_its_players(
    client: FlaskClient, session: Session, settings: Settings, table: str
) -> None:
    session.query(Table).where(Table.id == table).update({"visibility": "private"})
    session.commit()
    loaded = world.loaded(session, table)
    goal = explained(loaded.state, 0)[0]
    account = loaded.account_of(0)
    assert account is not None
    assert client.get(f"/games/{table}?why={goal.name}").status_code == 404
    link = table_link(settings, account, table).removeprefix(settings.base_url)
    shown = client.get(f"{link}&why={goal.name}").text
    assert 'id="why"' in shown and all("link=" in each for each in re.findall(r'href="([^"]+#why)"', shown))
