"""What holds for every address: problems, bodies, methods, headers."""

import gzip
import json
from collections.abc import Callable
from io import BytesIO
from itertools import product
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service import errors
from service.api.errors import STATUS_OF, of_refusal
from service.api.problem_schema import Problem
from service.api.requests import MAX_BODY
from service.commands.checkpoint_folder import FolderNotMade
from service.commands.checkpoint_logs import RolledBack
from tests.support.web import Person


def kinds(kind: type[errors.Refusal]) -> set[type[errors.Refusal]]:
    return {kind}.union(*(kinds(below) for below in kind.__subclasses__()))


def test_each_kind_of_refusal_has_its_status() -> None:
    of_checkpoints = {FolderNotMade, RolledBack}  # which no request meets
    assert set(STATUS_OF) == kinds(errors.Refusal) - {errors.Refusal} - of_checkpoints


def test_a_problem_shows_what_belongs_to_it() -> None:
    answer = of_refusal(errors.Conflict("table_full", "All seats are taken.", version=7))
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert json.loads(answer.body or b"") == {
        "type": "/docs/errors#table_full",
        "title": "Conflict",
        "status": 409,
        "code": "table_full",
        "detail": "All seats are taken.",
        "version": 7,
    }
    limited = of_refusal(errors.LimitReached("too_many", "Later.", retry_after=30))
    assert (limited.status, limited.headers["Retry-After"]) == (429, "30")


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nothing", 404, "not_found"),
        ("GET", "/v1/nothing", 404, "not_found"),
        ("GET", "/v1/tiles/", 404, "not_found"),
        ("GET", "//v1/tiles", 404, "not_found"),
        ("GET", "/v1/%00%0d%0a<script>", 404, "not_found"),
        ("POST", "/v1/tiles", 405, "method_not_allowed"),
        ("GET", "/v1/sign-ins", 405, "method_not_allowed"),
        ("BREW", "/v1/me", 405, "method_not_allowed"),
    ],
)
def test_what_is_not_there_is_a_problem(offline: FlaskClient, method: str, path: str, status: int, code: str) -> None:
    answer = offline.open(path, method=method)
    assert (answer.status_code, answer.get_json()["code"]) == (status, code)
    assert answer.mimetype == "application/problem+json"
    assert not Problem().validate(answer.get_json())
    if status == 405:
        assert answer.headers["Allow"]


