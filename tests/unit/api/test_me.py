"""One's own account: shown, changed, moved to another address, deleted."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from service.store.base import db
from service.store.unit import transaction
from tests.support.clock import Clock
from tests.support.web import Person, codes_for

SignUp = Callable[..., Person]


def rows(app: Flask, query: str, **values: Any) -> list[Any]:
    with app.app_context():
        found = db.session.execute(text(query), values).all()
    return [tuple(row) for row in found]


def jobs(app: Flask, task: str) -> list[dict[str, Any]]:
    return [args for (args,) in rows(app, "SELECT args FROM procrastinate_jobs WHERE task_name = :task", task=task)]


def ask_to_move(app: Flask, person: Person, email: str) -> Any:
    return app.test_client().patch("/v1/me", json={"email": email}, headers=person.headers)


def confirm(app: Flask, person: Person, code: str) -> Any:
    return app.test_client().post("/v1/me/email", json={"code": code}, headers=person.headers)


def test_name_and_language_change_and_the_rest_stays(client: FlaskClient, sign_up: SignUp) -> None:
    ann = sign_up("Ann")
    before = client.get("/v1/me", headers=ann.headers).get_json()
    for changes in ({"name": "Ann B."}, {"language": "de"}, {"name": None}, {}):
        before |= changes
        answer = client.patch("/v1/me", json=changes, headers=ann.headers)
        assert (answer.status_code, answer.get_json()) == (200, before)
        assert client.get("/v1/me", headers=ann.headers).get_json() == before


def test_a_name_is_kept_in_one_spelling(client: FlaskClient, sign_up: SignUp) -> None:
    answer = client.patch("/v1/me", json={"name": "  Zoe\u0301   O'Neil-Smith "}, headers=sign_up().headers)
    assert answer.get_json()["name"] == "Zo\u00e9 O'Neil-Smith"


def test_a_changed_name_gives_the_tables_a_new_revision(app: Flask, client: FlaskClient, sign_up: SignUp) -> None:
    ann = sign_up("Ann")
    with app.app_context():
        db.session.execute(
            text(
                "INSERT INTO tables (id, kind, seats, goal_discs, visibility, commitment, created_at)"
                " VALUES ('aaaaaaaaaaaa', 'match', 2, 20, 'public', sha256(''), now()),"
                " ('bbbbbbbbbbbb', 'match', 2, 20, 'public', sha256(''), now())"
            )
        )
        db.session.execute(
            text("INSERT INTO seats SELECT key, 0, :account, '', now() FROM tables WHERE id = 'aaaaaaaaaaaa'"),
            {"account": ann.account},
        )
        db.session.commit()
    client.patch("/v1/me", json={"name": "Ann"}, headers=ann.headers)
    assert rows(app, "SELECT revision FROM tables ORDER BY id") == [(0,), (0,)]
    client.patch("/v1/me", json={"name": "Ann B."}, headers=ann.headers)
    assert rows(app, "SELECT revision FROM tables ORDER BY id") == [(1,), (0,)]


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (b"{", 400, "not_json"),
        (b"", 422, "wrong_fields"),
        (b"[]", 422, "wrong_fields"),
        (b'{"name": 5}', 422, "wrong_fields"),
        (b'{"language": null}', 422, "wrong_fields"),
        (b'{"email": null}', 422, "wrong_fields"),
        (b'{"id": "x"}', 422, "wrong_fields"),
    ],
)
def test_what_does_not_fit_is_refused(
    client: FlaskClient, sign_up: SignUp, sent: bytes, status: int, code: str
) -> None:
    headers = sign_up().headers | {"Content-Type": "application/json"}
    answer = client.patch("/v1/me", data=sent, headers=headers)
    assert (answer.status_code, answer.get_json()["code"]) == (status, code)


def test_a_new_address_counts_once_confirmed_and_the_old_one_is_notified(
    app: Flask, client: FlaskClient, sign_up: SignUp
) -> None:
    ann = sign_up("Ann")
    asked = ask_to_move(app, ann, "New@Example.org")
    assert (asked.get_json()["email"], asked.get_json()["pending_email"]) == (ann.email, "new@example.org")
    (code,) = codes_for(app, "new@example.org", "email-change")
    assert jobs(app, "mail_address_changed") == []
    moved = confirm(app, ann, code)
    assert moved.status_code == 200
    assert (moved.get_json()["email"], moved.get_json()["pending_email"]) == ("new@example.org", None)
    (told,) = jobs(app, "mail_address_changed")
    assert rows(app, "SELECT email, former_email FROM codes WHERE id = :code", **told) == [
        ("new@example.org", ann.email)
    ]
    assert confirm(app, ann, code).get_json()["code"] == "code_invalid"
    assert sign_up(email="new@example.org").account == ann.account
    assert sign_up(email=ann.email).account != ann.account


def test_an_address_of_another_account_is_answered_like_any_other(app: Flask, sign_up: SignUp) -> None:
    ann, bob = sign_up("Ann"), sign_up("Bob")
    to_bob, to_nobody = ask_to_move(app, ann, bob.email), ask_to_move(app, ann, "nobody@example.org")
    assert to_bob.status_code == to_nobody.status_code == 200
    assert to_bob.text.replace(bob.email, "") == to_nobody.text.replace("nobody@example.org", "")
    assert codes_for(app, bob.email, "email-change") == []


def test_an_address_taken_by_another_account_is_refused_like_a_wrong_code(app: Flask, sign_up: SignUp) -> None:
    ann = sign_up("Ann")
    ask_to_move(app, ann, "new@example.org")
    (code,) = codes_for(app, "new@example.org", "email-change")
    sign_up(email="new@example.org")
    wrong = confirm(app, ann, "AAAAA-AAAAA")
    refused = confirm(app, ann, code)
    assert (refused.status_code, refused.data) == (wrong.status_code, wrong.data) == (403, wrong.data)
    assert rows(app, "SELECT email FROM accounts WHERE id = :id", id=ann.account) == [(ann.email,)]


def test_the_present_address_takes_a_change_back(app: Flask, sign_up: SignUp, clock: Clock) -> None:
    ann = sign_up("Ann")
    ask_to_move(app, ann, "new@example.org")
    (code,) = codes_for(app, "new@example.org", "email-change")
    assert ask_to_move(app, ann, ann.email).get_json()["pending_email"] is None
    assert confirm(app, ann, code).status_code == 403
    ask_to_move(app, ann, "new@example.org")
    clock.advance(minutes=15)
    assert app.test_client().get("/v1/me", headers=ann.headers).get_json()["pending_email"] is None


def test_a_code_of_somebody_else_moves_nothing(app: Flask, sign_up: SignUp) -> None:
    ann, bob = sign_up("Ann"), sign_up("Bob")
    ask_to_move(app, ann, "new@example.org")
    (code,) = codes_for(app, "new@example.org", "email-change")
    assert confirm(app, bob, code).status_code == 403
    assert confirm(app, ann, code).status_code == 200


def test_wrong_codes_of_an_account_are_limited_and_kill_none(
    make_app: Callable[..., Flask], sign_up: SignUp, clock: Clock
) -> None:
    app = make_app(limit_code_tries=6)
    ann, bob = sign_up("Ann"), sign_up("Bob")
    clock.advance(minutes=50)
    for _ in range(6):
        assert confirm(app, ann, "AAAAA-AAAAA").status_code == 403
    clock.advance(minutes=55)
    ask_to_move(app, ann, "new@example.org")
    (code,) = codes_for(app, "new@example.org", "email-change")
    assert (confirm(app, ann, code).status_code, confirm(app, bob, code).status_code) == (429, 403)
    clock.advance(minutes=5)
    assert confirm(app, ann, code).status_code == 200


def test_an_account_asks_for_so_many_changes_an_hour(make_app: Callable[..., Flask], sign_up: SignUp) -> None:
    app = make_app(limit_sign_ins_per_address=5)
    ann, bob = sign_up("Ann"), sign_up("Bob")
    for number in range(5):
        assert ask_to_move(app, ann, f"new{number}@example.org").status_code == 200
        assert ask_to_move(app, ann, ann.email).status_code == 200, "that asks for no mail"
    refused = ask_to_move(app, ann, "new@example.org")
    assert (refused.status_code, refused.get_json()["code"]) == (429, "mails_limited")
    assert refused.headers["Retry-After"] == "3600"
    assert codes_for(app, "new@example.org", "email-change") == []
    assert ask_to_move(app, bob, "new@example.org").status_code == 200, "nobody spends what another may ask for"


def test_accounts_together_mail_an_address_no_more_than_some_codes(
    make_app: Callable[..., Flask], sign_up: SignUp
) -> None:
    app = make_app(limit_sign_ins_per_address=1)
    for number in range(3):
        assert ask_to_move(app, sign_up(f"Ann{number}"), "new@example.org").status_code == 200
    refused = ask_to_move(app, sign_up("Bob"), "new+1@example.org")
    assert (refused.status_code, refused.get_json()["code"]) == (429, "mails_limited")
    assert "to this address" in refused.get_json()["detail"] and refused.headers["Retry-After"] == "3600"
    assert len(codes_for(app, "new@example.org", "email-change")) == 3


def test_two_who_move_to_one_address_at_once(app: Flask, sign_up: SignUp) -> None:
    people = [sign_up(), sign_up()]
    for person in people:
        ask_to_move(app, person, "new@example.org")
    codes = codes_for(app, "new@example.org", "email-change")[::-1]
    with ThreadPoolExecutor(2) as pool:
        statuses = pool.map(lambda number: confirm(app, people[number], codes[number]).status_code, range(2))
        assert sorted(statuses) == [200, 403]


def test_what_is_left_of_a_deleted_account(app: Flask, client: FlaskClient, sign_up: SignUp) -> None:
    ann = sign_up("Ann")
    opened = client.post("/v1/games", json={"seats": 2}, headers=ann.headers | {"Idempotency-Key": "k"})
    assert opened.status_code == 201
    ask_to_move(app, ann, "new@example.org")
    client.post("/v1/sign-ins", json={"email": ann.email})
    assert rows(app, "SELECT account FROM idempotency") == [(ann.account,)]
    answer = client.delete("/v1/me", headers=ann.headers)
    assert (answer.status_code, answer.data) == (204, b"")
    assert client.get("/v1/me", headers=ann.headers).status_code == 401
    assert rows(app, "SELECT id, email, name, erased_at IS NOT NULL FROM accounts") == [(ann.account, None, None, True)]
    for table in ("codes", "tokens", "idempotency"):
        assert rows(app, f"SELECT * FROM {table}") == []
    (forgotten,) = jobs(app, "forget_mail")
    assert len(bytes.fromhex(forgotten["address_hash"])) == 32 and forgotten["account"] == ann.account
    again = sign_up("Ann", ann.email)
    assert again.account != ann.account


def everything(app: Flask) -> str:
    """Return all rows of all tables as text."""
    names = rows(app, "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'")
    return "\n".join(str(rows(app, f"SELECT row_to_json(t)::text FROM {name} t")) for (name,) in names)


def test_no_row_names_a_deleted_person_or_any_address_that_the_person_had(
    app: Flask, client: FlaskClient, clock: Clock, sign_up: SignUp
) -> None:
    zoe, ben, namesake = sign_up("Zoë Quux", "zoe.first@example.org"), sign_up("Ben"), sign_up("Zoë Quux")
    client.post("/v1/sign-ins", json={"email": zoe.email})
    table = client.post(
        "/v1/games", json={"seats": 4, "discs": "full", "visibility": "public"}, headers=ben.headers
    ).get_json()["id"]
    invited = {"email": zoe.email}
    assert client.post(f"/v1/games/{table}/invitations", json=invited, headers=ben.headers).status_code == 201
    for person in (namesake, zoe):
        client.post(f"/v1/games/{table}/players", json={}, headers=person.headers)
    joined = sign_up("Dan").headers | {"Idempotency-Key": "dan"}
    first = client.post(f"/v1/games/{table}/players", json={}, headers=joined).get_json()
    assert [player["name"] for player in first["players"]] == ["Ben", "Zoë Quux", "Zoë Quux", "Dan"]
    ask_to_move(app, zoe, "zoe.second@example.org")
    assert confirm(app, zoe, codes_for(app, "zoe.second@example.org", "email-change")[0]).status_code == 200
    clock.advance(minutes=1)
    other = sign_up("Eve", zoe.email)  # the address is free now, and its mail may be another person's
    client.post("/v1/sign-ins", json={"email": other.email})
    ask_to_move(app, zoe, "zoe.third@example.org")

    assert client.delete("/v1/me", headers=zoe.headers).status_code == 204
    left = everything(app)
    assert "zoe.second" not in left and "zoe.third" not in left
    assert rows(app, "SELECT email FROM invitations") == [(None,)]
    assert rows(app, "SELECT count(*) FROM codes WHERE email = :email", email=other.email) == [(1,)]
    again = client.post(f"/v1/games/{table}/players", json={}, headers=joined)
    assert [player["name"] for player in again.get_json()["players"]] == ["Ben", "Zoë Quux", None, "Dan"]
    first["players"][2]["id"] = first["players"][2]["name"] = None
    assert again.get_json() == first
    assert [job["until_ms"] for job in jobs(app, "forget_mail")] == [
        int(at.timestamp() * 1000) for at in (clock.now, clock.now - timedelta(minutes=1))
    ]


def test_a_deleted_name_leaves_a_response_that_has_no_ids(app: Flask, client: FlaskClient, sign_up: SignUp) -> None:
    ben, zoe, namesake, dan = (sign_up(name) for name in ("Ben", "Zoë", "Zoë", "Dan"))
    path = client.post("/v1/games", json={"seats": 4, "discs": "full"}, headers=ben.headers).headers["Location"]
    for person in (zoe, namesake):
        client.post(f"{path}/players", json={}, headers=person.headers)
    joining = dan.headers | {"Idempotency-Key": "dan"}
    stored = client.post(f"{path}/players", json={}, headers=joining).get_json()
    for player in stored["players"]:
        del player["id"]  # as the previous release stored it
    with app.app_context(), transaction() as session:
        session.execute(text("UPDATE idempotency SET body = :body"), {"body": json.dumps(stored)})
    assert client.delete("/v1/me", headers=zoe.headers).status_code == 204
    stored["players"][1]["name"] = None
    assert client.post(f"{path}/players", json={}, headers=joining).get_json() == stored


def test_whatever_is_under_way_an_erased_account_stays_erased(app: Flask, sign_up: SignUp) -> None:
    for number in range(5):
        ann = sign_up("Ann", f"ann{number}@example.org")
        app.test_client().post("/v1/sign-ins", json={"email": ann.email})
        code = codes_for(app, ann.email)[0]
        asked = {"email": ann.email, "code": code}
        with ThreadPoolExecutor(4) as pool:
            answers = [
                pool.submit(app.test_client().delete, "/v1/me", headers=ann.headers),
                pool.submit(app.test_client().patch, "/v1/me", json={"name": "Eve"}, headers=ann.headers),
                pool.submit(ask_to_move, app, ann, "new@example.org"),
                pool.submit(app.test_client().post, "/v1/tokens", json=asked),
            ]
            statuses = [answer.result().status_code for answer in answers]
        assert statuses[0] == 204
        assert set(statuses[1:3]) <= {200, 401}
        assert rows(app, "SELECT email, name FROM accounts WHERE id = :id", id=ann.account) == [(None, None)]
        assert rows(app, "SELECT * FROM tokens WHERE account = :id", id=ann.account) == []
        assert rows(app, "SELECT * FROM codes WHERE account = :id", id=ann.account) == []
