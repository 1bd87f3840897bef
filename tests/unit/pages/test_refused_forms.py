"""A form that is refused comes back with what was typed and chosen in it, and says what is wrong."""

from __future__ import annotations

import re
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from tests.support.browsers import hidden, send, signed_in
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard


@pytest.fixture
def browser(app: Flask, session: Session, ann: str) -> FlaskClient:
    """Return a browser that is signed in as Ann."""
    return signed_in(app, session, ann, NOW)


def alert(answer: TestResponse) -> str:
    """Return the sentence on the page of a refused form that says why it was refused."""
    (found,) = re.findall('role="alert" id="wrong">([^<]+)</p>', answer.text)
    return unescape(found)


def value(page: str, name: str) -> str:
    (tag,) = re.findall(f'<input [^>]*name="{name}"[^>]*>', page)
    found = re.search(' value="([^"]*)"', tag)
    assert found
    return unescape(found[1])


def test_a_name_that_cannot_be_stays_with_the_chosen_language(browser: FlaskClient) -> None:
    answer = send(browser, "/settings", "/settings/profile", name="www.<b>.example", language="fr")
    assert answer.status_code == 422 and alert(answer)
    assert value(answer.text, "name") == "www.<b>.example"
    assert '<option value="fr" lang="fr" selected>' in answer.text
    assert 'aria-describedby="wrong" aria-invalid="true"' in answer.text
    assert send(browser, "/settings", "/settings/profile", name="Anna", language="en").status_code == 303


def test_too_many_reminders_stay_chosen(browser: FlaskClient) -> None:
    form = hidden(browser.get("/settings").text, "form")
    chosen = ["half", "P7D", "P3D", "P1D", "PT3H", "PT1H"]
    answer = browser.post("/settings/reminders", data={"form": form, "at": chosen})
    assert answer.status_code == 422 and "points at most" in alert(answer)
    assert re.findall('name="at" value="([^"]+)" checked', answer.text) == chosen


def test_an_address_or_code_that_cannot_be_stays(browser: FlaskClient) -> None:
    here = "/settings/account"
    answer = send(browser, here, f"{here}/address", email="no address")
    assert answer.status_code == 422 and alert(answer) and value(answer.text, "email") == "no address"
    send(browser, here, f"{here}/address", email="yet.another@example.org")
    answer = send(browser, here, f"{here}/code", code="AAAAA-AAAAA")
    assert answer.status_code == 403 and alert(answer) and value(answer.text, "code") == "AAAAA-AAAAA"
    assert "tick the box" in alert(send(browser, here, f"{here}/deletion"))


def test_the_choices_of_a_table_that_is_not_opened_stay(browser: FlaskClient) -> None:
    fields = {"seats": "3", "bots": "3", "clock": "week", "private": "yes", "no_hints": "yes"}
    answer = send(browser, "/tables/new", "/tables/new", **fields)
    assert answer.status_code == 422 and "choose fewer bots" in alert(answer)
    assert re.findall('name="([a-z_]+)" value="([^"]+)" checked', answer.text) == [
        ("seats", "3"),
        ("private", "yes"),
        ("no_hints", "yes"),
    ]
    assert re.findall("<option[^>]* selected>", answer.text) == [
        "<option selected>",
        '<option value="week" selected>',
    ]


@pytest.mark.parametrize("game", ["{", "\r\n  1. nothing <b>\r\n"])
def test_a_game_that_is_not_imported_can_be_corrected(browser: FlaskClient, game: str) -> None:
    form = hidden(browser.get("/imports").text, "form")
    answer = browser.post("/imports", data={"form": form, "game": game}, content_type="multipart/form-data")
    assert answer.status_code == 422 and alert(answer)
    (kept,) = re.findall("<textarea [^>]*>\n(.*?)</textarea>", answer.text, re.DOTALL)
    assert unescape(kept).split() == game.split()
    assert "Your imports" in heard(answer.text)


def test_times_that_cannot_be_stay_with_what_was_chosen(browser: FlaskClient) -> None:
    here, window = "/settings/times", {"mon-0": "yes", "from-0": "22:00", "to-0": "07:00"}
    answer = send(browser, here, f"{here}/quiet", zone="Mars/Base", **window)
    assert answer.status_code == 422 and "Mars/Base" in alert(answer)
    assert value(answer.text, "zone") == "Mars/Base" and value(answer.text, "from-0") == "22:00"
    assert 'name="mon-0" value="yes" checked' in answer.text
    assert re.findall('name="([^"]+)"[^>]* aria-invalid', answer.text) == ["zone"]
    answer = send(browser, here, f"{here}/quiet", zone="Europe/Paris", **window | {"to-0": ""})
    assert answer.status_code == 422 and value(answer.text, "zone") == "Europe/Paris"
    assert re.findall('name="([^"]+)"[^>]* aria-invalid', answer.text) == ["from-0", "to-0"]


@pytest.mark.parametrize(
    ("first", "last", "field", "why"),
    [
        ("", "9999-12-31", "until", "within 550 days"),
        ("", "0001-01-01", "until", "ends after it begins"),
        ("0001-01-01", "2027-02-03", "from", "in the past"),
        ("", "tomorrow", "until", "2026-12-05"),
    ],
)
def test_an_absence_that_cannot_be_stays(browser: FlaskClient, first: str, last: str, field: str, why: str) -> None:
    answer = send(browser, "/settings/times", "/settings/times/absences", **{"from": first, "until": last})
    assert answer.status_code == 422 and why in alert(answer)
    assert (value(answer.text, "until"), value(answer.text, "from")) == (last, first)
    assert re.findall('name="([^"]+)"[^>]* aria-invalid', answer.text) == [field]


def test_an_unknown_language_is_not_blamed_on_the_name(browser: FlaskClient) -> None:
    answer = send(browser, "/settings", "/settings/profile", name="Anna", language="xx")
    assert answer.status_code == 422 and alert(answer) and "aria-invalid" not in answer.text
