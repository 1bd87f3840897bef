"""Requests for a code.

A client that requests too many is told so, nobody is locked out by others, and no response reveals who has an account.
"""

from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from service.store.base import db
from tests.support.clock import Clock
from tests.support.web import Person, codes_for, sign_up

EMAIL = "ann@example.org"


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
def test_a_strangers_code_is_in_the_language_the_request_prefers(app: Flask, wanted: str, language: str) -> None:
    asked = {"json": {"email": "ann@example.org"}, "headers": {"Accept-Language": wanted}}
    assert app.test_client().post("/v1/sign-ins", **asked).status_code == 202
    with app.app_context():
        assert db.session.scalars(text("SELECT language FROM codes")).all() == [language]


def test_the_answer_does_not_tell_who_has_an_account(app: Flask, sign_up: Callable[..., Person]) -> None:
    ann = sign_up("Ann")
    assert ask(app, ann.email) == ask(app, "stranger@example.org")


@pytest.mark.slow
def test_strangers_who_ask_for_codes_shut_nobody_out(make_app: Callable[..., Flask], clock: Clock) -> None:
    """Whenever the owner asks, one of the codes in the mailbox is valid, or another one is sent."""
    app = make_app(limit_sign_ins_per_address=2, limit_sign_ins_per_ip=0)
    for minute in range(0, 130, 3):
        for stranger in range(4):
            assert ask(app, EMAIL, REMOTE_ADDR=f"203.0.113.{stranger}") == ask(app, EMAIL, REMOTE_ADDR="::1")
        newest = codes_for(app, EMAIL)[0]
        given = {"email": EMAIL, "code": newest}
        assert app.test_client().post("/v1/tokens", json=given).status_code == 201, minute
        clock.advance(minutes=3)
        with app.app_context():
            db.session.execute(text("UPDATE codes SET used_at = NULL"))  # the next one who asks is the owner, too
            db.session.commit()
    assert len(codes_for(app, EMAIL)) <= 3 * 6 + 13


def test_other_spellings_of_an_address_do_not_get_more_codes(
    make_app: Callable[..., Flask], clock: Clock, sign_up: Callable[..., Person]
) -> None:
    app = make_app(limit_sign_ins_per_address=2)
    own = f"{EMAIL.partition('@')[0]}+own@{EMAIL.partition('@')[2]}"
    sign_up("Ann", email=own)
    clock.advance(hours=1)
    spelled = [EMAIL.replace("@", f"+{number}@") for number in range(9)]
    for each in spelled:
        ask(app, each)
    assert sum(len(codes_for(app, each)) for each in spelled) == 3, "two, and one every ten minutes"
    before = len(codes_for(app, own))
    ask(app, EMAIL)
    ask(app, own)
    assert (len(codes_for(app, EMAIL)), len(codes_for(app, own))) == (1, before + 1), "nobody is kept out"


def test_a_network_is_mailed_five_codes_to_an_address(make_app: Callable[..., Flask], clock: Clock) -> None:
    app = make_app(limit_sign_ins_per_address=5)
    answers = {ask(app, EMAIL) for _ in range(9)}
    assert len(answers) == 1
    assert len(codes_for(app, EMAIL)) == 6, "and one every ten minutes"
    clock.advance(minutes=10)
    for _ in range(3):
        ask(app, EMAIL)
    assert len(codes_for(app, EMAIL)) == 7
    for last in range(20):
        ask(app, EMAIL, REMOTE_ADDR=f"203.0.113.{last}")
    assert len(codes_for(app, EMAIL)) == 17, "15 from all together, and two in twenty minutes"
    ask(app, "bob@example.org")
    assert len(codes_for(app, "bob@example.org")) == 1
    clock.advance(hours=1)
    ask(app, EMAIL)
    assert len(codes_for(app, EMAIL)) == 18


def test_a_caller_who_asks_too_often_gets_429(make_app: Callable[..., Flask], clock: Clock) -> None:
    app = make_app(limit_sign_ins_per_ip=2)
    for number in range(2):
        assert ask(app, f"p{number}@example.org", REMOTE_ADDR="203.0.113.7")[0] == 202
    clock.advance(minutes=20)
    refused = app.test_client().post(
        "/v1/sign-ins", json={"email": EMAIL}, environ_overrides={"REMOTE_ADDR": "203.0.113.7"}
    )
    assert (refused.status_code, refused.get_json()["code"]) == (429, "too_many_sign_ins")
    assert refused.headers["Retry-After"] == "2400"
    assert codes_for(app, EMAIL) == []
    for ip in ("203.0.113.8", "203.0.113.9", "2001:db8::1"):
        assert ask(app, EMAIL, REMOTE_ADDR=ip)[0] == 202
    assert len(codes_for(app, EMAIL)) == 3


def test_codes_for_new_addresses_count_for_the_network_too(make_app: Callable[..., Flask]) -> None:
    app = make_app(limit_sign_ins_per_ip=2)
    people = [sign_up(app, f"p{number}@example.org", None) for number in range(3)]
    for number, person in enumerate(people):
        answer = app.test_client().patch("/v1/me", json={"email": f"n{number}@example.org"}, headers=person.headers)
        assert answer.status_code == (200 if number < 2 else 429)
    assert answer.get_json()["code"] == "too_many_sign_ins" and codes_for(app, "n2@example.org") == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2"),
        ("192.0.2.7", "::ffff:192.0.2.7"),
        ("192.0.2.7", "192.0.2.7:50123"),
        ("2001:db8:0:1::1", "[2001:db8:0:1::2]:443"),
        ("fe80::1%eth0", "fe80::2"),
    ],
)
def test_a_network_is_one_however_it_is_spelled(make_app: Callable[..., Flask], first: str, second: str) -> None:
    app = make_app(limit_sign_ins_per_ip=1)
    assert ask(app, EMAIL, REMOTE_ADDR=first)[0] == 202
    assert ask(app, "bob@example.org", REMOTE_ADDR=second)[0] == 429


@pytest.mark.parametrize(("proxies", "mailed"), [(0, 1), (1, 2)])
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
    assert [ask(make_app(limit_sign_ins_per_ip=2), EMAIL)[0] for _ in range(3)] == [202, 202, 429]
    assert len(codes_for(make_app(), EMAIL)) == 2


def test_a_request_that_is_refused_for_another_reason_counts_not(make_app: Callable[..., Flask]) -> None:
    app = make_app(limit_sign_ins_per_ip=1)
    assert [ask(app, email)[0] for email in ("ann", "", "ann@", "ann@b@c")] == [422] * 4
    assert ask(app, EMAIL)[0] == 202


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
    assert answer.get_json()["code"] == "wrong_fields"
    assert [(entry["in"], entry["field"]) for entry in answer.get_json()["errors"]] == [("body", "email")]
