"""The page of an imported game: by its link, for everybody once it is shared, and at any moment."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from engine import notation, simulate
from service.access.links import import_link, table_link
from service.commands import imports
from service.config import Settings
from service.language.languages import CODES
from service.store.imports import Import
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard
from tests.unit.api.test_imports import KITCHEN, RECORD


@pytest.fixture
def owner(person: object) -> str:
    return person("Ann")  # type: ignore[operator, no-any-return]


@pytest.fixture
def kept(session: Session, owner: str) -> Import:
    made, _ = imports.add(session, owner, imports.verified_record(RECORD), NOW)
    session.commit()
    return made


def page(settings: Settings, kept: Import) -> str:
    return import_link(settings, kept.account, kept.id).removeprefix(settings.base_url)


def test_the_link_shows_the_game_and_its_story(client: FlaskClient, settings: Settings, kept: Import) -> None:
    answer = client.get(page(settings, kept))
    assert answer.status_code == 200
    told = heard(answer.text)
    assert "An imported game of" in told and "Imported on" in told and "The course of the game" in told
    assert "Only who imported it may see it here." in told and "/verify#" not in answer.text
    assert "commitment" not in told and f"/v1/imports/{kept.id}" in answer.text


def test_no_link_and_other_links_show_nothing(
    client: FlaskClient, session: Session, settings: Settings, kept: Import, owner: str
) -> None:
    other, _ = imports.add(session, owner, imports.verified_text(KITCHEN.encode()), NOW)
    session.commit()
    of_other = page(settings, other).split("?")[1]
    of_table = table_link(settings, owner, kept.id).split("?")[1]
    for query in ("", "link=", of_other, of_table, page(settings, kept).split("?")[1][:-2]):
        for below in ("", "/text"):
            answer = client.get(f"/imports/{kept.id}{below}?{query}")
            assert answer.status_code == 404, query


def test_everybody_sees_the_page_of_a_shared_import(client: FlaskClient, session: Session, kept: Import) -> None:
    imports.share(session, kept.account, kept.id, True)
    session.commit()
    answer = client.get(f"/imports/{kept.id}")
    assert answer.status_code == 200 and "/verify#" in answer.text
    assert "link=" not in answer.text.replace("/verify#", "")
    assert client.get(f"/imports/{kept.id}/text").text.startswith("[Format ")


@pytest.mark.parametrize("code", CODES)
def test_import_page_links_to_earlier_and_later_moves(
    client: FlaskClient, settings: Settings, kept: Import, code: str
) -> None:
    address = page(settings, kept)
    at = client.get(f"{address}&at=2", headers={"Accept-Language": code})
    assert at.status_code == 200 and "at=1&amp;link=" in at.text and "at=3&amp;link=" in at.text
    assert client.get(f"{address}&at=9999").status_code == 404
    assert client.get(f"{address}&at=0").status_code == 200


def test_its_picture_its_plots_and_its_text_tell_the_moment(
    client: FlaskClient, settings: Settings, kept: Import
) -> None:
    shown = client.get(page(settings, kept)).text
    assert "<time" in shown
    assert shown.count(">An imported game, which was not played here<") == 2, "the board and the plots"
    text = page(settings, kept).replace("?", "/text?")
    past = client.get(f"{text}&at=2")
    assert [entry.seq for entry in notation.read(past.data).entries] == [1, 2]
    assert client.get(f"{text}&at=99999").status_code == 404 and client.get(f"{text}&at=x").status_code == 404
    assert "/text?at=2" in unescape(client.get(f"{page(settings, kept)}&at=2").text)


def test_a_text_without_times_says_so(client: FlaskClient, session: Session, settings: Settings, owner: str) -> None:
    made, _ = imports.add(session, owner, imports.verified_text(KITCHEN.encode()), NOW + timedelta(days=1))
    session.commit()
    answer = client.get(page(settings, made))
    assert answer.status_code == 200 and "The times of the moves are not known." in heard(answer.text)
    assert "<time" not in answer.text, "the time of the import is not that of a move"
    text = client.get(page(settings, made).replace("?", "/text?"))
    assert text.status_code == 200 and "# what else?" in text.text


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_every_kind_of_game_has_its_page(
    client: FlaskClient, session: Session, settings: Settings, owner: str, seats: int
) -> None:
    line = next(simulate.records(1, seats, "pages", "random", leave="0.02"))
    made, _ = imports.add(session, owner, imports.verified_record(line), NOW)
    session.commit()
    assert client.get(page(settings, made)).status_code == 200


def test_goals_of_an_imported_game_are_explained(client: FlaskClient, settings: Settings, kept: Import) -> None:
    shown = client.get(page(settings, kept) + "&at=9").text
    link = unescape(re.findall(r'href="([^"]+#why)"', shown)[0])
    assert link.startswith(f"/imports/{kept.id}?at=9&why=") and "link=" in link
    explained = client.get(link)
    assert explained.status_code == 200 and 'id="why"' in explained.text and "data-why=" in explained.text
    missing = client.get(page(settings, kept) + "&why=1.3")
    assert missing.status_code == 404 and "This table has no such goal now." in heard(missing.text)
