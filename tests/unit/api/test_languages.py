"""Problems in four languages: title and detail follow Accept-Language, and everything else is the same."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.api import validators
from service.api.errors import of_status
from service.api.requests import MAX_BODY
from service.api.schema import OF_MARSHMALLOW, RequestSchema
from service.language.languages import CODES
from tests.support.http_games import start
from tests.support.web import Person

Ask = Callable[[dict[str, str]], TestResponse]
"""Sends a request with further headers."""


def problems(app: Flask, sign_up: Callable[..., Person]) -> Iterator[tuple[int, str, Ask, set[str]]]:
    """Yield requests that are refused each time that they are sent: status, code, and the facts in the details."""
    client = app.test_client()
    ann, ben = sign_up("Ann"), sign_up("Ben")
    game = start(client, ann, ben)
    waiting = client.post("/v1/games", json={"seats": 2}, headers=ann.headers).headers["Location"]
    mover = game.to_move()
    other = ben if mover is ann else ann

    def ask(method: str, path: str, person: Person | None = None, **sent: Any) -> Ask:
        own = {**(person.headers if person else {}), **sent.pop("headers", {})}
        return lambda more: client.open(path, method=method, headers={**own, **more}, **sent)

    def move(person: Person, **sent: Any) -> Ask:
        return ask("POST", f"{game.path}/moves", person, **sent)

    def invite(email: str) -> Ask:
        return ask("POST", f"{waiting}/invitations", ann, json={"email": email})

    far = {"type": "place", "tile": game.first()["tile"], "x": 7, "y": -9, "expected_version": 0}
    resign = {"type": "resign"}
    large = b'"' + b"x" * MAX_BODY + b'"'
    yield 400, "not_json", move(ann, data=b"{", content_type="application/json"), {"JSON", "UTF-8"}
    yield 400, "idempotency_key_malformed", move(ann, json=resign, headers={"Idempotency-Key": " é"}), {"255", "ASCII"}
    yield 401, "token_missing", ask("GET", "/v1/me"), {"Authorization: Bearer"}
    yield 401, "token_invalid", ask("GET", "/v1/me", headers={"Authorization": "Bearer x"}), {"POST /v1/tokens"}
    yield 403, "not_the_maker", ask("DELETE", game.path, ben), set()
    yield 403, "code_invalid", ask("POST", "/v1/tokens", json={"email": ann.email, "code": "00000-00000"}), set()
    yield 404, "not_found", ask("GET", "/v1/nothing"), set()
    yield 404, "no_such_version", ask("GET", f"{game.path}?at=1234"), {"0"}
    yield 405, "method_not_allowed", ask("PUT", "/v1/games"), {"Allow"}
    yield 409, "already_seated", ask("POST", f"{waiting}/players", ann), set()
    yield 409, "stale_version", move(mover, json={**far, "expected_version": 1_000_000}), {"0"}
    yield 412, "stale_version", move(mover, json=far, headers={"If-Match": '"9-9"'}), {"0"}
    yield 413, "body_too_large", move(ann, data=large, content_type="application/json"), {"64"}
    yield 415, "unsupported_media_type", move(ann, data=b"{}", content_type="text/plain"), {"application/json"}
    yield 422, "wrong_fields", move(ann, json={"type": "place", "tile": 69, "x": "1"}), {"68"}
    yield (
        422,
        "wrong_fields",
        ask("POST", "/v1/games", ann, json={"seats": 2, "discs": "first_game"}),
        {"1.2", "3", "4"},
    )
    yield 422, "wrong_fields", ask("GET", "/v1/games?limit=0&limit=1"), {"limit"}
    yield 422, "wrong_fields", ask("GET", "/v1/games?cursor=x"), {"cursor", "`next`"}
    yield 422, "wrong_fields", ask("POST", "/v1/sign-ins", json=[]), {"JSON"}
    yield 422, "cell_not_open", move(mover, json=far), {"0,0", "7,-9"}
    yield 422, "refill_not_allowed", move(mover, json={"type": "refill", "expected_version": 0}), {"1", "2", "11"}
    yield 422, "not_your_turn", move(other, json=far), {"0", "1"}
    yield (
        428,
        "version_required",
        move(mover, json={name: far[name] for name in ("type", "tile", "x", "y")}),
        {"expected_version"},
    )
    assert invite("cat@example.org")({}).status_code == 201
    yield 429, "too_many_invitations", invite("dan@example.org"), {"1"}
    yield 503, "not_ready", ask("GET", "/readyz"), {"60"}


def details(problem: dict[str, Any]) -> list[str]:
    return [problem["detail"], *(wrong["detail"] for wrong in problem.get("errors", ()))]


def unsaid(problem: dict[str, Any]) -> dict[str, Any]:
    """Return the members that are the same in all languages."""
    wrong = [{**each, "detail": None} for each in problem.get("errors", ())]
    return {**problem, "title": None, "detail": None, "errors": wrong}


def test_a_problem_of_each_status_is_said_in_each_language(
    make_app: Callable[..., Flask], sign_up: Callable[..., Person]
) -> None:
    app = make_app(limit_invitations_per_account=1)
    met = set()
    for status, code, ask, facts in problems(app, sign_up):
        english = ask({})
        assert (english.status_code, english.get_json()["code"]) == (status, code), english.text
        met.add(status)
        said = {code: ask({"Accept-Language": code}) for code in CODES}
        assert said["en"].get_json() == english.get_json()
        for language, answer in {**said, "en": english}.items():
            assert answer.mimetype == "application/problem+json"
            assert answer.headers["Content-Language"] == language
            assert "Accept-Language" in answer.vary
            assert unsaid(answer.get_json()) == unsaid(english.get_json())
            for fact in facts:
                assert fact in answer.get_json()["detail"], (language, answer.get_json()["detail"])
        for part in zip(*(details(answer.get_json()) for answer in said.values()), strict=True):
            assert len(set(part)) == len(CODES), part
        assert len({answer.get_json()["title"] for answer in said.values()}) == len(CODES)
    assert met == {400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 428, 429, 503}


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        ("", "en"),
        ("fr-CA", "fr"),
        ("fr-CA, en;q=0.5", "fr"),
        ("en;q=0.5, fr-ca", "fr"),
        ("zh-TW, de-CH;q=0.2, en;q=0.1", "de"),
        ("zh", "en"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("en;q=0.3, es;q=0.7, fr;q=0.5", "es"),
        ("ja, es;q=0.1", "es"),
        ("fr;q=0, de;q=0.2", "de"),
        ("ja, tlh", "en"),
        ("*", "en"),
        ("ja, *;q=0.5", "en"),
        ("de;q=0", "en"),
        ("fr;q=x, ;;, \xff", "en"),
    ],
)
def test_the_language_is_the_one_that_is_preferred(offline: FlaskClient, asked: str, language: str) -> None:
    answer = offline.get("/v1/nothing", headers={"Accept-Language": asked})
    assert (answer.status_code, answer.headers["Content-Language"]) == (404, language)
    assert {"Accept-Language", "Authorization"} <= set(answer.headers["Vary"].split(", "))


def test_a_database_that_is_away_is_told_in_each_language(offline: FlaskClient) -> None:
    given = {"email": "ann@example.org"}
    told = [offline.post("/v1/sign-ins", json=given, headers={"Accept-Language": code}).get_json() for code in CODES]
    assert {problem["code"] for problem in told} == {"database_unavailable"}
    assert len({problem["detail"] for problem in told}) == len(CODES)


def test_what_the_web_server_says_by_itself_is_in_english() -> None:
    answer = of_status(408)
    assert answer.headers["Content-Language"] == "en"
    assert "Vary" not in answer.headers


def test_what_is_no_problem_is_the_same_for_all(offline: FlaskClient) -> None:
    answer = offline.get("/v1/tiles", headers={"Accept-Language": "fr"})
    assert answer.status_code == 200
    assert "Content-Language" not in answer.headers
    assert "Accept-Language" not in answer.vary


def test_that_a_code_is_on_its_way_is_said_in_each_language(client: FlaskClient) -> None:
    given = {"email": "ann@example.org"}
    asked = [client.post("/v1/sign-ins", json=given, headers={"Accept-Language": code}) for code in CODES]
    assert [answer.headers["Content-Language"] for answer in asked] == list(CODES)
    assert len({answer.get_json()["detail"] for answer in asked}) == len(CODES)


def kinds(schema: type[RequestSchema]) -> Iterator[type[RequestSchema]]:
    yield schema
    for below in schema.__subclasses__():
        yield from kinds(below)


OF_FIELDS = {"required", "null", "invalid", "invalid_utf8", "type"}
"""The errors of the fields themselves, beside those of their validators."""


def test_all_that_can_be_said_of_a_field_is_said_in_each_language() -> None:
    for schema in (kind() for kind in kinds(RequestSchema)):
        assert set(schema.error_messages.values()) <= set(OF_MARSHMALLOW)
        for name, field in schema.fields.items():
            place = f"{type(schema).__name__}.{name}"
            for key in OF_FIELDS & set(field.error_messages):
                assert field.error_messages[key] in OF_MARSHMALLOW, (place, key)
            assert {type(validator).__module__ for validator in field.validators} <= {validators.__name__}, place


@pytest.mark.parametrize("code", CODES)
def test_before_a_semicolon_there_is_no_full_stop(
    sign_up: Callable[..., Person], client: FlaskClient, code: str
) -> None:
    headers = sign_up("Ann").headers | {"Accept-Language": code}
    answer = client.patch("/v1/me/notifications", json={"turn": "weekly", "zone": "Mars/Base"}, headers=headers)
    assert answer.status_code == 422 and answer.get_json() is not None
    assert ";" in answer.get_json()["detail"] and ".;" not in answer.get_json()["detail"].replace("\u00a0", "")
    assert all(error["detail"].endswith(".") for error in answer.get_json()["errors"])
