"""Blocking a player: who no longer meets whom, and what the one who is blocked can tell."""

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from service.commands import blocks
from service.store.base import db
from service.store.unit import transaction
from tests.support.http_games import Game, SignUp, play_out, start
from tests.support.web import Person

Answer = tuple[int, str | None]


@pytest.fixture
def block(client: FlaskClient) -> Callable[[Person, Person], None]:
    def one(who: Person, whom: Person) -> None:
        assert client.put(f"/v1/me/blocked/{whom.account}", headers=who.headers).status_code == 204

    return one


Block = Callable[[Person, Person], None]


def table(client: FlaskClient, maker: Person, **given: Any) -> str:
    return client.post("/v1/games", json={"seats": 2, **given}, headers=maker.headers).headers["Location"]


def join(client: FlaskClient, path: str, person: Person, **body: Any) -> Answer:
    answer = client.post(f"{path}/players", json=body, headers=person.headers)
    return answer.status_code, answer.get_json().get("code")


def open_tables(client: FlaskClient, person: Person | None) -> list[str]:
    listed = client.get("/v1/games?status=open", headers=person.headers if person else {})
    return [f"/v1/games/{item['id']}" for item in listed.get_json()["items"]]


def test_the_list_of_blocked_players_is_ones_own_and_paged(
    client: FlaskClient, ann: Person, ben: Person, sign_up: SignUp, block: Block
) -> None:
    cleo = sign_up("Cleo")
    for whom in (ben, cleo, ben):
        block(ann, whom)
    first = client.get("/v1/me/blocked?limit=1", headers=ann.headers).get_json()
    rest = client.get(f"/v1/me/blocked?limit=1&cursor={first['next']}", headers=ann.headers).get_json()
    assert {(each["id"], each["name"]) for each in first["items"] + rest["items"]} == {
        (ben.account, "Ben"),
        (cleo.account, "Cleo"),
    }
    assert rest["next"] is None
    assert client.get("/v1/me/blocked", headers=ben.headers).get_json() == {"items": [], "next": None}
    for _ in range(2):
        assert client.delete(f"/v1/me/blocked/{ben.account}", headers=ann.headers).status_code == 204
    (left,) = client.get("/v1/me/blocked", headers=ann.headers).get_json()["items"]
    assert left["id"] == cleo.account
    assert client.delete("/v1/me/blocked/nobody", headers=ann.headers).get_json()["code"] == "unknown_player"


