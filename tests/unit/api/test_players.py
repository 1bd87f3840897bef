"""Players as others see them: their ids in games, lists and messages, their profiles and their games."""

import json
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import text

from service.store.unit import transaction
from tests.support.clock import Clock
from tests.support.http_games import Game, SignUp, play_out, start
from tests.support.web import Person


def ids(game: Game) -> list[list[str | None]]:
    """Return the ids of the players in the view, in the list and in the messages, as a stranger reads them."""
    read: Any = [game.client.get(path).get_json() for path in (game.path, "/v1/games", f"{game.path}/messages")]
    view, listed, messages = read
    return [
        [player["id"] for player in view["players"]],
        [player["id"] for player in listed["items"][0]["players"]],
        [message["author_id"] for message in messages["items"]],
    ]


def test_players_have_the_ids_of_their_accounts_until_deletion(client: FlaskClient, sign_up: SignUp) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    game = start(client, ann, ben)
    for person in (ben, ann):
        client.post(f"{game.path}/messages", json={"text": "Hello"}, headers=person.headers)
    both: list[str | None] = [ann.account, ben.account]
    assert ids(game) == [both, both, both]
    assert client.get("/v1/me", headers=ann.headers).get_json()["id"] == ann.account
    assert client.delete("/v1/me", headers=ann.headers).status_code == 204
    left = [None, ben.account]
    assert ids(game) == [left, left, left]
    assert [player["reachable"] for player in game.view(ben)["players"]] == [False, True]


def test_a_profile_says_no_more_than_everybody_may_know(
    app: Flask, client: FlaskClient, clock: Clock, sign_up: SignUp
) -> None:
    ann, ben, eve = sign_up("Ann"), sign_up("Ben"), sign_up("Eve")
    for visibility in ("public", "private"):
        game = start(client, ann, sign_up("Cleo"), discs=5, visibility="public")
        if visibility == "private":
            with app.app_context(), transaction() as session:
                session.execute(text("UPDATE tables SET visibility = 'private' WHERE id = :id"), {"id": game.id})
        play_out(game)
    start(client, ann, ben)
    told: Any = client.get(f"/v1/players/{ann.account}").get_json()
    assert told == {
        "id": ann.account,
        "name": "Ann",
        "created_at": client.get("/v1/me", headers=ann.headers).get_json()["created_at"],
        "games_finished": 1,
        "blocked": False,
    }
    assert client.get(f"/v1/players/{ann.account}", headers=eve.headers).get_json() == told
    own = client.get(f"/v1/players/{ann.account}", headers=ann.headers).get_json()
    assert own["games_finished"] == 2


@pytest.mark.parametrize("path", ["", "/games"])
def test_nobody_deleted_or_suspended_can_be_found(app: Flask, client: FlaskClient, sign_up: SignUp, path: str) -> None:
    gone, suspended, eve = sign_up("Ann"), sign_up("Ben"), sign_up("Eve")
    for person in (gone, suspended):
        assert client.get(f"/v1/players/{person.account}{path}").status_code == 200
    client.delete("/v1/me", headers=gone.headers)
    with app.app_context(), transaction() as session:
        session.execute(text("UPDATE accounts SET suspended_at = now() WHERE id = :id"), {"id": suspended.account})
    answers = {
        client.get(f"/v1/players/{id}{path}", headers=headers).data
        for id in (gone.account, suspended.account, "abcdefgh2345", "not-an-id")
        for headers in (eve.headers, {})
    }
    (answer,) = answers
    assert json.loads(answer)["code"] == "unknown_player"
    wrong = client.get(f"/v1/players/{eve.account}{path}", headers={"Authorization": "Bearer wrong"})
    assert wrong.status_code == 401


def test_the_games_of_a_player_are_those_that_the_reader_may_see(client: FlaskClient, sign_up: SignUp) -> None:
    ann, ben, eve = sign_up("Ann"), sign_up("Ben"), sign_up("Eve")
    public = start(client, ann, ben)
    private = client.post("/v1/games", json={"seats": 2, "visibility": "private"}, headers=ann.headers).get_json()["id"]
    waiting = client.post("/v1/games", json={"seats": 3}, headers=ann.headers).get_json()["id"]
    client.post("/v1/solo-sessions", headers=ann.headers)
    start(client, ben, eve)

    def listed(reader: Person | None, query: str = "") -> list[str]:
        path, found = f"/v1/players/{ann.account}/games?limit=1{query}", []
        cursor: str | None = ""
        while cursor is not None:
            page = client.get(f"{path}{cursor and f'&cursor={cursor}'}", headers=reader.headers if reader else {})
            found += [item["id"] for item in page.get_json()["items"]]
            cursor = page.get_json()["next"]
        return found

    assert listed(ann) == [waiting, private, public.id]
    assert listed(ben) == listed(eve) == listed(None) == [waiting, public.id]
    assert listed(None, "&status=open") == listed(ben, "&free_seats=2") == [waiting]
    assert listed(ann, "&status=running&seats=2") == [public.id]
