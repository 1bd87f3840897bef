"""``Idempotency-Key`` on the confirmation of an address, the one POST of an account that has an effect only once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from werkzeug.test import TestResponse

from service.api.stored_responses import body_hash
from service.store.base import db
from tests.support.clock import Clock
from tests.support.web import Person, codes_for

NEW = "new@example.org"


def a_code(app: Flask, person: Person, email: str = NEW) -> str:
    app.test_client().patch("/v1/me", json={"email": email}, headers=person.headers)
    return codes_for(app, email, "email-change")[0]


def confirm(app: Flask, person: Person, sent: str, key: str | None, query: str = "") -> TestResponse:
    headers = person.headers | {"Content-Type": "application/json"}
    if key is not None:
        headers["Idempotency-Key"] = key
    return app.test_client().post(f"/v1/me/email{query}", data=sent, headers=headers)


def told(app: Flask) -> int:
    with app.app_context():
        query = text("SELECT count(*) FROM procrastinate_jobs WHERE task_name = 'mail_address_changed'")
        return int(db.session.scalar(query) or 0)


def test_the_same_request_gets_the_same_answer_and_nothing_happens_again(app: Flask, ann: Person) -> None:
    code = a_code(app, ann)
    first = confirm(app, ann, f'{{"code": "{code}"}}', "k")
    assert first.status_code == 200
    for spelling in (f'{{"code": "{code}"}}', f'\n {{ "code":"{code}" }}', f'{{"\\u0063ode": "{code}"}}'):
        again = confirm(app, ann, spelling, "k")
        assert (again.status_code, again.data, again.content_type) == (200, first.data, first.content_type)
        assert "private" in again.headers["Cache-Control"]
    assert told(app) == 1
    assert confirm(app, ann, f'{{"code": "{code}"}}', None).status_code == 403


def test_five_at_once_are_one(app: Flask, ann: Person) -> None:
    code = a_code(app, ann)
    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(lambda _: confirm(app, ann, f'{{"code": "{code}"}}', "k"), range(5)))
    assert {(answer.status_code, answer.data) for answer in answers} == {(200, answers[0].data)}
    assert told(app) == 1


def test_a_key_with_another_body_is_refused(app: Flask, ann: Person) -> None:
    code = a_code(app, ann)
    confirm(app, ann, f'{{"code": "{code}"}}', "k")
    refused = confirm(app, ann, '{"code": "AAAAA-AAAAA"}', "k")
    assert (refused.status_code, refused.get_json()["code"]) == (422, "idempotency_key_reused")


def test_a_refusal_leaves_the_key_free(app: Flask, ann: Person) -> None:
    code = a_code(app, ann)
    assert confirm(app, ann, '{"code": "AAAAA-AAAAA"}', "k").status_code == 403
    assert confirm(app, ann, f'{{"code": "{code}"}}', "k").status_code == 200


def test_a_refusal_frees_no_other_key(app: Flask, ann: Person) -> None:
    code = a_code(app, ann)
    first = confirm(app, ann, f'{{"code": "{code}"}}', "k")
    assert confirm(app, ann, '{"code": "AAAAA-AAAAA"}', "l").status_code == 403
    again = confirm(app, ann, f'{{"code": "{code}"}}', "k")
    assert (first.status_code, again.status_code, again.data) == (200, 200, first.data)


def test_a_try_counts_with_a_key_too(make_app: Callable[..., Flask], ann: Person) -> None:
    app = make_app(limit_code_tries=2)
    code = a_code(app, ann)
    for key in ("k", "l"):
        assert confirm(app, ann, '{"code": "AAAAA-AAAAA"}', key).status_code == 403
    assert confirm(app, ann, f'{{"code": "{code}"}}', "m").status_code == 429


def test_a_key_is_that_of_one_account(app: Flask, ann: Person, sign_up: Callable[..., Person]) -> None:
    bob = sign_up("Bob")
    confirm(app, ann, f'{{"code": "{a_code(app, ann)}"}}', "k")
    other = confirm(app, bob, f'{{"code": "{a_code(app, bob, "bob2@example.org")}"}}', "k")
    assert other.get_json()["email"] == "bob2@example.org"


def test_a_key_is_that_of_one_path(client: FlaskClient, ann: Person, sign_up: Callable[..., Person]) -> None:
    headers = sign_up("Bob").headers | {"Idempotency-Key": "k"}
    games = [client.post("/v1/games", json={"seats": 3}, headers=ann.headers).get_json()["id"] for _ in range(2)]
    for game in games:
        joined = client.post(f"/v1/games/{game}/players", json={}, headers=headers)
        assert (joined.status_code, joined.get_json()["id"]) == (201, game)
    assert client.post("/v1/games", json={"seats": 3}, headers=headers).get_json()["id"] not in games


def test_after_24_hours_a_key_is_new(app: Flask, ann: Person, clock: Clock) -> None:
    confirm(app, ann, f'{{"code": "{a_code(app, ann)}"}}', "k")
    clock.advance(hours=24, seconds=-1)
    assert confirm(app, ann, '{"code": "x"}', "k").get_json()["code"] == "idempotency_key_reused"
    clock.advance(seconds=1)
    newer = confirm(app, ann, f'{{"code": "{a_code(app, ann, "newer@example.org")}"}}', "k")
    assert newer.get_json()["email"] == "newer@example.org"
    assert told(app) == 2


def test_a_key_is_looked_at_after_the_body_and_before_the_command(app: Flask, ann: Person) -> None:
    for key in ("", " ", "x" * 256, "a b", "é", "\x7f"):
        refused = confirm(app, ann, '{"code": "AAAAA-AAAAA"}', key)
        assert (refused.status_code, refused.get_json()["code"]) == (400, "idempotency_key_malformed"), key
    assert confirm(app, ann, "{}", "").get_json()["code"] == "wrong_fields"
    assert confirm(app, ann, '{"code": "AAAAA-AAAAA"}', "x" * 255).status_code == 403


def test_numbers_compare_by_value() -> None:
    same: list[Any] = [{"a": [6, {"b": 6.0}], "c": None}, {"c": None, "a": [6.0, {"b": 6}]}]
    assert body_hash(same[0]) == body_hash(same[1])
    others: list[Any] = [{"a": [6.5]}, {"a": ["6"]}, {"a": [True]}, {"a": [1]}, {}, []]
    for other in others:
        assert body_hash(other) != body_hash(same[0])
    assert body_hash(True) != body_hash(1)
    assert body_hash(None) == body_hash({})
