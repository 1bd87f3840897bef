"""``If-Match`` on what changes a table at its own address: nothing is done unless the table is in that state."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from engine import simulate
from tests.integration.contract.document import OPERATIONS
from tests.support.http_games import Game, SignUp, start, start_solo
from tests.support.web import Person

Make = Callable[[FlaskClient, Person, SignUp], str]
STALE = '"0-9-ffffffff"'


def open_table(client: FlaskClient, ann: Person, sign_up: SignUp) -> str:
    return str(client.post("/v1/games", json={"seats": 2}, headers=ann.headers).headers["Location"])


def open_solo(client: FlaskClient, ann: Person, sign_up: SignUp) -> str:
    return str(client.post("/v1/solo-sessions", headers=ann.headers).headers["Location"])


def an_import(client: FlaskClient, ann: Person, sign_up: SignUp) -> str:
    record = next(simulate.records(1, 2, "if match", "greedy", 5))
    made = client.post("/v1/imports", data=record, headers=ann.headers, content_type="application/json")
    return str(made.headers["Location"])


def exploration(client: FlaskClient, ann: Person, sign_up: SignUp) -> str:
    solo = start_solo(client, ann)
    made = client.post(f"{solo.path}/explorations", json={}, headers=ann.headers)
    return f"/v1/explorations/{made.get_json()['id']}"


@pytest.mark.parametrize("make", [open_table, open_solo, an_import, exploration])
def test_what_is_not_as_if_match_says_is_not_deleted(
    client: FlaskClient, sign_up: SignUp, ann: Person, make: Make
) -> None:
    path = make(client, ann, sign_up)
    before = client.get(path, headers=ann.headers)
    tag = before.headers["ETag"]
    for wrong in (STALE, f"W/{tag}", '""'):
        refused = client.delete(path, headers=ann.headers | {"If-Match": wrong})
        assert (refused.status_code, refused.get_json()["code"]) == (412, "stale_version"), wrong
    assert client.get(path, headers=ann.headers).data == before.data
    assert client.delete(path, headers=ann.headers | {"If-Match": f"{STALE}, {tag}"}).status_code == 204


def test_any_state_will_do_for_a_star(client: FlaskClient, sign_up: SignUp, ann: Person) -> None:
    path = open_table(client, ann, sign_up)
    assert client.delete(path, headers=ann.headers | {"If-Match": "*"}).status_code == 204


def test_a_table_that_somebody_has_joined_stays(client: FlaskClient, sign_up: SignUp, ann: Person) -> None:
    path = str(client.post("/v1/games", json={"seats": 3}, headers=ann.headers).headers["Location"])
    tag = client.get(path, headers=ann.headers).headers["ETag"]
    assert client.post(f"{path}/players", headers=sign_up("Ben").headers).status_code == 201
    assert client.delete(path, headers=ann.headers | {"If-Match": tag}).status_code == 412
    assert client.get(path, headers=ann.headers).get_json()["status"] == "open"


def test_what_cannot_be_done_at_all_is_told_first(client: FlaskClient, sign_up: SignUp, ann: Person) -> None:
    game = start(client, ann, sign_up("Ben"))
    refused = client.delete(game.path, headers=ann.headers | {"If-Match": STALE})
    assert (refused.status_code, refused.get_json()["code"]) == (409, "already_started")


def test_sharing_an_import_changes_its_tag(client: FlaskClient, sign_up: SignUp, ann: Person) -> None:
    path = an_import(client, ann, sign_up)
    tag = client.get(path, headers=ann.headers).headers["ETag"]
    headers = ann.headers | {"If-Match": tag}
    assert client.patch(path, json={"shared": True}, headers=headers).status_code == 200
    assert client.patch(path, json={"shared": False}, headers=headers).status_code == 412
    assert client.get(path, headers=ann.headers | {"If-None-Match": tag}).get_json()["shared"] is True


def test_a_move_is_taken_back_from_the_state_that_was_seen(client: FlaskClient, sign_up: SignUp, ann: Person) -> None:
    game = Game(exploration(client, ann, sign_up), (ann,), client)
    game.move()
    tag, last = game.get().headers["ETag"], f"{game.path}/moves/1"
    assert client.delete(last, headers=ann.headers | {"If-Match": STALE}).status_code == 412
    assert game.view()["version"] == 1
    assert client.delete(last, headers=ann.headers | {"If-Match": tag}).status_code == 200
    assert game.view()["version"] == 0


def test_each_deletion_of_what_has_an_etag_takes_if_match() -> None:
    tagged = {each.path for each in OPERATIONS if each.method == "get" and "304" in each.data["responses"]}
    changing = [each for each in OPERATIONS if each.path in tagged and each.method in ("delete", "patch", "put")]
    assert len(changing) > 4
    for operation in changing:
        names = [each.get("name") for each in operation.data["parameters"]]
        assert "If-Match" in names and "412" in operation.data["responses"], operation.id
