"""The number of statements that each read sends to Postgres, counted on the wire: one, whatever it shows."""

from collections.abc import Callable

import pytest
from flask import Flask

from tests.support.counting_proxy import CountingProxy
from tests.support.http_games import Game, SignUp, start, start_solo

_STATEMENTS = {
    "/v1/me": 1,
    "/v1/me/notifications": 1,
    "/v1/me/deliveries": 1,
    "/v1/games?mine=true": 1,
    "/v1/games?my_turn=true": 1,
    "/v1/solo-sessions": 1,
    "/v1/games/{game}/messages": 1,
    "/v1/games/{game}/notes": 1,
    "/v1/games/{game}/notifications": 1,
    "/v1/games/{game}/moves": 1,
    "/v1/games/{game}/moves/1": 1,
    "/v1/games/{game}/seats/0/goals": 1,
    "/v1/games/{game}/record": 1,
    "/v1/games/{game}/record?at=1": 1,
    "/v1/games/{game}/legal-moves?at=1": 1,
    "/v1/games/{game}/legal-moves": 1,
    "/v1/games/{game}/board.svg": 1,
    "/v1/games/{game}": 1,
    "/v1/tiles": 0,
    "/v1/rules": 0,
    "/v1/rules/1": 0,
    "/openapi.json": 0,
    "/docs": 0,
}
"""The statements of each read once they are prepared; none for a read that shows nothing from the database."""

_IN_TURN = 3


@pytest.fixture
def app(make_app: Callable[..., Flask], proxy: CountingProxy) -> Flask:
    return make_app(database_url=proxy.url)


@pytest.fixture
def game(app: Flask, sign_up: SignUp) -> Game:
    game = start(app.test_client(), sign_up("Ann"), sign_up("Ben"))
    game.move()
    return game


@pytest.mark.parametrize("path", _STATEMENTS)
def test_a_read_sends_so_many_statements(game: Game, proxy: CountingProxy, path: str) -> None:
    headers = game.players[0].headers
    for _ in range(_IN_TURN):
        proxy.clear()
        assert game.client.get(path.format(game=game.id), headers=headers).status_code == 200
        assert len(proxy.statements) == _STATEMENTS[path], proxy.statements
    assert proxy.waits == _STATEMENTS[path], "it waits for nothing else"


@pytest.mark.parametrize("path", [path for path, count in _STATEMENTS.items() if count and "{game}" not in path])
def test_a_read_refuses_a_token_before_a_query(game: Game, path: str) -> None:
    wrong = {"Authorization": "Bearer " + "x" * 43}
    query = f"{path}{'&' if '?' in path else '?'}no=such"
    for asked in (path, query):
        refused = game.client.get(asked, headers=wrong)
        assert (refused.status_code, refused.get_json()["code"]) == (401, "token_invalid")
    assert game.client.get(path).get_json()["code"] == "token_missing"
    assert game.client.get(query, headers=game.players[0].headers).status_code == 422


@pytest.mark.parametrize("asked", ["messages", "notes", "notifications", "moves", "record"])
def test_a_read_of_a_table_refuses_in_its_order(game: Game, sign_up: SignUp, asked: str) -> None:
    made = game.client.post("/v1/games", json={"seats": 2, "visibility": "private"}, headers=game.players[0].headers)
    private = made.headers["Location"]
    stranger, path = sign_up(), f"{game.path}/{asked}"
    for query in ("", "?no=such"):
        wrong = game.client.get(path + query, headers={"Authorization": "Bearer " + "x" * 43})
        assert (wrong.status_code, wrong.get_json()["code"]) == (401, "token_invalid")
        hidden = game.client.get(f"{private}/{asked}{query}", headers=stranger.headers)
        assert hidden.status_code == 404
        if asked in ("notes", "notifications"):
            assert game.client.get(path + query).get_json()["code"] == "token_missing"
            assert game.client.get(path + query, headers=stranger.headers).status_code == 403
        malformed = game.client.get(path + query, headers=game.players[0].headers)
        assert malformed.status_code == (422 if query else 200)
    solo = start_solo(game.client, game.players[0])
    assert game.client.get(f"/v1/games/{solo.id}/{asked}", headers=game.players[0].headers).status_code == 404


def test_a_cached_record_is_that_of_the_table_as_it_is(game: Game, sign_up: SignUp) -> None:
    reader = game.players[0].headers
    first = game.client.get(f"{game.path}/record", headers=reader)
    again = game.client.get(f"{game.path}/record", headers=reader)
    assert again.data == first.data and again.headers["ETag"] == first.headers["ETag"]
    game.move()
    moved = game.client.get(f"{game.path}/record", headers=reader)
    assert len(moved.get_json()["log"]) == len(first.get_json()["log"]) + 1
    renamed = game.client.patch("/v1/me", json={"name": "Ann B."}, headers=reader)
    assert renamed.status_code == 200
    assert game.client.get(f"{game.path}/record", headers=reader).get_json()["players"][0]["name"] == "Ann B."
    known = {**reader, "If-None-Match": game.get().headers["ETag"]}
    assert game.client.get(f"{game.path}/record", headers=known).status_code == 304


def test_a_cached_drawing_is_that_of_the_table_as_it_is(game: Game) -> None:
    reader, path = game.players[0].headers, f"{game.path}/board.svg"
    first = game.client.get(path, headers=reader)
    assert game.client.get(path, headers=reader).data == first.data
    assert game.client.patch("/v1/me", json={"name": "Zelda"}, headers=reader).status_code == 200
    assert "Zelda" in game.client.get(path, headers=reader).text and "Zelda" not in first.text
    assert game.client.get(f"{path}?scheme=dark", headers=reader).data != first.data
    game.move()
    assert game.client.get(path, headers=reader).data != first.data
