"""A suspended account: nothing is done for it over HTTP, and everything is again afterwards."""

from __future__ import annotations

from dataclasses import replace

from flask import Flask
from flask.testing import FlaskClient

from service.api.context import context_of
from service.commands import suspensions
from service.store.unit import transaction
from tests.support.clock import NOW
from tests.support.http_games import SignUp, start
from tests.support.web import Person, codes_for


def suspend(app: Flask, person: Person) -> None:
    with app.app_context(), transaction() as session:
        assert suspensions.suspend(session, person.account, NOW)


def unsuspend(app: Flask, person: Person) -> None:
    with app.app_context(), transaction() as session:
        assert suspensions.unsuspend(session, person.account)


def test_what_anybody_may_read_is_refused_with_the_token(app: Flask, client: FlaskClient, sign_up: SignUp) -> None:
    game = start(client, sign_up("Ann"), sign_up("Ben"))
    ann, ben = game.players
    suspend(app, ann)
    for suffix in ("", "/moves", "/legal-moves", "/record", "/board.svg"):
        assert game.get(suffix, ann).get_json()["code"] == "account_suspended"
        assert game.get(suffix, ben).status_code == client.get(game.path + suffix).status_code == 200


def test_unsuspended_account_acts_again_with_the_same_token(app: Flask, client: FlaskClient, sign_up: SignUp) -> None:
    ann = sign_up("Ann")
    suspend(app, ann)
    unsuspend(app, ann)
    assert client.get("/v1/me", headers=ann.headers).status_code == 200


def test_suspended_account_gets_no_new_token_by_signing_in(app: Flask, client: FlaskClient, sign_up: SignUp) -> None:
    ann = sign_up("Ann")
    suspend(app, ann)
    assert client.post("/v1/sign-ins", json={"email": ann.email}).status_code == 202
    code = codes_for(app, ann.email)[0]
    refused = client.post("/v1/tokens", json={"email": ann.email, "code": code})
    assert (refused.status_code, refused.get_json()["code"]) == (403, "account_suspended")
    unsuspend(app, ann)
    assert client.post("/v1/tokens", json={"email": ann.email, "code": code}).status_code == 201


def test_its_sign_in_names_whom_to_ask(app: Flask, client: FlaskClient, sign_up: SignUp) -> None:
    here, ann = context_of(app), sign_up("Ann")
    replace(here, settings=replace(here.settings, contact="help@example.org")).init_app(app.extensions)
    suspend(app, ann)
    client.post("/v1/sign-ins", json={"email": ann.email})
    refused = client.post("/v1/tokens", json={"email": ann.email, "code": codes_for(app, ann.email)[0]})
    assert refused.status_code == 403
    assert refused.get_json()["detail"].endswith("Ask those who run this service: help@example.org")


def test_its_invitation_links_lead_nowhere(app: Flask, client: FlaskClient, sign_up: SignUp) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    path = client.post("/v1/games", json={"seats": 3}, headers=ann.headers).headers["Location"]
    made = client.post(f"{path}/invitation-links", headers=ann.headers).get_json()
    page = made["url"].partition("/invitation?")[2]
    suspend(app, ann)
    shown = client.get("/v1/invitation-link", query_string={"link": made["invitation"]})
    joined = client.post(f"{path}/players", json={"invitation": made["invitation"]}, headers=ben.headers)
    for refused in (shown, joined):
        assert (refused.status_code, refused.get_json()["code"]) == (409, "link_suspended")
    for answer in (
        client.get(f"/invitation?{page}"),
        client.post(f"/invitation?{page}", data={"email": "c@example.org"}),
    ):
        assert answer.status_code == 404 and "may not invite anybody" in answer.text
    unsuspend(app, ann)
    assert client.get(f"/invitation?{page}").status_code == 200
    assert (
        client.post(f"{path}/players", json={"invitation": made["invitation"]}, headers=ben.headers).status_code == 201
    )


def test_its_games_are_as_before(app: Flask, client: FlaskClient, sign_up: SignUp) -> None:
    game = start(client, sign_up("Ann"), sign_up("Ben"))
    before = game.view(game.players[1])
    suspend(app, game.players[0])
    assert game.view(game.players[1]) == before
