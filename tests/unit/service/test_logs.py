"""Log lines are JSON, one for each request, and hold nothing secret or personal."""

import json
import smtplib
from collections.abc import Callable
from io import StringIO

import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from service import logs
from service.store.base import db
from tests.support.web import Person


def test_a_request_is_one_line_without_its_query_and_body(
    lines: StringIO, app: Flask, sign_up: Callable[..., Person]
) -> None:
    ann = sign_up("Ann")
    answer = app.test_client().get("/v1/me?secret=sauce", headers=ann.headers)
    app.test_client().get("/v1/ann@example.org\r\n")
    app.test_client().get("/v1/games/ann@example.org")
    text_of_all = lines.getvalue()
    parsed = [json.loads(line) for line in text_of_all.splitlines()]
    me = parsed[-3]
    assert (me["event"], me["method"], me["path"], me["status"]) == ("request", "GET", "/v1/me", 422)
    assert me["request"] == answer.headers["X-Request-Id"]
    assert parsed[-1]["path"] is parsed[-2]["path"] is None
    for private in (ann.email, ann.token, "Ann", "sauce", "ann@"):
        assert private not in text_of_all


def test_an_error_is_told_by_kinds_and_places_and_no_row_is_quoted(lines: StringIO, app: Flask) -> None:
    def fail() -> str:
        insert = text("INSERT INTO accounts (id, email, created_at) VALUES (:id, :email, now())")
        try:
            for id in ("a", "b"):
                db.session.execute(insert, {"id": id, "email": "ann@example.org"})
        except IntegrityError as error:
            raise RuntimeError("it did not work") from error

        return ""

    app.add_url_rule("/fail", view_func=fail)
    assert app.test_client().get("/fail").status_code == 500
    failed = json.loads(lines.getvalue().splitlines()[0])
    assert failed["level"] == "error"
    assert [link["kind"].rpartition(".")[2] for link in failed["error"]] == [
        "RuntimeError",
        "IntegrityError",
        "UniqueViolation",
    ]
    assert failed["error"][0]["text"] == "it did not work"
    assert failed["error"][2]["sqlstate"] == "23505"
    assert "fail" in failed["error"][0]["where"][-1]
    assert "ann@example.org" not in lines.getvalue()


def test_the_reason_of_an_error_is_told_in_words_that_quote_nothing(app: Flask) -> None:
    with app.app_context():
        with pytest.raises(SQLAlchemyError) as full:
            db.session.execute(
                text("DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$")
            )
        db.session.rollback()
        with pytest.raises(SQLAlchemyError) as wrong:
            db.session.execute(text("SELECT CAST('ann@example.org' AS integer)"))
    said = [
        logs.reason(error)
        for error in (
            OSError(28, "No space left on device", "/mail/ann@example.org"),
            ConnectionRefusedError(111, "Connection refused"),
            smtplib.SMTPRecipientsRefused({"ann@example.org": (550, b"no")}),
            ValueError("ann@example.org"),
            full.value,
            wrong.value,
        )
    ]
    assert said == [
        "OSError: No space left on device",
        "ConnectionRefusedError: Connection refused",
        "SMTPRecipientsRefused",
        "ValueError",
        "OperationalError: could not extend file",
        "DataError",
    ]