def test_blocking_is_refused_with_the_code_that_says_why(
    app: Flask, client: FlaskClient, ann: Person, ben: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(player: str) -> Answer:
        answer = client.put(f"/v1/me/blocked/{player}", headers=ann.headers)
        return answer.status_code, answer.get_json()["code"]

    assert refused("abcdefgh2345") == refused("-") == (404, "unknown_player")
    assert refused(ann.account) == (409, "yourself")
    monkeypatch.setattr(blocks, "MOST", 0)
    assert refused(ben.account) == (409, "too_many_blocked")
    with app.app_context(), transaction() as session:
        session.execute(text("UPDATE accounts SET suspended_at = now() WHERE id = :id"), {"id": ben.account})
    assert refused(ben.account) == (404, "unknown_player")


def test_neither_sees_or_joins_the_open_tables_of_the_other(
    client: FlaskClient, ann: Person, ben: Person, block: Block
) -> None:
    of_ann, of_ben = table(client, ann), table(client, ben)
    block(ann, ben)
    assert (open_tables(client, ann), open_tables(client, ben)) == ([of_ann], [of_ben])
    assert open_tables(client, None) == [of_ben, of_ann]
    for person, theirs in ((ann, ben), (ben, ann)):
        listed = client.get(f"/v1/players/{theirs.account}/games", headers=person.headers).get_json()
        assert listed["items"] == []
    assert join(client, of_ann, ben) == (409, "table_full")
    assert join(client, of_ben, ann) == (409, "player_blocked")
    client.delete(f"/v1/me/blocked/{ben.account}", headers=ann.headers)
    assert open_tables(client, ann) == open_tables(client, ben) == [of_ben, of_ann]
    assert join(client, of_ann, ben) == (201, None)


def test_blocked_players_do_not_meet_at_the_table_of_a_third(
    client: FlaskClient, ann: Person, ben: Person, sign_up: SignUp, block: Block
) -> None:
    block(ann, ben)
    path = table(client, sign_up("Cleo"), seats=4)
    assert join(client, path, ann) == (201, None)
    assert join(client, path, ben) == (409, "table_full")
    other = table(client, sign_up("Dan"), seats=4)
    assert join(client, other, ben) == (201, None)
    assert join(client, other, ann) == (409, "player_blocked")


def test_a_game_that_both_play_goes_on_without_the_talk_of_the_blocked(
    client: FlaskClient, ann: Person, ben: Person, block: Block
) -> None:
    game = start(client, ann, ben)
    for person in (ann, ben):
        client.post(f"{game.path}/messages", json={"text": f"Before, {person.email}"}, headers=person.headers)
    block(ann, ben)
    for person in (ann, ben):
        made = client.post(f"{game.path}/messages", json={"text": f"After, {person.email}"}, headers=person.headers)
        assert made.status_code == 201
    read = {
        person: [
            message["author_id"]
            for message in client.get(f"{game.path}/messages", headers=person.headers).get_json()["items"]
        ]
        for person in (ann, ben)
    }
    assert read == {ann: [ann.account] * 2, ben: [ben.account, ann.account] * 2}
    assert len(client.get(f"{game.path}/messages").get_json()["items"]) == 4
    for _ in range(4):
        game.move()


def test_no_rematch_brings_them_together(client: FlaskClient, ann: Person, ben: Person, block: Block) -> None:
    game = start(client, ann, ben, discs=5)
    play_out(game)
    block(ann, ben)
    refused = client.post(f"{game.path}/rematch", headers=ann.headers)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "player_blocked")
    asked = client.post(f"{game.path}/rematch", headers=ben.headers)
    assert asked.status_code == 201
    refused = client.post(f"{game.path}/rematch", headers=ann.headers)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "player_blocked")
    client.delete(f"/v1/me/blocked/{ben.account}", headers=ann.headers)
    assert client.post(f"{game.path}/rematch", headers=ann.headers).get_json()["you"] == 1


def test_the_blocked_gets_no_seat_at_the_rematch_of_the_blocker(
    client: FlaskClient, ann: Person, ben: Person, sign_up: SignUp, block: Block
) -> None:
    game = start(client, ann, ben, sign_up("Cleo"), discs=5)
    play_out(game)
    made = client.post(f"{game.path}/rematch", headers=ann.headers).get_json()
    block(ann, ben)
    asked = client.post(f"{game.path}/rematch", headers=ben.headers)
    assert (asked.status_code, asked.get_json()["id"], asked.get_json()["you"]) == (200, made["id"], None)


def test_a_deleted_account_has_blocked_nobody(
    app: Flask, client: FlaskClient, ann: Person, ben: Person, sign_up: SignUp, block: Block
) -> None:
    cleo = sign_up("Cleo")
    block(ann, ben)
    block(ben, ann)
    block(ben, cleo)
    client.delete("/v1/me", headers=ann.headers)
    with app.app_context():
        left = db.session.execute(text("SELECT account, blocked FROM blocks")).all()
    assert [tuple(row) for row in left] == [(ben.account, cleo.account)]


def test_a_game_is_shown_to_a_blocked_player_as_to_anybody(
    client: FlaskClient, ann: Person, ben: Person, block: Block
) -> None:
    game = Game(table(client, ann), (ann,), client)
    before = game.view(ben)
    block(ann, ben)
    assert game.view(ben) == before
    assert client.get(f"/v1/players/{ann.account}", headers=ben.headers).get_json()["blocked"] is False
    assert client.get(f"/v1/players/{ben.account}", headers=ann.headers).get_json()["blocked"] is True
