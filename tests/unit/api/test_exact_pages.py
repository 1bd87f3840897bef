"""A page that ends with the last item of its list has no next one."""

import pytest
from flask.testing import FlaskClient

from tests.support.http_games import SignUp, start
from tests.support.web import Person


@pytest.fixture
def lists(client: FlaskClient, ann: Person, sign_up: SignUp) -> list[str]:
    """Make two items or more of each kind, and return the paths of their lists."""
    ben, cleo = sign_up("Ben"), sign_up("Cleo")
    game = start(client, ann, ben)
    opened = client.post("/v1/games", json={"seats": 4}, headers=ann.headers).headers["Location"]
    for number, other in enumerate((ben, cleo)):
        game.move()
        for kind in ("messages", "notes"):
            client.post(f"{game.path}/{kind}", json={"text": f"Hello {number}"}, headers=ann.headers)
        client.post(f"{opened}/invitations", json={"email": f"p{number}@example.org"}, headers=ann.headers)
        theirs = client.post("/v1/games", json={"seats": 2}, headers=other.headers).headers["Location"]
        client.post(f"{theirs}/invitations", json={"email": ann.email}, headers=other.headers)
        client.put(f"/v1/me/blocked/{sign_up().account}", headers=ann.headers)
    of_game = [f"{game.path}/{kind}" for kind in ("messages", "notes", "moves")]
    return [*of_game, f"{opened}/invitations", "/v1/me/blocked", "/v1/games?mine=true", "/v1/me/invitations"]


def test_a_full_last_page_has_no_next_page(client: FlaskClient, ann: Person, lists: list[str]) -> None:
    for path in lists:
        query = f"{path}{'&' if '?' in path else '?'}limit="
        count = len(client.get(path, headers=ann.headers).get_json()["items"])
        assert count > 1, path
        exact, fewer = (client.get(f"{query}{limit}", headers=ann.headers).get_json() for limit in (count, count - 1))
        assert (len(exact["items"]), exact["next"]) == (count, None), path
        assert len(fewer["items"]) == count - 1 and fewer["next"] is not None, path
