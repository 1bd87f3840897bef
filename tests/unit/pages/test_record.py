"""The record by the link of the end mail: without a token, for the game it was signed for, once that is over."""

from collections.abc import Callable
from html import unescape

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from engine import audit
from engine.moves import RESIGN
from service.access.links import record_link, table_link
from service.commands.play import play
from service.config import Settings
from service.store.tables import Table
from tests.support import world
from tests.support.clock import NOW


@pytest.fixture
def table(session: Session, person: Callable[[str], str]) -> str:
    """Return the id of a running private match."""
    table = world.match(session, person("Ann"), person("Ben"))
    session.query(Table).where(Table.id == table).update({"visibility": "private"})
    session.commit()
    return table


def end(session: Session, table: str) -> None:
    play(session, world.loaded(session, table), 0, RESIGN, None, NOW)
    session.commit()


def path(settings: Settings, table: str) -> str:
    return record_link(settings, table).removeprefix(settings.base_url)


def test_the_link_gives_a_private_games_record_after_the_end(
    client: FlaskClient, session: Session, settings: Settings, table: str
) -> None:
    end(session, table)
    answer = client.get(path(settings, table))
    assert answer.status_code == 200 and answer.mimetype == "application/json"
    audit.check(answer.data)
    assert answer.headers["Referrer-Policy"] == "no-referrer" and "no-store" in answer.headers["Cache-Control"]
    assert client.get(f"/v1/games/{table}/record").status_code == 404


def test_the_link_gives_nothing_before_the_end(client: FlaskClient, settings: Settings, table: str) -> None:
    answer = client.get(path(settings, table))
    assert answer.status_code == 404 and b"server_seed" not in answer.data


def test_other_links_give_no_record(
    client: FlaskClient, session: Session, settings: Settings, table: str, person: Callable[[str], str]
) -> None:
    end(session, table)
    other = world.match(session, person("Cleo"), person("Dora"))
    of_table = table_link(settings, world.loaded(session, table).accounts[0], table).split("?")[1]
    of_other = path(settings, other).split("?")[1]
    for query in ("", "link=", of_table, of_other, path(settings, table).split("?")[1][:-2]):
        assert client.get(f"/games/{table}/record?{query}").status_code == 404, query


def test_a_players_page_links_to_the_record_once_it_is_over(
    client: FlaskClient, session: Session, settings: Settings, table: str
) -> None:
    page = table_link(settings, world.loaded(session, table).accounts[0], table).removeprefix(settings.base_url)
    assert path(settings, table) not in unescape(client.get(page).text)
    end(session, table)
    assert path(settings, table) in unescape(client.get(page).text)
