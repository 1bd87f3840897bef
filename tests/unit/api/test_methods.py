"""OPTIONS and HEAD at every route, and what pages of other sites may ask for and read."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import Client, TestResponse

from service.api import cors, requests
from service.api.methods import Methods
from service.language.languages import language
from service.webserver import canned_responses
from tests.integration.contract.document import DOCUMENT
from tests.support.http_games import Game, SignUp, start

ORIGIN = {"Origin": "https://client.example"}
PREFLIGHT = {**ORIGIN, "Access-Control-Request-Method": "POST"}


def names(header: str) -> set[str]:
    return set(header.split(", "))


def parameters(node: Any) -> Iterator[dict[str, Any]]:
    """Yield all parameters below a node of the OpenAPI document."""
    if isinstance(node, dict) and isinstance(node.get("in"), str) and "name" in node:
        yield node
    elif isinstance(node, dict | list):
        for part in node.values() if isinstance(node, dict) else node:
            yield from parameters(part)


def may_be_read(answer: TestResponse) -> bool:
    return answer.headers.getlist("Access-Control-Allow-Origin") == ["*"]


@pytest.fixture
def game(client: FlaskClient, sign_up: SignUp) -> Game:
    return start(client, sign_up("Ann"), sign_up("Ben"))


def test_options_tells_the_methods_of_every_route(app: Flask, offline: FlaskClient) -> None:
    allowed: dict[str, set[str]] = {}
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<(?:id|string):\w+>", "aaaaaaaaaaaa", re.sub(r"<int:\w+>", "1", rule.rule))
        allowed.setdefault(path, set()).update(rule.methods or ())
    for path, methods in allowed.items():
        answer = offline.options(path, headers=PREFLIGHT)
        assert (answer.status_code, answer.data) == (204, b"")
        assert names(answer.headers["Allow"]) == methods, path
        assert ("GET" in methods) == ("HEAD" in methods)
        assert "Content-Type" not in answer.headers
        if path.startswith("/v1/"):
            assert may_be_read(answer)
            assert names(answer.headers["Access-Control-Allow-Methods"]) == methods
            assert names(answer.headers["Access-Control-Allow-Headers"]) == set(cors.REQUEST_HEADERS)
            assert int(answer.headers["Access-Control-Max-Age"]) >= 7200
            assert "Access-Control-Allow-Credentials" not in answer.headers


def test_options_asks_for_no_token_and_no_database(offline: FlaskClient) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        assert offline.options("/v1/me", headers=headers).status_code == 204


def test_options_of_the_whole_server(offline: FlaskClient) -> None:
    answer = Client(offline.application).options("*")
    assert answer.status_code == 204 and "POST" in answer.headers["Allow"]


def test_an_unknown_path_is_refused_where_a_page_can_read_it(offline: FlaskClient) -> None:
    assert offline.options("/v1/nothing").status_code == 404
    assert offline.options("/nothing", headers=PREFLIGHT).status_code == 404
    preflight = offline.options("/v1/nothing", headers=PREFLIGHT)
    assert preflight.status_code == 204 and "POST" in preflight.headers["Access-Control-Allow-Methods"]
    refused = offline.post("/v1/nothing", headers=ORIGIN)
    assert refused.status_code == 404 and may_be_read(refused)


@pytest.mark.parametrize(
    ("method", "path", "status", "size"),
    [
        ("GET", "/v1/tiles", 200, 0),
        ("GET", "/v1/me", 401, 0),
        ("GET", "/v1/nothing", 404, 0),
        ("POST", "/v1/tiles", 405, 0),
        ("POST", "/v1/sign-ins", 415, 9),
        ("POST", "/v1/sign-ins", 413, requests.MAX_BODY + 9),
        ("GET", "/v1/games/aaaaaaaaaaaa", 503, 0),
        ("GET", "/openapi.json", 200, 0),
        ("GET", "/healthz", 200, 0),
        ("GET", "/readyz", 503, 0),
    ],
)
def test_pages_of_other_sites_read_every_answer_of_the_api(
    offline: FlaskClient, method: str, path: str, status: int, size: int
) -> None:
    answer = offline.open(path, method=method, headers=ORIGIN, data=b" " * size)
    assert answer.status_code == status
    assert may_be_read(answer) and answer.headers["Access-Control-Expose-Headers"] == "*"


@pytest.mark.parametrize("path", ["/rules", "/docs", "/programs", "/nothing", "/unsubscribe", "/calendar.ics", "/v1"])
def test_pages_for_people_are_not_shared(offline: FlaskClient, path: str) -> None:
    for answer in (offline.get(path, headers=ORIGIN), offline.options(path, headers=PREFLIGHT)):
        assert not [name for name, _ in answer.headers if name.startswith("Access-Control")]


def test_answers_sent_without_the_application_are_shared() -> None:
    overloaded = canned_responses.overloaded(language("fr"), closing=False, bare=True)
    for sent in (canned_responses.of_status(400, "1f"), overloaded):
        head = sent.partition(b"\r\n\r\n")[0] + b"\r\n"
        assert b"\r\nAccess-Control-Allow-Origin: *\r\n" in head and b"\r\nCache-Control: no-store\r\n" in head
        assert re.search(rb"\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n", head)
    assert b"\r\nRetry-After: " in overloaded and b"\r\nContent-Language: fr\r\n" in overloaded


def test_a_page_may_send_every_header_that_the_api_reads() -> None:
    read = {each["name"] for each in parameters(DOCUMENT) if each["in"] == "header"}
    assert read and read | {"Authorization", "Content-Type"} <= set(cors.REQUEST_HEADERS)


@pytest.mark.parametrize("suffix", ["", "/legal-moves", "/record", "/board.svg", "/moves", "/messages", "/nothing"])
def test_head_is_get_without_the_body(game: Game, suffix: str) -> None:
    for headers in ({}, {"Accept-Encoding": "gzip"}, {"Authorization": "Bearer wrong"}):
        told = {**game.players[0].headers, **headers}
        got, head = (game.client.open(game.path + suffix, method=method, headers=told) for method in ("GET", "HEAD"))
        assert head.status_code == got.status_code and head.data == b""
        for answer in (got, head):
            answer.headers.remove("X-Request-Id")
        assert dict(head.headers) == dict(got.headers)


def test_head_finds_what_is_known_unchanged(game: Game) -> None:
    tag = game.get().headers["ETag"]
    head = game.client.head(game.path, headers={**game.players[0].headers, "If-None-Match": tag})
    assert (head.status_code, head.headers["ETag"], head.data) == (304, tag, b"")


def test_head_where_there_is_no_get_is_refused(offline: FlaskClient) -> None:
    answer = offline.head("/v1/sign-ins")
    assert answer.status_code == 405 and names(answer.headers["Allow"]) == {"OPTIONS", "POST"}


def test_head_begins_no_stream(app: Flask) -> None:
    told: list[str] = []

    class Stream:
        def __iter__(self) -> object:
            told.append("begun")
            return iter(())

        def close(self) -> None:
            told.append("closed")

    def streaming(environ: dict[str, object], start_response: Callable[..., object]) -> Stream:
        told.append(str(environ["REQUEST_METHOD"]))
        start_response("200 OK", [])
        return Stream()

    Client(Methods(streaming, app.url_map)).head("/v1/events")  # type: ignore[arg-type]  # an iterable of bytes
    assert told == ["GET", "closed"]
