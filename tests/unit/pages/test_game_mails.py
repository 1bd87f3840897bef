"""The page on which a player chooses which mails to get about one game."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from sqlalchemy.orm import Session

from service.queries.notifications import notifications_of_game
from service.store.callers import KnownAccount
from tests.support import world
from tests.support.browser import dump
from tests.support.browsers import send, signed_in
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard


@pytest.fixture
def ann(person: Callable[[str], str]) -> str:
    return person("Ann")


@pytest.fixture
def game(session: Session, ann: str, person: Callable[[str], str]) -> str:
    found = world.match(session, ann, person("Ben"))
    session.commit()
    return found


def wanted(session: Session, account: str, game: str) -> tuple[str | None, str | None, bool]:
    """Return a player's preferences for a game: mails, answers, and whether talk is left out."""
    session.rollback()
    found = notifications_of_game(session, KnownAccount(account), game)
    return found.mail, found.answer, found.is_muted


def test_the_choices_about_a_game_are_shown_and_changed(app: Flask, session: Session, ann: str, game: str) -> None:
    browser, here = signed_in(app, session, ann, NOW), f"/games/{game}/mails"
    assert f'href="{here}"' in browser.get(f"/games/{game}").text
    page = browser.get(here).text
    assert "With Ben." in heard(page) and "selected" in page and 'value="digest" selected' not in page
    assert send(browser, here, here, mail="digest", answer="whole", talk="off").headers["Location"].startswith(here)
    assert wanted(session, ann, game) == ("digest", "whole", True)
    page = browser.get(here).text
    assert all(f'value="{value}" selected' in page for value in ("digest", "whole", "off"))
    send(browser, here, here, mail="default", answer="default", talk="on")
    assert wanted(session, ann, game) == (None, None, False)


@pytest.mark.parametrize("unfit", [{"mail": "often"}, {"answer": "off"}, {"talk": "default"}, {"talk": ""}])
def test_a_choice_that_there_is_not_changes_nothing(
    app: Flask, session: Session, ann: str, game: str, unfit: dict[str, str]
) -> None:
    browser, here = signed_in(app, session, ann, NOW), f"/games/{game}/mails"
    before = dump(session)
    answer = send(browser, here, here, **{"mail": "off", "answer": "short", "talk": "off"} | unfit)
    assert answer.status_code == 422 and here in answer.text
    assert dump(session) == before


def test_only_who_plays_chooses_mails_about_a_game(
    app: Flask, session: Session, ann: str, game: str, person: Callable[[str], str]
) -> None:
    eve, solo = signed_in(app, session, person("Eve"), NOW), world.solo(session, ann)
    session.commit()
    assert eve.get(f"/games/{game}/mails").status_code == 404
    assert f"/games/{game}/mails" not in eve.get(f"/games/{game}").text
    assert signed_in(app, session, ann, NOW).get(f"/games/{solo}/mails").status_code == 404
