"""``POST /v1/games/{game_id}/rematch``."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.http_games import Game, SignUp, play_out, start
from tests.support.web import Person


@pytest.fixture
def game(client: FlaskClient, sign_up: SignUp) -> Game:
    """Play a private game to its end."""
    made = start(client, sign_up("Ann"), sign_up("Ben"), discs=5, hints=False)
    play_out(made)
    return made


def ask(game: Game, person: Person | None, body: Any = None, **headers: str) -> TestResponse:
    sent = {**(person.headers if person else {}), **headers}
    return game.client.post(f"{game.path}/rematch", headers=sent, **({} if body is None else {"json": body}))


def test_a_rematch_is_a_new_table_once_and_then_the_same(game: Game) -> None:
    ann, ben = game.players
    made = ask(game, ann, {"entropy": "mine"})
    assert made.status_code == 201 and made.headers["Location"] == f"/v1/games/{made.get_json()['id']}"
    view = made.get_json()
    assert (view["seats"], view["goal_discs"], view["hints"], view["you"]) == (2, 5, False, 0)
    again = ask(game, ann)
    assert (again.status_code, again.get_json()) == (200, view)
    joined = ask(game, ben)
    assert (joined.status_code, joined.get_json()["id"], joined.get_json()["you"]) == (200, view["id"], 1)
    assert joined.get_json()["status"] == "running"
    assert joined.get_json()["draw"]["entropy"] == ["mine", ""]


def test_the_same_key_gets_the_same_response(game: Game) -> None:
    key = {"Idempotency-Key": "again-with-ann"}
    first, second = ask(game, game.players[0], **key), ask(game, game.players[0], **key)
    assert first.status_code == second.status_code == 201 and first.data == second.data


def test_others_are_refused(game: Game, sign_up: SignUp) -> None:
    cleo = sign_up("Cleo")
    assert ask(game, None).status_code == 401
    assert (ask(game, cleo).status_code, ask(game, cleo).get_json()["code"]) == (403, "not_at_the_table")
    running = start(game.client, *game.players)
    assert (ask(running, cleo).status_code, ask(running, game.players[0]).get_json()["code"]) == (403, "not_over")
