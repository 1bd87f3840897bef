"""Quiet times over HTTP: what may be set and how often, and in which games it does not count yet."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.api.quiet_time_schemas import QuietTimesSchema
from tests.support.clock import Clock
from tests.support.http_games import SignUp, start
from tests.support.web import Person

PATH = "/v1/me/quiet-times"
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
NIGHTS = [{"days": DAYS, "from": "22:00", "to": "07:00"}]


def put(client: FlaskClient, person: Person, quiet: Any, **more: Any) -> TestResponse:
    return client.put(PATH, json={"quiet": quiet, **more}, headers=person.headers)


def window(begins: str, ends: str, *days: str) -> dict[str, Any]:
    return {"days": list(days or DAYS), "from": begins, "to": ends}


def test_an_account_that_has_set_nothing_has_no_quiet_times(client: FlaskClient, ann: Person) -> None:
    found = client.get(PATH, headers=ann.headers)
    assert found.get_json() == {"zone": "UTC", "quiet": [], "not_yet_in": []}
    assert client.get(PATH).status_code == 401


def test_clocks_3_1_what_is_set_is_shown(client: FlaskClient, ann: Person) -> None:
    told = {"zone": "Europe/Berlin", "quiet": NIGHTS, "not_yet_in": []}
    for answer in (put(client, ann, NIGHTS, zone="Europe/Berlin"), client.get(PATH, headers=ann.headers)):
        assert (answer.status_code, answer.get_json()) == (200, told)
        assert QuietTimesSchema().validate(answer.get_json()) == {}
    assert client.get("/v1/me/notifications", headers=ann.headers).get_json()["zone"] == "Europe/Berlin"
    assert put(client, ann, []).get_json() == {**told, "quiet": []}


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({}, "quiet"),
        ({"quiet": None}, "quiet"),
        ({"quiet": "22:00"}, "quiet"),
        ({"quiet": [{"days": DAYS, "from": "22:00"}]}, "quiet.0.to"),
        ({"quiet": [window("22:10", "07:00")]}, "quiet.0.from"),
        ({"quiet": [window("22:00", "24:00")]}, "quiet.0.to"),
        ({"quiet": [window("22:00", "7:00")]}, "quiet.0.to"),
        ({"quiet": [window("22:00", "07:00", "monday")]}, "quiet.0.days.0"),
        ({"quiet": [{**NIGHTS[0], "zone": "UTC"}]}, "quiet.0.zone"),
        ({"quiet": [window("22:00", "22:15", "mon")] * 15}, "quiet"),
        ({"quiet": NIGHTS, "zone": "Mars/Olympus"}, "zone"),
    ],
)
def test_clocks_3_1_what_no_window_is_gets_refused(
    client: FlaskClient, ann: Person, sent: dict[str, Any], field: str
) -> None:
    answer = client.put(PATH, json=sent, headers=ann.headers)
    assert (answer.status_code, answer.get_json()["code"]) == (422, "wrong_fields")
    assert [wrong["field"] for wrong in answer.get_json()["errors"]] == [field]


def test_clocks_3_1_two_thirds_of_a_week_are_the_most(client: FlaskClient, ann: Person) -> None:
    assert put(client, ann, [window("06:00", "22:00")]).status_code == 200
    answer = put(client, ann, [window("06:00", "22:15")])
    assert (answer.status_code, answer.get_json()["code"]) == (422, "too_much_quiet")
    assert client.get(PATH, headers=ann.headers).get_json()["quiet"] == [window("06:00", "22:00")]


def test_clocks_3_5_six_changes_in_thirty_days(client: FlaskClient, ann: Person, clock: Clock) -> None:
    for zone in ("UTC", "Europe/Berlin", "Europe/Paris"):
        clock.advance(days=1)
        assert put(client, ann, NIGHTS, zone=zone).status_code == 200
    for zone in ("Asia/Tokyo", "UTC", "Europe/Berlin"):
        clock.advance(days=1)
        changed = client.patch("/v1/me/notifications", json={"zone": zone}, headers=ann.headers)
        assert changed.status_code == 200
    same = client.patch("/v1/me/notifications", json={"zone": "Europe/Berlin"}, headers=ann.headers)
    assert same.status_code == 200
    for answer in (
        put(client, ann, []),
        client.patch("/v1/me/notifications", json={"zone": "UTC"}, headers=ann.headers),
    ):
        assert (answer.status_code, answer.get_json()["code"]) == (429, "too_often")
        assert int(answer.headers["Retry-After"]) == 25 * 24 * 3600
        assert '"quiet-times-per-account";q=6;w=2592000' in answer.headers["RateLimit-Policy"]
        assert '"quiet-times-per-account";r=0;t=2160000' in answer.headers["RateLimit"]
    clock.advance(days=25)
    assert put(client, ann, []).status_code == 200


def test_clocks_3_4_without_quiet_times_there_is_nothing_to_wait_for(
    client: FlaskClient, ann: Person, sign_up: SignUp
) -> None:
    game = start(client, ann, sign_up("Ben"), clock="day")
    mover = game.to_move()
    assert client.get(PATH, headers=mover.headers).get_json()["not_yet_in"] == []
    assert put(client, mover, []).get_json()["not_yet_in"] == []
    zone = {"zone": "Asia/Tokyo", "quiet": []}
    assert client.put(PATH, json=zone, headers=mover.headers).get_json()["not_yet_in"] == []


def test_clocks_3_4_the_answer_names_the_games_where_it_waits(
    client: FlaskClient, ann: Person, sign_up: SignUp, clock: Clock
) -> None:
    ben = sign_up("Ben")
    game, other, without = (
        start(client, ann, ben, **chosen) for chosen in ({"clock": "day"}, {"clock": "day", "quiet": False}, {})
    )
    mover, waiting = (ann, ben) if game.to_move() == ann else (ben, ann)
    clock.advance(minutes=1)
    assert put(client, mover, NIGHTS).get_json()["not_yet_in"] == [game.id]
    assert put(client, waiting, NIGHTS).get_json()["not_yet_in"] == []
    assert client.get(PATH, headers=mover.headers).get_json()["not_yet_in"] == [game.id]
    while game.to_move() == mover:
        clock.advance(minutes=1)
        game.move()
    assert client.get(PATH, headers=mover.headers).get_json()["not_yet_in"] == []
    assert client.get(PATH, headers=waiting.headers).get_json()["not_yet_in"] == []
    assert {other.id, without.id}.isdisjoint(client.get(PATH, headers=ann.headers).get_json()["not_yet_in"])
