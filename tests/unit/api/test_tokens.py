"""Codes are exchanged for tokens: once, in time, however many guesses are made.

Tokens are listed and revoked by their owner.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from werkzeug.test import TestResponse

from service.access import secrets
from service.commands import sign_in
from service.store.base import db
from tests.support.clock import Clock
from tests.support.web import KEYS, Person, codes_for

EMAIL = "ann@example.org"


def send_code(app: Flask, email: str = EMAIL) -> str:
    app.test_client().post("/v1/sign-ins", json={"email": email})
    return codes_for(app, email)[0]


def redeem(app: Flask, code: str, email: str = EMAIL, ip: str = "127.0.0.1", **more: Any) -> TestResponse:
    given = {"email": email, "code": code, **more}
    return app.test_client().post("/v1/tokens", json=given, environ_overrides={"REMOTE_ADDR": ip})


def together(number: int, call: Callable[[int], TestResponse]) -> list[TestResponse]:
    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(call, range(number)))


def count(app: Flask, query: str) -> int:
    with app.app_context():
        return int(db.session.scalar(text(query)) or 0)


def test_the_first_token_makes_the_account(app: Flask) -> None:
    answer = redeem(app, send_code(app), name="Ann", language="fr", label="laptop", expires_in_days=30)
    assert answer.status_code == 201
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.get_json()["label"] == "laptop"
    assert answer.get_json()["created_at"] == "2026-11-27T20:56:00.123Z"
    assert answer.get_json()["expires_at"] == "2026-12-27T20:56:00.123Z"
    account = answer.get_json()["account"]
    assert (account["email"], account["name"], account["language"]) == (EMAIL, "Ann", "fr")
    shown = app.test_client().get("/v1/me", headers={"Authorization": f"Bearer {answer.get_json()['token']}"})
    assert shown.get_json() == account


def test_an_account_that_is_there_keeps_its_name_and_language(app: Flask) -> None:
    first = redeem(app, send_code(app), name="Ann", language="fr").get_json()["account"]
    second = redeem(app, send_code(app), name="Eve", language="de").get_json()["account"]
    assert second == first


def test_the_database_holds_neither_codes_nor_tokens(app: Flask) -> None:
    code = send_code(app)
    token = redeem(app, code).get_json()["token"]
    with app.app_context():
        for table in ("codes", "tokens", "procrastinate_jobs", "idempotency", "rate_limits"):
            kept = str(db.session.execute(text(f"SELECT * FROM {table}")).all())
            assert token not in kept
            assert code not in kept
            assert code.replace("-", "") not in kept


def test_a_code_may_be_typed_in_any_way(app: Flask) -> None:
    spellings: list[Callable[[str], str]] = [str.lower, " {} ".format, lambda c: c.replace("-", ""), "-".join]
    for spell in spellings:
        assert redeem(app, spell(send_code(app))).status_code == 201


def test_a_code_is_good_once(app: Flask) -> None:
    code = send_code(app)
    assert redeem(app, code).status_code == 201
    assert redeem(app, code).status_code == 403


def test_an_older_code_stays_good(app: Flask) -> None:
    older, newer = send_code(app), send_code(app)
    assert redeem(app, older).status_code == 201
    assert redeem(app, newer).status_code == 201


def test_a_code_is_good_for_15_minutes(app: Flask, clock: Clock) -> None:
    code = send_code(app)
    clock.advance(minutes=14, seconds=59)
    assert redeem(app, code).status_code == 201
    code = send_code(app)
    clock.advance(minutes=15)
    assert redeem(app, code).status_code == 403


def test_all_that_is_wrong_with_a_code_is_refused_alike(app: Flask, clock: Clock) -> None:
    used = send_code(app)
    redeem(app, used)
    of_another = send_code(app, "bob@example.org")
    expired = send_code(app)
    clock.advance(minutes=15)
    send_code(app)
    answers = [redeem(app, code) for code in (used, of_another, expired, "AAAAA-AAAAA", "é", "x")]
    answers.append(redeem(app, "AAAAA-AAAAA", "nobody@example.org"))
    assert {(answer.status_code, answer.data) for answer in answers} == {(403, answers[0].data)}
    assert answers[0].get_json()["code"] == "code_invalid"


def test_a_strangers_wrong_tries_kill_no_code(make_app: Callable[..., Flask]) -> None:
    app = make_app(limit_code_tries=6)
    code = send_code(app)
    tries = [redeem(app, "AAAAA-AAAAA", ip="203.0.113.7") for _ in range(8)]
    assert [answer.status_code for answer in tries] == [403] * 6 + [429] * 2
    assert (tries[-1].get_json()["code"], tries[-1].headers["Retry-After"]) == ("too_many_tries", "3600")
    assert redeem(app, code, ip="203.0.113.7").status_code == 429
    assert redeem(app, code, ip="203.0.113.8").status_code == 201


def test_tries_are_let_through_again_after_an_hour(make_app: Callable[..., Flask], clock: Clock) -> None:
    app = make_app(limit_code_tries=1)
    assert [redeem(app, "AAAAA-AAAAA").status_code for _ in range(2)] == [403, 429]
    clock.advance(hours=1)
    assert redeem(app, send_code(app)).status_code == 201


def test_tries_count_for_all_addresses_of_a_network(make_app: Callable[..., Flask]) -> None:
    app = make_app(limit_code_tries=2)
    hosts = [f"2001:db8:0:1:{number:x}::1" for number in range(3)]
    statuses = [redeem(app, "AAAAA-AAAAA", f"p{n}@example.org", ip=ip).status_code for n, ip in enumerate(hosts)]
    assert statuses == [403, 403, 429]
    nets = [f"2001:db8:0:{number:x}::1" for number in range(2, 40)]
    statuses = [redeem(app, "AAAAA-AAAAA", ip=ip).status_code for ip in nets]
    assert statuses == [403] * 30 + [429] * 8, "16 times as many of a /48"


def test_a_right_code_counts_as_no_try(make_app: Callable[..., Flask]) -> None:
    app = make_app(limit_code_tries=1)
    codes = [send_code(app) for _ in range(3)]
    assert [redeem(app, code).status_code for code in codes] == [201, 201, 201]


def test_a_malformed_request_counts_as_no_try(make_app: Callable[..., Flask]) -> None:
    app = make_app(limit_code_tries=1)
    assert [redeem(app, "").status_code for _ in range(3)] == [422] * 3
    assert redeem(app, "AAAAA-AAAAA").status_code == 403


def test_guesses_at_once_do_not_get_more_tries(make_app: Callable[..., Flask]) -> None:
    app = make_app(limit_code_tries=6)
    send_code(app)
    answers = together(16, lambda number: redeem(app, f"AAAAA-AAA{number:02}"))
    assert sorted(answer.status_code for answer in answers) == [403] * 6 + [429] * 10


def test_a_code_used_many_times_at_once_is_good_once(app: Flask) -> None:
    code = send_code(app)
    answers = together(8, lambda _: redeem(app, code))
    assert sorted(answer.status_code for answer in answers) == [201] + [403] * 7
    assert count(app, "SELECT count(*) FROM tokens") == 1


def test_first_tokens_at_once_make_one_account(app: Flask) -> None:
    codes = [send_code(app) for _ in range(4)]

    def insist(number: int) -> TestResponse:
        """Repeat the request as a client does: a slow machine may let it wait too long for a lock."""
        answer = redeem(app, codes[number])
        return redeem(app, codes[number]) if answer.status_code == 503 else answer

    answers = together(4, insist)
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.get_json()["account"]["id"] for answer in answers}) == 1
    assert count(app, "SELECT count(*) FROM accounts") == 1


def test_a_code_made_with_an_older_secret_key_is_good(app: Flask, make_app: Callable[..., Flask]) -> None:
    code = send_code(app)
    rotated = make_app(secret_keys=("the key that came after, again with 32 characters", *KEYS))
    assert redeem(rotated, code).status_code == 201


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"code": ""}, "code"),
        ({"code": "x" * 41}, "code"),
        ({"code": 5}, "code"),
        ({"name": "<script>"}, "name"),
        ({"name": "Ann\r\nBcc: eve@example.org"}, "name"),
        ({"name": "\u202eAnn"}, "name"),
        ({"name": ""}, "name"),
        ({"name": "   "}, "name"),
        ({"name": "x" * 31}, "name"),
        ({"name": "ann@example.org"}, "name"),
        ({"name": "www.example.org"}, "name"),
        ({"name": None}, "name"),
        ({"language": "it"}, "language"),
        ({"language": "EN"}, "language"),
        ({"label": "a\nb"}, "label"),
        ({"label": "a\u0000b"}, "label"),
        ({"label": "x" * 61}, "label"),
        ({"expires_in_days": 0}, "expires_in_days"),
        ({"expires_in_days": 3651}, "expires_in_days"),
        ({"expires_in_days": 1.5}, "expires_in_days"),
        ({"expires_in_days": "30"}, "expires_in_days"),
        ({"expires_in_days": True}, "expires_in_days"),
        ({"admin": True}, "admin"),
    ],
)
def test_each_wrong_field_is_named(offline: FlaskClient, changes: dict[str, Any], field: str) -> None:
    answer = offline.post("/v1/tokens", json={"email": EMAIL, "code": "AAAAA-AAAAA"} | changes)
    assert answer.status_code == 422
    assert [entry["field"] for entry in answer.get_json()["errors"]] == [field]


def test_a_whole_number_may_be_spelled_as_a_float(app: Flask) -> None:
    answer = redeem(app, send_code(app), expires_in_days=6.0)
    assert answer.get_json()["expires_at"] == "2026-12-03T20:56:00.123Z"


def test_a_token_ends_at_its_time(app: Flask, clock: Clock) -> None:
    token = redeem(app, send_code(app), expires_in_days=1).get_json()["token"]
    headers = {"Authorization": f"Bearer {token}"}
    clock.advance(days=1, seconds=-1)
    assert app.test_client().get("/v1/me", headers=headers).status_code == 200
    clock.advance(seconds=1)
    assert app.test_client().get("/v1/me", headers=headers).status_code == 401


def test_tokens_are_listed_newest_first_page_by_page(app: Flask, client: FlaskClient, clock: Clock) -> None:
    for number in range(5):
        made = redeem(app, send_code(app), label=f"number {number}").get_json()
        clock.advance(seconds=1)
    headers = {"Authorization": f"Bearer {made['token']}"}
    first = client.get("/v1/tokens?limit=3", headers=headers)
    assert [item["label"] for item in first.get_json()["items"]] == ["number 4", "number 3", "number 2"]
    assert [item["current"] for item in first.get_json()["items"]] == [True, False, False]
    assert first.headers["Link"] == f'</v1/tokens?limit=3&cursor={first.get_json()["next"]}>; rel="next"'
    assert made["token"] not in first.text
    rest = client.get(first.headers["Link"][1:].partition(">")[0], headers=headers)
    assert [item["label"] for item in rest.get_json()["items"]] == ["number 1", "number 0"]
    assert rest.get_json()["next"] is None
    assert "Link" not in rest.headers


def test_a_wrong_query_is_named(client: FlaskClient, sign_up: Callable[..., Person]) -> None:
    ann = sign_up()
    cursors = ("x", "", "WzFd", "%00", "W1tb" * 40)
    limits = ("0", "101", "x", "+5", "5_0", "%20", "1&limit=2")
    for query in (*(f"cursor={c}" for c in cursors), *(f"limit={n}" for n in limits), "unknown=1"):
        answer = client.get(f"/v1/tokens?{query}", headers=ann.headers)
        assert answer.status_code == 422, query
        assert [(entry["in"], entry["field"]) for entry in answer.get_json()["errors"]] == [
            ("query", query.partition("=")[0])
        ]


def test_one_token_too_many_takes_the_place_of_the_oldest(
    app: Flask, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = (Path(__file__).parents[3] / "openapi.yaml").read_text()
    assert f"An account can have {sign_in.MOST_TOKENS} tokens; one more replaces the oldest." in document
    monkeypatch.setattr(sign_in, "MOST_TOKENS", 3)
    others = redeem(app, send_code(app, "bob@example.org"), "bob@example.org").get_json()["token"]
    tokens = []
    for _ in range(5):
        clock.advance(seconds=1)
        tokens.append(redeem(app, send_code(app)).get_json()["token"])
    headers = [{"Authorization": f"Bearer {token}"} for token in (*tokens, others)]
    statuses = [app.test_client().get("/v1/me", headers=each).status_code for each in headers]
    assert statuses == [401, 401, 200, 200, 200, 200]


def test_a_revoked_token_is_no_longer_good(client: FlaskClient, sign_up: Callable[..., Person]) -> None:
    ann = sign_up()
    (token,) = client.get("/v1/tokens", headers=ann.headers).get_json()["items"]
    answer = client.delete(f"/v1/tokens/{token['id']}", headers=ann.headers)
    assert (answer.status_code, answer.data) == (204, b"")
    assert client.get("/v1/me", headers=ann.headers).status_code == 401


def test_a_token_of_somebody_else_is_not_found(client: FlaskClient, sign_up: Callable[..., Person]) -> None:
    ann, bob = sign_up(), sign_up()
    (token,) = client.get("/v1/tokens", headers=bob.headers).get_json()["items"]
    answer = client.delete(f"/v1/tokens/{token['id']}", headers=ann.headers)
    assert (answer.status_code, answer.get_json()["code"]) == (404, "token_unknown")
    for unknown in ("aaaaaaaaaaaa", "x", "%00", "..%2f"):
        assert client.delete(f"/v1/tokens/{unknown}", headers=ann.headers).status_code == 404
    assert client.get("/v1/me", headers=bob.headers).status_code == 200


def test_without_a_valid_token_it_is_401_before_all_else(client: FlaskClient) -> None:
    wrong = [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        "Basic YTpi",
        f"Bearer {'A' * 43}",
        f"Bearer {'é' * 43}",
        f"Bearer  {'A' * 43}",
    ]
    for header, code in [(None, "token_missing"), *((header, "token_invalid") for header in wrong)]:
        answer = client.get("/v1/me?unknown=1", headers={} if header is None else {"Authorization": header})
        assert (answer.status_code, answer.get_json()["code"]) == (401, code)
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_code_for_another_purpose_does_not_sign_in(app: Flask, sign_up: Callable[..., Person]) -> None:
    ann = sign_up()
    app.test_client().patch("/v1/me", json={"email": "new@example.org"}, headers=ann.headers)
    (code,) = codes_for(app, "new@example.org", "email-change")
    assert redeem(app, code, "new@example.org").status_code == 403
    with app.app_context():
        id = db.session.scalar(text("SELECT id FROM codes WHERE purpose = 'email-change'"))
    assert redeem(app, secrets.code(KEYS, "sign-in", id), "new@example.org").status_code == 403
