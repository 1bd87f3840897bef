"""``If-Match`` on what changes a table at its own address: nothing is done unless the table is in that state."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

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


class Change(NamedTuple):
    """A change of a table: who makes it, by which method, at which address below the table's, with which body."""

    by: int
    method: str
    suffix: str
    body: dict[str, object] | None = None


def waiting(client: FlaskClient, people: tuple[Person, ...]) -> str:
    path = str(client.post("/v1/games", json={"seats": 3}, headers=people[0].headers).headers["Location"])
    assert client.post(f"{path}/players", headers=people[1].headers).status_code == 201
    return path


def running(client: FlaskClient, people: tuple[Person, ...]) -> str:
    game = start(client, people[1], people[0], clock="days-3")
    if game.to_move() == people[1]:  # so that the second may offer the first some time
        game.move()
    return game.path if game.to_move() == people[0] else running(client, people)


def finished(client: FlaskClient, people: tuple[Person, ...]) -> str:
    game = start(client, *people[:2])
    assert game.post(game.to_move(), {"type": "resign"}).status_code == 201
    return game.path


def solo(client: FlaskClient, people: tuple[Person, ...]) -> str:
    return str(client.post("/v1/solo-sessions", headers=people[0].headers).headers["Location"])


def started_solo(client: FlaskClient, people: tuple[Person, ...]) -> str:
    return start_solo(client, people[0]).path


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (waiting, Change(2, "POST", "/players")),
        (waiting, Change(1, "PATCH", "/players/me", {"entropy": "herons"})),
        (waiting, Change(1, "DELETE", "/players/me")),
        (waiting, Change(0, "DELETE", "/players/1")),
        (running, Change(1, "POST", "/time", {"duration": "P1D"})),
        (running, Change(1, "POST", "/keep")),
        (finished, Change(0, "POST", "/rematch")),
        (solo, Change(0, "POST", "/start")),
        (started_solo, Change(0, "POST", "/keep")),
    ],
)
def test_a_table_that_is_not_as_if_match_says_is_not_changed(
    client: FlaskClient,
    sign_up: SignUp,
    make: Callable[[FlaskClient, tuple[Person, ...]], str],
    change: Change,
) -> None:
    people = tuple(sign_up(name) for name in ("Ann", "Ben", "Cleo"))
    path, person = make(client, people), people[change.by]
    before = client.get(path, headers=people[0].headers)

    def ask(tag: str) -> TestResponse:
        headers = person.headers | {"If-Match": tag}
        return client.open(f"{path}{change.suffix}", method=change.method, json=change.body, headers=headers)

    refused = ask(STALE)
    assert (refused.status_code, refused.get_json()["code"]) == (412, "stale_version")
    assert client.get(path, headers=people[0].headers).headers["ETag"] == before.headers["ETag"]
    assert ask(before.headers["ETag"]).status_code in (200, 201, 204)


def test_a_repeated_request_gets_its_answer_though_the_table_has_changed(
    client: FlaskClient, sign_up: SignUp, ann: Person
) -> None:
    path = open_solo(client, ann, sign_up)
    tag = client.get(path, headers=ann.headers).headers["ETag"]
    headers = ann.headers | {"If-Match": tag, "Idempotency-Key": "start"}
    first, again = (client.post(f"{path}/start", headers=headers) for _ in range(2))
    assert first.status_code == again.status_code == 200 and first.data == again.data


_BESIDE = {"messages", "notes", "invitations", "invitation-links", "declines", "notifications", "explorations"}
"""What is at a table and changes nothing of its game, so that `If-Match` has no effect there."""


def test_each_change_of_a_table_takes_if_match() -> None:
    changing = [each for each in OPERATIONS if each.method != "get" and "_id}" in each.path]
    at_tables = [each for each in changing if each.path.startswith(("/v1/games/{", "/v1/solo-sessions/{"))]
    assert len(at_tables) > 20
    for operation in at_tables:
        takes = _BESIDE.isdisjoint(operation.path.split("/"))
        names = [each.get("name") for each in operation.data.get("parameters", ())]
        assert ("If-Match" in names, "412" in operation.data["responses"]) == (takes, takes), operation.id


def test_each_deletion_of_what_has_an_etag_takes_if_match() -> None:
    tagged = {each.path for each in OPERATIONS if each.method == "get" and "304" in each.data["responses"]}
    changing = [each for each in OPERATIONS if each.path in tagged and each.method in ("delete", "patch", "put")]
    assert len(changing) > 4
    for operation in changing:
        names = [each.get("name") for each in operation.data["parameters"]]
        assert "If-Match" in names and "412" in operation.data["responses"], operation.id
