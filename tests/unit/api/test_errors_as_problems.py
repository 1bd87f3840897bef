"""Which response each kind of error becomes, without an application."""

import json
from typing import Any

import psycopg
import pytest
from gunicorn.http.errors import InvalidHeader
from psycopg import errors as postgres
from sqlalchemy.exc import OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from werkzeug.exceptions import HTTPException, ImATeapot, MethodNotAllowed, NotFound

from engine.phrases import Phrase
from service import metrics
from service.api.errors import MEDIA_TYPE, problem, response_to
from service.api.responses import ApiResponse
from service.errors import Conflict, LimitReached, Malformed, Refusal, Unauthorized, Unavailable, Wrong
from service.language.languages import ENGLISH, language


def told(error: Exception) -> tuple[ApiResponse, dict[str, Any]]:
    response = response_to(error, ENGLISH)
    assert response is not None and response.body is not None
    assert response.headers["Content-Type"] == MEDIA_TYPE and response.headers["Vary"] == "Accept-Language"
    return response, json.loads(response.body)


@pytest.mark.parametrize(
    ("refusal", "status", "headers"),
    [
        (Conflict("too_many", "Too many.", most=3), 409, {}),
        (Unauthorized("unauthorized", "No."), 401, {"WWW-Authenticate": 'Bearer realm="nova-luna"'}),
        (LimitReached("slow_down", "Later.", retry_after=17), 429, {"Retry-After": "17"}),
        (Unavailable("away", "Later."), 503, {"Retry-After": "2"}),
    ],
)
def test_a_refusal_has_its_status_and_headers(refusal: Refusal, status: int, headers: dict[str, str]) -> None:
    response, body = told(refusal)
    assert (response.status, body["status"], body["code"], body["detail"]) == (
        status,
        status,
        refusal.code,
        refusal.detail,
    )
    assert {name: value for name, value in response.headers.items() if name in ("WWW-Authenticate", "Retry-After")} == (
        headers
    )
    assert body.get("most") == refusal.members.get("most") and "errors" not in body


def test_wrong_fields_are_listed() -> None:
    wrong = [Wrong("body", "seats", Phrase("Must be 2 to 4."))]
    _, body = told(Malformed("invalid", "Wrong.", wrong=wrong))
    assert body["errors"] == [{"in": "body", "field": "seats", "detail": "Must be 2 to 4."}]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (NotFound(), 404, "not_found"),
        (HTTPException(), 500, "internal_error"),
        (InvalidHeader("x"), 400, "bad_request"),
    ],
)
def test_an_error_of_http_is_a_problem_too(error: Exception, status: int, code: str) -> None:
    response, body = told(error)
    assert (response.status, body["code"]) == (status, code)


def test_a_status_without_an_entry_has_a_title_all_the_same() -> None:
    response, body = told(ImATeapot())
    assert (response.status, body["title"]) == (418, "Error")


@pytest.mark.parametrize(("methods", "allow"), [(["POST", "GET"], "GET, POST"), (None, None)])
def test_a_wrong_method_is_told_the_right_ones(methods: list[str] | None, allow: str | None) -> None:
    response, _ = told(MethodNotAllowed(methods))
    assert response.status == 405 and response.headers.get("Allow") == allow


@pytest.mark.parametrize(
    ("error", "sqlstate"),
    [
        (psycopg.OperationalError(), None),
        (psycopg.InterfaceError(), None),
        (postgres.DiskFull(), "53100"),
        (postgres.ReadOnlySqlTransaction(), "25006"),
        (postgres.IdleInTransactionSessionTimeout(), "25P03"),
        (OperationalError("SELECT", None, postgres.AdminShutdown()), "57P01"),
        (PoolTimeout(), None),
    ],
)
def test_a_database_that_is_away_is_503_and_counted(
    error: Exception, sqlstate: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str | None] = []
    monkeypatch.setattr(metrics, "database_error", counted.append)
    response, body = told(error)
    assert (response.status, body["code"], response.headers["Retry-After"]) == (503, "database_unavailable", "2")
    assert counted == [sqlstate]


@pytest.mark.parametrize(
    "error",
    [ValueError(), postgres.UniqueViolation(), ProgrammingError("SELECT", None, postgres.UndefinedTable())],
)
def test_a_mistake_of_ours_tells_nothing(error: Exception) -> None:
    assert response_to(error, ENGLISH) is None


def test_a_problem_speaks_the_language_that_is_asked_for() -> None:
    french = problem(404, "not_found", Phrase("There is nothing at this address."), language=language("fr"))
    assert french.headers["Content-Language"] == "fr" and french.headers["Vary"] == "Accept-Language"
    assert french.body is not None and b"There is nothing" not in french.body
    english = problem(404, "not_found", Phrase("There is nothing at this address."))
    assert english.headers["Content-Language"] == "en" and "Vary" not in english.headers
