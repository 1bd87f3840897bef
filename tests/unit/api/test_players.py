"""Players as others see them: their ids in games, lists and messages."""

from typing import Any

from flask.testing import FlaskClient

from tests.support.http_games import Game, SignUp, start


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
