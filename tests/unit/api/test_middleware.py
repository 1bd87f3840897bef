"""The outermost middleware: each request has one id and one time, whichever part answers it."""

import json
from collections.abc import Callable, Iterable
from io import StringIO
from typing import Any

import psycopg
import pytest
import structlog
from flask.testing import FlaskClient
from werkzeug.test import Client

from service.api.middleware import RequestMiddleware
from service.config import Settings
from service.store.connecting import TimeoutPolicy
from tests.support.clock import utcnow
from tests.support.http_games import SignUp, start
from tests.support.web import KEYS, opened


def logged(lines: StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def test_a_request_is_timed_from_its_beginning_and_its_lines_carry_its_id(lines: StringIO) -> None:
    now = [100.0]

    def app(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        structlog.get_logger("a part").warning("slow")
        now[0] += 12.5
        start_response("503 SERVICE UNAVAILABLE", [])
        return [b"later"]

    answer = Client(RequestMiddleware(app, lambda: now[0])).get("/v1/games/abcdefghijkl?at=1")
    warned, line = logged(lines)
    assert answer.text == "later"
    assert warned["request"] == line["request"] == answer.headers["X-Request-Id"]
    assert (line["ms"], line["status"], line["path"]) == (12500.0, 503, None)
    structlog.get_logger("another").warning("between requests")
    assert "request" not in logged(lines)[-1]


def test_a_request_that_raises_is_logged_as_failed(lines: StringIO) -> None:
    def app(environ: dict[str, Any], start_response: object) -> Iterable[bytes]:
        raise RuntimeError("a fault")

    with pytest.raises(RuntimeError):
        Client(RequestMiddleware(app)).get("/v1/me")
    assert [(line["event"], line["status"]) for line in logged(lines)] == [("request", 500)]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_slow_failure_is_logged_as_slow(
    client: FlaskClient, sign_up: SignUp, database_url: str, lines: StringIO, method: str
) -> None:
    game = start(client, sign_up("Ann"), sign_up("Ben"))
    mover, move = game.to_move(), game.first()
    settings = Settings(database_url=database_url, secret_keys=KEYS)
    path = game.path if method == "GET" else f"{game.path}/moves"
    with opened(settings, utcnow, TimeoutPolicy(1, 1, 5)) as app, psycopg.connect(database_url) as other:
        other.execute("LOCK TABLE tables")
        body = None if method == "GET" else move
        answer = app.test_client().open(path, method=method, headers=mover.headers, json=body)
    assert (answer.status_code, answer.get_json()["code"]) == (503, "database_unavailable")
    *warned, line = logged(lines)[-2:]
    assert [line["event"] for line in warned] == ["database unavailable"]
    assert {line["request"] for line in (*warned, line)} == {answer.headers["X-Request-Id"]}
    assert (line["path"], line["game"], line["status"]) == (path, game.id, 503)
    assert line["ms"] >= 1000
