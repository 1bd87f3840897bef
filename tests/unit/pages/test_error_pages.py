"""Errors are told to browsers as pages, and to programs as problems."""

from __future__ import annotations

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.store.autocommit_pool import AutocommitPool

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "Accept-Language": "de"}
GAME = "/games/abcabcabcabc"


def away(*given: object, **named: object) -> None:
    raise psycopg.OperationalError("gone")


def fails(*given: object, **named: object) -> None:
    raise RuntimeError("a mistake")


@pytest.mark.parametrize(
    ("method", "path", "status", "title", "told"),
    [
        ("GET", "/nowhere", 404, "Nicht gefunden", "Unter dieser Adresse gibt es nichts."),
        ("GET", "/tables/", 404, "Nicht gefunden", "Unter dieser Adresse gibt es nichts."),
        ("GET", f"{GAME}/moves", 405, "Unter dieser Adresse gibt es nichts zu sehen", f'href="{GAME}"'),
        ("GET", "/settings/times/quiet", 405, "Unter dieser Adresse gibt es nichts zu sehen", 'href="/settings/times"'),
        ("GET", "/sign-out", 405, "Unter dieser Adresse gibt es nichts zu sehen", "Formulare"),
        ("DELETE", "/tables", 405, "Methode nicht erlaubt", "Allow"),
    ],
)
def test_browsers_get_a_page_in_their_language(
    client: FlaskClient, method: str, path: str, status: int, title: str, told: str
) -> None:
    answer = client.open(path, method=method, headers=BROWSER)
    assert answer.status_code == status and answer.mimetype == "text/html"
    assert answer.headers["Content-Language"] == "de" and answer.headers["Vary"] == "Accept, Accept-Language"
    assert f"<h1>{title}</h1>" in answer.text and told in answer.text and 'href="/"' in answer.text
    assert (status == 405) == ("Allow" in answer.headers)


@pytest.mark.parametrize("accept", [None, "*/*", "application/json", "application/problem+json, text/html;q=0.5"])
def test_clients_that_do_not_prefer_html_get_a_problem(client: FlaskClient, accept: str | None) -> None:
    answer = client.get("/nowhere", headers={} if accept is None else {"Accept": accept})
    assert answer.status_code == 404 and answer.mimetype == "application/problem+json"


def test_the_api_answers_browsers_with_problems_too(client: FlaskClient) -> None:
    answer = client.get("/v1/nowhere", headers=BROWSER)
    assert answer.status_code == 404 and answer.mimetype == "application/problem+json"


def test_a_database_that_is_away_is_told_without_it(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AutocommitPool, "_run", away)
    answer = client.get(GAME, headers=BROWSER | {"Cookie": f"__Host-novaluna-session={'x' * 43}"})
    assert answer.status_code == 503 and answer.mimetype == "text/html"
    assert answer.headers["Retry-After"] == "2" and "Die Datenbank ist nicht erreichbar" in answer.text


def test_an_internal_error_tells_nothing_of_itself(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = False
    monkeypatch.setattr(AutocommitPool, "_run", fails)
    answer = client.get(GAME, headers=BROWSER)
    assert answer.status_code == 500 and answer.mimetype == "text/html" and "mistake" not in answer.text
