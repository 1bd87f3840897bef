"""Asking for a code: always 202, never more mails than allowed, nothing told."""

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from service.store.base import db
from tests.web import Clock, Person, codes_for


def ask(app: Flask, email: str, **environ: str) -> tuple[int, bytes]:
    answer = app.test_client().post("/v1/sign-ins", json={"email": email}, environ_overrides=environ)
    return answer.status_code, answer.data


def test_a_code_is_mailed_to_the_address_in_its_one_spelling(app: Flask) -> None:
    assert ask(app, "Ann@Example.ORG")[0] == 202
    (code,) = codes_for(app, "ann@example.org")
    assert len(code.replace("-", "")) * 5 >= 40


@pytest.mark.parametrize(
    ("wanted", "language"), [("fr-CA, fr;q=0.9, en;q=0.5", "fr"), ("ja", "en"), ("", "en"), (";q=*", "en")]
)
def test_the_code_of_a_stranger_is_in_the_language_that_the_request_prefers(
    app: Flask, wanted: str, language: str
) -> None:
    asked = {"json": {"email": "ann@example.org"}, "headers": {"Accept-Language": wanted}}
    assert app.test_client().post("/v1/sign-ins", **asked).status_code == 202
    with app.app_context():
        assert db.session.scalars(text("SELECT language FROM codes")).all() == [language]


def test_the_answer_does_not_tell_who_has_an_account(app: Flask, sign_up: Callable[..., Person]) -> None:
    ann = sign_up("Ann")
    assert ask(app, ann.email) == ask(app, "stranger@example.org")


def test_the_sixth_in_an_hour_to_an_address_is_answered_alike_and_not_mailed(
    make_app: Callable[..., Flask], clock: Clock
) -> None:
    app = make_app(limit_sign_ins_per_address=5)
    answers = {ask(app, "ann@example.org") for _ in range(7)}
    assert len(answers) == 1
    assert len(codes_for(app, "ann@example.org")) == 5
    ask(app, "bob@example.org")
    assert len(codes_for(app, "bob@example.org")) == 1
    clock.advance(hours=1)
    ask(app, "ann@example.org")
    assert len(codes_for(app, "ann@example.org")) == 6


def test_the_limits_of_one_ip_do_not_use_up_those_of_an_address(make_app: Callable[..., Flask]) -> None:
    app = make_app(limit_sign_ins_per_address=5, limit_sign_ins_per_ip=2)
    for _ in range(4):
        ask(app, "ann@example.org", REMOTE_ADDR="203.0.113.7")
    assert len(codes_for(app, "ann@example.org")) == 2
    for ip in ("203.0.113.8", "203.0.113.9", "2001:db8::1"):
        ask(app, "ann@example.org", REMOTE_ADDR=ip)
    assert len(codes_for(app, "ann@example.org")) == 5


def test_an_ipv6_host_counts_by_its_network(make_app: Callable[..., Flask]) -> None:
    app = make_app(limit_sign_ins_per_ip=1)
    ask(app, "ann@example.org", REMOTE_ADDR="2001:db8:0:1::1")
    ask(app, "bob@example.org", REMOTE_ADDR="2001:db8:0:1:ffff::2")
    assert codes_for(app, "bob@example.org") == []


@pytest.mark.parametrize("proxies, mailed", [(0, 1), (1, 2)])
def test_the_forwarded_ip_counts_behind_trusted_proxies_only(
    make_app: Callable[..., Flask], proxies: int, mailed: int
) -> None:
    app = make_app(limit_sign_ins_per_ip=1, trusted_proxies=proxies)
    for ip in ("198.51.100.1", "198.51.100.2"):
        app.test_client().post(
            "/v1/sign-ins", json={"email": "ann@example.org"}, headers={"X-Forwarded-For": f"192.0.2.9, {ip}"}
        )
    assert len(codes_for(app, "ann@example.org")) == mailed


def test_a_counter_holds_over_processes(make_app: Callable[..., Flask]) -> None:
    for _ in range(3):
        ask(make_app(limit_sign_ins_per_address=2), "ann@example.org")
    assert len(codes_for(make_app(), "ann@example.org")) == 2


@pytest.mark.parametrize(
    "email",
    ["", "ann", "ann@", "@example.org", "a b@example.org", "ann@example.org ", "ann@@example.org", "ann@example..org",
     "ann@example.org\r\nBcc: eve@example.org", "änn@example.org", 
     "a@" + ".".join(["b" * 60] * 5), 'ann"@example.org', "<ann@example.org>", "ann@[127.0.0.1]", "ann@-example.org",
     None, 7, ["ann@example.org"]],
)  # fmt: skip
def test_what_is_no_address_is_named(offline: FlaskClient, email: object) -> None:
    answer = offline.post("/v1/sign-ins", json={"email": email})
    assert answer.status_code == 422
    assert answer.json["code"] == "wrong_fields"
    assert [(entry["in"], entry["field"]) for entry in answer.json["errors"]] == [("body", "email")]
