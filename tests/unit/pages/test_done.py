"""What a form has done is said once, on the page to which it leads back."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from service.config import Settings
from service.language.languages import CODES
from service.pages.done import SHOWN_FOR
from tests.support import web, world
from tests.support.browsers import browser_of, hidden, send, signed_in
from tests.support.clock import NOW
from tests.unit.pages.test_settings import MAIL

STATUS = re.compile('<p class="notice" role="status">([^<]*)</p>')


@pytest.fixture
def browser(app: Flask, session: Session, ann: str) -> FlaskClient:
    """Return a browser that is signed in as Ann."""
    return signed_in(app, session, ann, NOW)


@pytest.mark.parametrize(
    ("page", "path", "fields", "said"),
    [
        ("/settings", "/settings/profile", {"name": "Anna", "language": "en"}, "Saved."),
        ("/settings", "/settings/mail", MAIL, "Saved."),
        ("/settings", "/settings/reminders", {"at": "half"}, "Saved."),
        ("/settings/times", "/settings/times/quiet", {"zone": "UTC"}, "Saved."),
        ("/settings/times", "/settings/times/absences", {"do": "back"}, "Saved."),
        ("/settings/account", "/settings/account/address", {"email": "an.other@example.org"}, "A code was mailed"),
        ("/settings/account", "/settings/account/deletion", {"sure": "yes"}, "Your account was deleted."),
        ("/account", "/sign-out", {}, "You are signed out."),
    ],
)
def test_a_form_that_has_done_its_work_says_so(
    browser: FlaskClient, page: str, path: str, fields: dict[str, str], said: str
) -> None:
    answer = send(browser, page, path, **fields)
    assert answer.status_code == 303
    (found,) = STATUS.findall(browser.get(answer.headers["Location"]).text)
    assert found.startswith(said)
    assert STATUS.findall(browser.get(answer.headers["Location"].partition("?")[0]).text) == []


def test_an_address_and_the_mails_of_a_game_are_said_to_be_changed(
    app: Flask, session: Session, browser: FlaskClient, ann: str, ben: str
) -> None:
    game = world.match(session, ann, ben)
    session.commit()
    here = f"/games/{game}/mails"
    answer = send(browser, here, here, mail="off", answer="short", talk="on")
    assert STATUS.findall(browser.get(answer.headers["Location"]).text) == ["Saved."]
    here, new = "/settings/account", f"newer.{ann.lower()}@example.org"
    send(browser, here, f"{here}/address", email=new)
    answer = send(browser, here, f"{here}/code", code=web.codes_for(app, new, "email-change")[0])
    assert STATUS.findall(browser.get(answer.headers["Location"]).text) == ["Your address was changed."]


def test_outcome_is_told_in_the_chosen_language(browser: FlaskClient) -> None:
    said = set()
    for code in CODES:
        answer = send(browser, "/settings", "/settings/profile", name="Anna", language=code)
        said |= set(STATUS.findall(browser.get(answer.headers["Location"]).text))
    assert len(said) == len(CODES)


def test_outcome_is_told_for_a_minute_and_a_signed_mark_alone(
    settings: Settings, session: Session, person: Callable[[str], str]
) -> None:
    times = [NOW]

    def clock() -> datetime:
        return times[-1]

    with web.opened(settings, clock) as app:
        browser = signed_in(app, session, person("Ann"), NOW)
        where = send(browser, "/settings", "/settings/profile", name="Anna", language="en").headers["Location"]
        assert where.endswith("#profile")
        where = where.partition("#")[0]
        times.append(NOW + SHOWN_FOR - timedelta(seconds=1))
        assert STATUS.findall(browser.get(where).text) == ["Saved."]
        for wrong in (where[:-2], "/settings?done=profile", "/settings?done="):
            assert STATUS.findall(browser.get(wrong).text) == []
        times.append(NOW + SHOWN_FOR)
        assert STATUS.findall(browser.get(where).text) == []


@pytest.mark.parametrize(
    ("page", "path", "fields"),
    [
        ("/settings", "/settings/reminders", {"at": "half"}),
        ("/settings/account", "/settings/account/deletion", {"sure": "yes"}),
        ("/account", "/sign-out", {}),
    ],
)
def test_nobody_else_is_told_what_a_form_has_done(
    app: Flask, session: Session, browser: FlaskClient, ben: str, page: str, path: str, fields: dict[str, str]
) -> None:
    """Else who deletes an account of their own could tell somebody that theirs was deleted."""
    where = send(browser, page, path, **fields).headers["Location"].partition("#")[0]
    session.commit()
    for other in (signed_in(app, session, ben, NOW), browser_of(app)):
        other.get("/sign-in")
        shown = other.get(where, follow_redirects=True)
        assert shown.status_code == 200 and STATUS.findall(shown.text) == []
    assert STATUS.findall(browser.get(where).text)


def test_the_form_below_is_the_one_that_was_sent(browser: FlaskClient) -> None:
    form = hidden(browser.get("/settings").text, "form")
    where = browser.post("/settings/reminders", data={"form": form, "at": "half"}).headers["Location"]
    assert where.endswith("#reminders")
    _, _, section = browser.get(where).text.partition('<section id="reminders">')
    assert len(STATUS.findall(section)) == 1
