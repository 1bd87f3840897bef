"""The record by the link of the end mail: without a token, for the game it was signed for, once that is over."""

import json
import re
from collections.abc import Callable
from html import unescape

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from engine import audit, record
from engine.moves import RESIGN
from service.access.links import record_link, table_link
from service.checkpoints.bundles import Bundle
from service.checkpoints.policies import Policy
from service.checkpoints.verifying import verify
from service.commands.play import play
from service.config import Settings
from service.store.tables import Table
from tests.support import world
from tests.support.checkpointed import checkpoint
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


def test_a_past_record_is_that_of_a_running_game(
    client: FlaskClient, session: Session, settings: Settings, table: str
) -> None:
    world.move(session, table)
    end(session, table)
    whole = json.loads(client.get(path(settings, table)).data)
    for headers in ({}, BROWSER):
        answer = client.get(f"{path(settings, table)}&at=1", headers=headers)
        audit.check(answer.data)
        past = json.loads(answer.data)
        assert past["log"] == whole["log"][:1] and past["result"] is past["draw"]["server_seed"] is None
        assert f"{table}-1.json" in answer.headers["Content-Disposition"]
    for at in ("3", "-1", "x", "1e0", ""):
        assert client.get(f"{path(settings, table)}&at={at}").status_code == 404, at


BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


def test_a_browser_gets_a_page_that_names_header_and_checkpoint(
    client: FlaskClient, session: Session, settings: Settings, table: str
) -> None:
    end(session, table)
    before = client.get(path(settings, table), headers=BROWSER)
    assert before.mimetype == "text/html" and "Accept" in before.headers["Vary"]
    header = record.digest(world.loaded(session, table).header or {})[:8]
    assert f"header begins with {header}." in unescape(before.text)
    assert "No checkpoint has this game yet." in before.text and "as=proof" not in before.text
    checkpoint(settings, lambda: NOW)
    after = unescape(client.get(path(settings, table), headers=BROWSER).text)
    assert re.search(r"with the size \d+ in the log \S+, has this game up to entry 1\.", after)
    (proof,) = re.findall(r'href="([^"]*as=proof[^"]*)"', after)
    (file,) = re.findall(r'class="button" href="([^"]*as=file[^"]*)"', after)
    line = client.get(file, headers=BROWSER)
    audit.check(line.data)
    bundle = client.get(proof, headers=BROWSER)
    assert bundle.headers["Content-Disposition"] == f'attachment; filename="{table}.proof.json"'
    policy = Policy.parse(client.get("/v1/checkpoints").get_json()["logs"][0]["policy"])
    (proved,) = verify(json.loads(line.data), Bundle.parse(bundle.data), policy)
    assert (proved.version, proved.status) == (1, "finished")


def test_proofs_need_the_link_and_a_checkpoint(
    client: FlaskClient, session: Session, settings: Settings, table: str
) -> None:
    end(session, table)
    assert client.get(path(settings, table) + "&as=proof").status_code == 404
    checkpoint(settings, lambda: NOW)
    assert client.get(path(settings, table) + "&as=proof").status_code == 200
    assert client.get(f"/games/{table}/record?as=proof").status_code == 404
