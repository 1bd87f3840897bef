"""The budgets of requests over HTTP: by token, by network without one, in several processes, and their headers."""

from collections.abc import Callable
from typing import Any

import http_sf
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text
from werkzeug.test import TestResponse

from service.config import Settings
from service.store.base import db
from tests.support.clock import Clock
from tests.support.http_games import SignUp
from tests.support.web import KEYS, Person, opened

MakeApp = Callable[..., Flask]
TILES = "/v1/tiles"


def limits(answer: TestResponse, name: str) -> dict[str, dict[str, int]]:
    """Return the values of each limit in a header, as a parser of structured fields reads it."""
    lines = ", ".join(answer.headers.getlist(name))
    parsed: Any = http_sf.parse(lines.encode(), tltype="list")
    return dict(parsed)


def statuses(client: FlaskClient, path: str, times: int, **options: Any) -> list[int]:
    return [client.get(path, **options).status_code for _ in range(times)]


def test_a_token_has_its_budget_in_all_processes_together(make_app: MakeApp, ann: Person, sign_up: SignUp) -> None:
    clients = [make_app(limit_requests_per_token=10).test_client() for _ in range(3)]
    answered = [clients[number % 3].get("/v1/me", headers=ann.headers) for number in range(30)]
    assert [each.status_code for each in answered].count(200) == 10
    assert {each.status_code for each in answered} == {200, 429}
    assert clients[0].get("/v1/me", headers=sign_up("Ben").headers).status_code == 200
    assert clients[0].get(TILES).status_code == 200


def test_each_answer_tells_what_is_left(make_app: MakeApp, ann: Person) -> None:
    client = make_app(limit_requests_per_token=100, limit_requests_per_ip=500).test_client()
    for left, path, status in ((99, "/v1/me", 200), (98, "/v1/games/aaaaaaaaaaaa", 404), (97, TILES, 200)):
        answer = client.get(path, headers=ann.headers)
        assert answer.status_code == status
        assert limits(answer, "RateLimit-Policy") == {"requests-per-token": {"q": 100, "w": 60}}
        [(name, said)] = limits(answer, "RateLimit").items()
        assert (name, said["r"]) == ("requests-per-token", left) and 55 <= said["t"] <= 60
    assert limits(client.get(TILES), "RateLimit")["requests-per-ip"]["r"] == 499


def test_a_request_too_many_is_told_when_to_try_again(make_app: MakeApp, ann: Person) -> None:
    client = make_app(limit_requests_per_token=2).test_client()
    *_, refused = (client.get("/v1/me", headers=ann.headers | {"Accept-Language": "fr"}) for _ in range(3))
    assert (refused.status_code, refused.get_json()["code"]) == (429, "too_many_requests")
    assert refused.mimetype == "application/problem+json" and refused.headers["Content-Language"] == "fr"
    assert 55 <= int(refused.headers["Retry-After"]) <= 60
    assert limits(refused, "RateLimit") == {"requests-per-token": {"r": 0, "t": int(refused.headers["Retry-After"])}}
    assert refused.headers["Access-Control-Allow-Origin"] == "*" and refused.headers["X-Request-Id"]
    assert client.head("/v1/me", headers=ann.headers).status_code == 429


def test_a_caller_without_a_token_is_counted_by_network(make_app: MakeApp, ann: Person) -> None:
    client = make_app(limit_requests_per_ip=3, limit_requests_per_token=1000, trusted_proxies=1).test_client()

    def come(*networks: str) -> list[int]:
        return [client.get(TILES, headers={"X-Forwarded-For": each}).status_code for each in networks]

    assert come("192.0.2.1", "192.0.2.1", "192.0.2.1:81", "192.0.2.1") == [200, 200, 200, 429]
    assert come("192.0.2.2", "6.6.6.6, 192.0.2.1") == [200, 429]
    assert come("2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8::4") == [200, 200, 200, 429]
    around = [f"2001:db8:0:{number:x}::1" for number in range(1, 60)]
    assert come(*around).count(200) == 16 * 3 - 3
    near = client.get(TILES, headers={"X-Forwarded-For": "2001:db8:1::1"})
    assert limits(near, "RateLimit-Policy")["requests-per-ip"]["q"] == 3
    crowded = ann.headers | {"X-Forwarded-For": "192.0.2.1"}
    assert client.get("/v1/me", headers=crowded).status_code == 200
    assert client.get(TILES, headers={"Authorization": "Basic QTpC", "X-Forwarded-For": "192.0.2.1"}).status_code == 429


