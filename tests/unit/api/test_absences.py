"""Absences over HTTP: how they are announced, refused and ended, and what a table sees of them."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.api.absence_schemas import AbsenceListSchema, AnnouncedAbsenceSchema, ReturnSchema
from tests.support.clock import Clock
from tests.support.http_games import SignUp, start
from tests.support.web import Person

PATH, BACK = "/v1/me/absences", "/v1/me/back"
NOW = "2026-11-27T20:56:00.123Z"


def announce(client: FlaskClient, person: Person, **asked: Any) -> TestResponse:
    return client.post(PATH, json={name.rstrip("_"): value for name, value in asked.items()}, headers=person.headers)


def told(client: FlaskClient, person: Person) -> list[dict[str, str]]:
    found = client.get(PATH, headers=person.headers).get_json()
    assert AbsenceListSchema().validate(found) == {}
    items: list[dict[str, str]] = found["items"]
    return items


def test_clocks_4_1_days_are_those_of_the_zone_the_last_included(client: FlaskClient, ann: Person) -> None:
    client.patch("/v1/me/notifications", json={"zone": "Europe/Berlin"}, headers=ann.headers)
    answer = announce(client, ann, from_="2026-12-01", until="2026-12-05")
    absence = {"announced_at": NOW, "from": "2026-11-30T23:00:00.000Z", "until": "2026-12-05T23:00:00.000Z"}
    assert answer.status_code == 201
    assert answer.get_json() == {**absence, "moved": False, "not_in": []}
    assert AnnouncedAbsenceSchema().validate(answer.get_json()) == {}
    assert told(client, ann) == [absence]


def test_clocks_4_1_times_are_taken_with_their_offset(client: FlaskClient, ann: Person) -> None:
    asked = {"from_": "2026-12-01T09:30:00+01:00", "until": "2026-12-05T00:00Z"}
    shown = announce(client, ann, **asked).get_json()
    assert (shown["from"], shown["until"]) == ("2026-12-01T08:30:00.000Z", "2026-12-05T00:00:00.000Z")


@pytest.mark.parametrize(
    ("begins", "moved"),
    [({}, False), ({"from_": None}, False), ({"from_": "2026-11-27"}, False), ({"from_": "2026-11-28T00:00Z"}, True)],
)
def test_clocks_4_2_it_counts_from_twelve_hours_after_the_word(
    client: FlaskClient, ann: Person, begins: dict[str, Any], moved: bool
) -> None:
    shown = announce(client, ann, **begins, until="2026-12-05").get_json()
    assert (shown["from"], shown["moved"]) == ("2026-11-28T08:56:00.123Z", moved)


@pytest.mark.parametrize(
    ("begins", "until", "code"),
    [
        ("2026-11-26", "2026-12-05", "past"),
        ("2026-11-27T20:55:59Z", "2026-12-05", "past"),
        (None, "2026-11-28", "too_short"),
        ("2026-12-01T00:00Z", "2026-12-01T23:59Z", "too_short"),
        ("2026-12-01", "2026-12-22", "too_long"),
        ("2028-06-01", "2028-06-05", "too_far"),
        ("2026-12-03", "2026-12-11", "overlap"),
        ("2026-12-05", "2026-12-25", "allowance"),
    ],
)
def test_clocks_4_what_no_absence_may_be_is_refused(
    client: FlaskClient, ann: Person, begins: str | None, until: str, code: str
) -> None:
    assert announce(client, ann, from_="2026-12-08", until="2026-12-10").status_code == 201
    if code == "allowance":
        assert announce(client, ann, from_="2026-11-29", until="2026-12-07").status_code == 201
        begins, until = "2026-12-11", "2026-12-31"
    before = told(client, ann)
    answer = announce(client, ann, from_=begins, until=until)
    assert (answer.status_code, answer.get_json()["code"]) == (422, code)
    assert told(client, ann) == before


@pytest.mark.parametrize(
    "until",
    [
        "2026-12-15T10:00:00.1239999Z",
        "2026-12-15T10:00:00.123999999Z",
        "2026-12-15t10:00:00.123z",
        "2026-12-15T11:00:00.123456+01:00",
    ],
)
def test_a_time_may_have_every_form_of_rfc_3339(client: FlaskClient, ann: Person, until: str) -> None:
    announced = announce(client, ann, until=until)
    assert announced.status_code == 201, announced.text
    assert announced.get_json()["until"] == "2026-12-15T10:00:00.123Z"


@pytest.mark.parametrize("until", ["2026-12-15T10:00:00.1234567891Z", "2026-12-15T10:00:00.Z", "2026-12-15 10:00:00Z"])
def test_a_time_in_no_form_of_rfc_3339_is_refused(client: FlaskClient, ann: Person, until: str) -> None:
    assert announce(client, ann, until=until).status_code == 422


@pytest.mark.parametrize(
    "wrong", ["2026-12-32", "5 December", "2026-12-05T10:00:00", "", None, 5, "0001-01-01", "9999-12-31"]
)
def test_what_is_no_day_and_no_time_is_refused(client: FlaskClient, ann: Person, wrong: Any) -> None:
    answer = announce(client, ann, until=wrong)
    assert (answer.status_code, answer.get_json()["code"]) == (422, "wrong_fields")
    assert answer.get_json()["errors"][0]["field"] == "until"


def test_a_repeated_request_announces_once(client: FlaskClient, ann: Person) -> None:
    headers = {**ann.headers, "Idempotency-Key": "once"}
    answers = [client.post(PATH, json={"until": "2026-12-05"}, headers=headers) for _ in range(2)]
    assert answers[0].data == answers[1].data and answers[1].status_code == 201
    assert len(told(client, ann)) == 1


def test_clocks_4_5_back_ends_the_one_that_is_on_and_calls_off_the_rest(
    client: FlaskClient, ann: Person, clock: Clock
) -> None:
    for begins, until in (("2026-11-29", "2026-12-05"), ("2026-12-20", "2026-12-24")):
        assert announce(client, ann, from_=begins, until=until).status_code == 201
    clock.advance(days=5)
    answer = client.post(BACK, headers=ann.headers)
    assert answer.status_code == 200 and ReturnSchema().validate(answer.get_json()) == {}
    assert [each["from"] for each in answer.get_json()["ended"]] == [
        "2026-11-29T00:00:00.000Z",
        "2026-12-20T00:00:00.000Z",
    ]
    assert answer.get_json()["seats_taken_back"] == []
    assert [each["until"] for each in told(client, ann)] == ["2026-12-02T20:56:00.123Z"]
    again = client.post(BACK, headers=ann.headers)
    assert again.get_json() == {"ended": [], "seats_taken_back": []}


def test_absences_are_listed_in_order_until_their_year_is_over(client: FlaskClient, ann: Person, clock: Clock) -> None:
    for begins, until in (("2027-02-01", "2027-02-03"), ("2027-01-04", "2027-01-06"), ("2026-12-01", "2026-12-05")):
        assert announce(client, ann, from_=begins, until=until).status_code == 201
    firsts = ["2026-12-01T00:00:00.000Z", "2027-01-04T00:00:00.000Z", "2027-02-01T00:00:00.000Z"]
    assert [each["from"] for each in told(client, ann)] == firsts
    clock.advance(days=40)
    assert [each["from"] for each in told(client, ann)] == firsts[1:]


def test_clocks_4_7_the_answer_names_the_games_where_it_does_not_count(
    client: FlaskClient, ann: Person, sign_up: SignUp
) -> None:
    ben = sign_up("Ben")
    games = [start(client, ann, ben, clock="day", absences=absences) for absences in (True, False)]
    shown = announce(client, ann, until="2026-12-05").get_json()
    assert shown["not_in"] == [games[1].id]


def test_clocks_11_2_only_the_table_sees_who_is_away(client: FlaskClient, ann: Person, sign_up: SignUp) -> None:
    ben = sign_up("Ben")
    game = start(client, ann, ben, clock="week")
    tag = game.get(reader=ben).headers["ETag"]
    shown = announce(client, ann, until="2026-12-05").get_json()
    away = [{"seat": 0, "from": shown["from"], "until": shown["until"]}]
    assert game.view(ben)["clock"]["away"] == game.view(ann)["clock"]["away"] == away
    assert client.get(game.path).get_json()["clock"]["away"] == []
    assert client.get(game.path, headers={**ben.headers, "If-None-Match": tag}).status_code == 200
    client.post(BACK, headers=ann.headers)
    assert game.view(ben)["clock"]["away"] == []
