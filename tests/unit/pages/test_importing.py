"""The page of one's own imports: a game put in as a text, a record or a file, shared, and deleted."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from itertools import count
from typing import Any, NoReturn

import pytest
from flask import Flask
from flask.testing import FlaskClient
from psycopg.errors import DeadlockDetected
from sqlalchemy import text
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from service.commands import imports
from service.store.base import db
from service.store.imports import Import
from tests.support.browsers import browser_of, hidden, send, signed_in
from tests.support.clock import NOW
from tests.support.mail.html_reader import heard
from tests.unit.api.test_imports import KITCHEN, RECORD

TEXT = KITCHEN.encode()


@pytest.fixture
def browser(app: Flask, session: Session, person: Callable[[str], str]) -> FlaskClient:
    """Return a browser that is signed in."""
    return signed_in(app, session, person("Ann"), NOW)


def put_in(browser: FlaskClient, **fields: object) -> TestResponse:
    form = hidden(browser.get("/imports").text, "form")
    return browser.post("/imports", data={"form": form, **fields}, content_type="multipart/form-data")


@pytest.mark.parametrize("is_file", [False, True])
@pytest.mark.parametrize("content", [RECORD, TEXT], ids=["record", "text"])
def test_a_game_is_imported_as_it_is_pasted_or_chosen(browser: FlaskClient, content: bytes, is_file: bool) -> None:
    crossed = content.replace(b"\n", b"\r\n")  # as a form sends what was typed
    sent = {"file": (BytesIO(content), "a game")} if is_file else {"game": crossed.decode()}
    answer = put_in(browser, **sent)
    assert answer.status_code == 303, heard(answer.text)
    where = answer.headers["Location"]
    assert "An imported game" in heard(browser.get(where).text)
    assert f'href="{where}"' in browser.get("/imports").text
    assert put_in(browser, game=content.decode()).headers["Location"] == where, "the same game again"


def test_a_file_is_read_again_after_a_deadlock(browser: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    add, tries = imports.add, count(1)

    def broken_once(*given: Any) -> tuple[Import, bool]:
        made = add(*given)
        if next(tries) == 1:
            raise DeadlockDetected
        return made

    monkeypatch.setattr(imports, "add", broken_once)
    form = hidden(browser.get("/imports").text, "form")
    for _ in range(2):
        sent = {"form": form, "file": (BytesIO(TEXT), "a game")}
        answer = browser.post("/imports", data=sent, content_type="multipart/form-data")
        assert answer.status_code == 303, heard(answer.text)
    assert next(tries) == 3, "the form that was sent again is known, and not carried out"


def test_a_session_that_ended_before_the_second_try_is_over(
    browser: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ended(*given: object) -> NoReturn:
        with db.engine.begin() as other:
            other.execute(text("DELETE FROM tokens"))
        raise DeadlockDetected

    monkeypatch.setattr(imports, "add", ended)
    answer = put_in(browser, game=KITCHEN)
    assert answer.status_code == 403 and "you were signed out" in heard(answer.text)


def test_an_import_is_shared_hidden_and_deleted(app: Flask, browser: FlaskClient) -> None:
    where = put_in(browser, game=RECORD.decode()).headers["Location"]
    for do, status in (("share", 200), ("hide", 404), ("delete", 404)):
        assert send(browser, "/imports", where, do=do).headers["Location"] == "/imports"
        assert browser_of(app).get(where).status_code == status
    assert browser.get(where).status_code == 404
    assert send(browser, "/account", where, do="share").status_code == 404


@pytest.mark.parametrize(
    ("game", "told"),
    [
        ("", "put in the text or the record"),
        ("  \r\n", "put in the text or the record"),
        ("{", "this is no JSON"),
        ('{"a": NaN}', "this is no JSON"),
        ("{}", "The record does not hold"),
        (KITCHEN.replace("\n", "\nnonsense\n", 1), "The text is refused in line"),
    ],
)
def test_what_is_no_game_is_refused_with_its_fault(browser: FlaskClient, game: str, told: str) -> None:
    answer = put_in(browser, game=game)
    assert answer.status_code == 422 and told in heard(answer.text)
    assert "There are none yet." in heard(browser.get("/imports").text)


def test_a_file_that_is_too_large_is_refused_on_a_page(browser: FlaskClient) -> None:
    answer = put_in(browser, file=(BytesIO(bytes(70_000)), "a picture"))
    assert (answer.status_code, answer.mimetype) == (413, "text/html")
    assert "larger than 64 kB" in heard(answer.text)