def test_a_caller_with_made_up_tokens_is_counted_by_network(make_app: MakeApp, ann: Person) -> None:
    client = make_app(limit_requests_per_ip=3, limit_requests_per_token=1000).test_client()
    assert client.get("/v1/me", headers=ann.headers).status_code == 200
    made_up = [{"Authorization": f"Bearer {number:043}"} for number in range(4)]
    assert [client.get("/v1/me", headers=each).status_code for each in made_up] == [401, 401, 429, 429]
    assert [client.get(TILES, headers=each).status_code for each in made_up] == [429] * 4
    assert client.get("/v1/me", headers=ann.headers).status_code == 200
    assert client.get(TILES).status_code == 200


def test_only_the_api_is_counted(make_app: MakeApp) -> None:
    client = make_app(limit_requests_per_ip=1).test_client()
    assert statuses(client, TILES, 2) == [200, 429]
    for path in ("/rules", "/healthz", "/openapi.json"):
        answer = client.get(path)
        assert answer.status_code == 200 and "RateLimit" not in answer.headers
    assert client.options(TILES).status_code == 204


def test_another_limit_that_is_reached_stands_beside(make_app: MakeApp, ann: Person) -> None:
    client = make_app(limit_requests_per_token=100, limit_tables_per_account=1).test_client()
    answers = [client.post("/v1/solo-sessions", json={}, headers=ann.headers) for _ in range(2)]
    assert [each.status_code for each in answers] == [201, 429]
    assert set(limits(answers[0], "RateLimit")) == {"requests-per-token"}
    told = limits(answers[1], "RateLimit")
    assert told["tables-per-account"] == {"r": 0, "t": int(answers[1].headers["Retry-After"])}
    assert told["requests-per-token"]["r"] == 98
    assert limits(answers[1], "RateLimit-Policy")["tables-per-account"] == {"q": 1, "w": 86_400}


def test_few_requests_cost_no_statement(make_app: MakeApp, ann: Person) -> None:
    app = make_app(limit_requests_per_token=1000, limit_requests_per_ip=1000)
    client = app.test_client()

    def counters() -> int:
        with app.app_context():
            return int(db.session.scalar(text("SELECT count(*) FROM rate_limits WHERE key LIKE 'budget/%'")) or 0)

    assert statuses(client, "/v1/me", 10, headers=ann.headers) == [200] * 10
    assert counters() == 0
    assert statuses(client, "/v1/me", 20, headers=ann.headers) == [200] * 20
    assert counters() == 1


def test_without_a_database_nobody_is_refused() -> None:
    nowhere = Settings(database_url="postgresql:///none?host=/nonexistent", secret_keys=KEYS, limit_requests_per_ip=1)
    with opened(nowhere, Clock()) as app:
        assert statuses(app.test_client(), TILES, 5) == [200] * 5


def test_forms_of_the_pages_count_for_their_network(make_app: MakeApp) -> None:
    client = make_app(limit_requests_per_ip=2).test_client()
    html = {"Accept": "text/html", "Accept-Language": "de"}
    for _ in range(2):
        assert client.post("/sign-in", data={"email": "x"}, headers=html).status_code != 429
    refused = client.post("/sign-in", data={"email": "x"}, headers=html)
    assert refused.status_code == 429 and refused.mimetype == "text/html" and refused.headers["Retry-After"]
    assert "Formulare" in refused.text
    assert client.get("/sign-in", headers=html).status_code == 200