@pytest.mark.parametrize(
    ("sent", "media_type", "status", "code"),
    [
        (b"{}", "text/plain", 415, "unsupported_media_type"),
        (b"{}", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
        (b"{}", "", 415, "unsupported_media_type"),
        (b"not json", "application/json", 400, "not_json"),
        (b'{"email": NaN}', "application/json", 400, "not_json"),
        (b'{"email": "\xff"}', "application/json", 400, "not_json"),
        (b'{"email": "\\ud800"}', "application/json", 400, "not_json"),
        (b"[" * 60_000, "application/json", 400, "not_json"),
        (b'{"email": "ann@example.org", "email": "ben@example.org"}', "application/json", 400, "not_json"),
        (b"1" * 10_000, "application/json", 400, "not_json"),
        (b'"' + b"x" * MAX_BODY + b'"', "application/json", 413, "body_too_large"),
        (b"null", "application/json", 422, "wrong_fields"),
        (b"[]", "application/json", 422, "wrong_fields"),
        (b"", "application/json", 422, "wrong_fields"),
        (b"{}", "application/json", 422, "wrong_fields"),
        (b'{"email": "ann@example.org", "<script>": 1}', "application/json; charset=utf-8", 422, "wrong_fields"),
    ],
)
def test_a_body_that_cannot_be_taken(
    offline: FlaskClient, sent: bytes, media_type: str, status: int, code: str
) -> None:
    answer = offline.post("/v1/sign-ins", data=sent, content_type=media_type)
    assert (answer.status_code, answer.get_json()["code"]) == (status, code)
    assert answer.mimetype == "application/problem+json"
    assert not Problem().validate(answer.get_json())


@pytest.mark.parametrize("coding", ["gzip", "identity, BR", "x"])
def test_an_encoded_body_is_refused_by_the_header_that_says_so(
    client: FlaskClient, sign_up: Callable[..., Person], coding: str
) -> None:
    ann = sign_up("Ann")
    table = client.post("/v1/games", json={"seats": 2, "bots": 1}, headers=ann.headers).headers["Location"]
    paths = ("/v1/sign-ins", f"{table}/moves", "/v1/imports")
    for path, sent in product(paths, (gzip.compress(b'{"email": "ann@example.org"}'), b"{}")):
        headers = ann.headers | {"Content-Encoding": coding}
        answer = client.post(path, data=sent, content_type="application/json", headers=headers)
        assert (answer.status_code, answer.get_json()["code"]) == (415, "unsupported_content_encoding")
        assert answer.headers["Accept-Encoding"] == "identity"
        assert "Content-Encoding" in answer.get_json()["detail"]


@pytest.mark.parametrize(("coding", "sent"), [("identity", b"{}"), ("", b"{}"), ("Identity,identity", b"{}")])
def test_identity_is_no_encoding(offline: FlaskClient, coding: str, sent: bytes) -> None:
    headers = {"Content-Encoding": coding}
    answer = offline.post("/v1/sign-ins", data=sent, content_type="application/json", headers=headers)
    assert (answer.status_code, answer.get_json()["code"]) == (422, "wrong_fields")


def test_a_large_body_without_a_length_is_cut_off(offline: FlaskClient) -> None:
    environ: dict[str, Any] = {"wsgi.input_terminated": True}  # as gunicorn does
    for size, status in ((MAX_BODY, 422), (MAX_BODY + 1, 413), (MAX_BODY + 1000, 413)):
        answer = offline.post(
            "/v1/sign-ins",
            input_stream=BytesIO(b"{}".ljust(size)),
            content_type="application/json",
            headers={"Transfer-Encoding": "chunked"},
            environ_overrides=environ,
        )
        assert answer.status_code == status


def test_an_unknown_query_is_refused_by_its_name(offline: FlaskClient) -> None:
    for path in ("/v1/tiles?color=blue", "/healthz?color="):
        answer = offline.get(path)
        assert answer.status_code == 422
        assert answer.get_json()["errors"] == [{"in": "query", "field": "color", "detail": "Unknown field."}]


def test_a_refusal_repeats_no_more_than_it_must(offline: FlaskClient) -> None:
    many = offline.post("/v1/sign-ins", json={f"field {number:02}": number for number in range(99)})
    assert many.status_code == 422
    assert [entry["field"] for entry in many.get_json()["errors"]] == ["email", *(f"field {n:02}" for n in range(19))]
    long = offline.post("/v1/sign-ins", json={"email": "ann@example.org", "\u202e" * 999: 1})
    assert [entry["field"] for entry in long.get_json()["errors"]] == ["\u202e" * 100]
    assert long.data.isascii()


def test_answers_are_one_reader_s_own(client: FlaskClient, sign_up: Callable[..., Person]) -> None:
    for answer in (client.get("/v1/me", headers=sign_up().headers), client.get("/v1/me"), client.get("/v1/nothing")):
        assert "private" in answer.headers["Cache-Control"]
        assert "Authorization" in answer.headers["Vary"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_database_that_is_away_is_a_problem_that_passes(offline: FlaskClient) -> None:
    answer = offline.post("/v1/sign-ins", json={"email": "ann@example.org"})
    assert (answer.status_code, answer.get_json()["code"]) == (503, "database_unavailable")
    assert int(answer.headers["Retry-After"]) > 0


def test_an_error_of_ours_tells_nothing(make_app: Callable[..., Flask]) -> None:
    app = make_app()

    def fail() -> str:
        raise RuntimeError("a secret")

    app.add_url_rule("/fail", view_func=fail)
    answer = app.test_client().get("/fail")
    assert (answer.status_code, answer.get_json()["code"]) == (500, "internal_error")
    assert "secret" not in answer.text
