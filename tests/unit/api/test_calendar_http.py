"""``/v1/me/calendar``, and the calendar that its address leads to."""

from __future__ import annotations

from collections.abc import Callable

from flask import Flask
from flask.testing import FlaskClient
from icalendar import Calendar
from sqlalchemy import text
from sqlalchemy.orm import Session
from werkzeug.test import TestResponse

from service.commands import suspensions
from service.store.unit import transaction
from tests.support.clock import NOW
from tests.support.http_games import SignUp, start
from tests.support.web import Person

MakeApp = Callable[..., Flask]


def url_of(client: FlaskClient, person: Person) -> str:
    got = client.get("/v1/me/calendar", headers=person.headers)
    assert got.status_code == 200
    return str(got.get_json()["url"])


def read(client: FlaskClient, url: str, **headers: str) -> TestResponse:
    return client.get(f"/{url.split('/', 3)[3]}", headers=headers)


def test_the_address_leads_to_the_deadlines_of_its_account(client: FlaskClient, sign_up: SignUp, ann: Person) -> None:
    game = start(client, ann, sign_up("Ben"), clock="days-3")
    seat = game.view()["turn"]["seat"]
    told = [len(Calendar.from_ical(read(client, url_of(client, each)).data).walk("VEVENT")) for each in game.players]
    assert told == [int(seat == 0), int(seat == 1)]


def test_calendar_is_for_its_reader_alone(client: FlaskClient, ann: Person) -> None:
    url = url_of(client, ann)
    assert url == url_of(client, ann)
    got = read(client, url)
    assert (got.status_code, got.mimetype) == (200, "text/calendar")
    assert got.headers["Cache-Control"] == "private, max-age=300"
    assert got.headers["Referrer-Policy"] == "no-referrer"
    assert got.headers["X-Robots-Tag"] == "noindex, nofollow"
    unchanged = read(client, url, **{"If-None-Match": got.headers["ETag"]})
    assert (unchanged.status_code, unchanged.data) == (304, b"")


def test_a_renewed_address_replaces_the_one_before(client: FlaskClient, ann: Person) -> None:
    old = url_of(client, ann)
    new = client.post("/v1/me/calendar", headers=ann.headers).get_json()["url"]
    assert new != old and url_of(client, ann) == new
    assert (read(client, old).status_code, read(client, new).status_code) == (404, 200)


def test_a_renewed_address_is_stored_under_no_key(client: FlaskClient, ann: Person, session: Session) -> None:
    headers = ann.headers | {"Idempotency-Key": "renew"}
    once, again = (client.post("/v1/me/calendar", headers=headers).get_json()["url"] for _ in range(2))
    assert once != again == url_of(client, ann)
    assert session.scalar(text("SELECT count(*) FROM idempotency")) == 0


def test_any_other_address_leads_nowhere(app: Flask, client: FlaskClient, sign_up: SignUp, ann: Person) -> None:
    url = url_of(client, ann)
    head, _, signature = url.rpartition(".")
    for wrong in (f"{head}.{signature[::-1]}", url.partition("?")[0], f"{url.partition('=')[0]}=x"):
        assert read(client, wrong).status_code == 404
    with app.app_context(), transaction() as session:
        suspensions.suspend(session, ann.account, NOW)
    assert read(client, url).status_code == 404
    ben = sign_up("Ben")
    url = url_of(client, ben)
    assert client.delete("/v1/me", headers=ben.headers).status_code == 204
    assert read(client, url).status_code == 404


def test_reads_of_a_calendar_are_limited_by_the_hour(make_app: MakeApp, ann: Person) -> None:
    client = make_app(limit_calendar_reads_per_account=2).test_client()
    url = url_of(client, ann)
    assert [read(client, url).status_code for _ in range(3)] == [200, 200, 429]
    assert int(read(client, url).headers["Retry-After"]) > 0
