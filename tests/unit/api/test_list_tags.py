"""Lists have ETags that time alone does not change, and leave out what a client has already."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import text
from sqlalchemy.orm import Session

from service.store import epoch
from tests.support.clock import Clock
from tests.support.http_games import Game, SignUp, start
from tests.support.web import Person

CLOCK = {"clock": {"kind": "per_wait", "per_wait": "P3D"}}

Cursor = Callable[[Person], str]


@pytest.fixture
def cursor(client: FlaskClient, session: Session) -> Cursor:
    """Return a function that returns the cursor of now."""

    def ask(reader: Person) -> str:
        session.execute(text("SELECT place_events()"))
        session.commit()
        return str(client.get("/v1/events", headers=reader.headers).get_json()["after"])

    return ask


def listed(client: FlaskClient, reader: Person, path: str, **query: Any) -> list[str]:
    response = client.get(path, query_string=query, headers=reader.headers)
    assert response.status_code == 200, response.text
    return [item["id"] for item in response.get_json()["items"]]


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("/v1/games?mine=true", "move"),
        ("{game}/moves", "move"),
        ("{game}/messages", "say"),
        ("{game}/notes", "note"),
        ("/v1/solo-sessions", "solo"),
        ("/v1/me/deliveries", None),
        ("/v1/me/blocked", "block"),
        ("/v1/tokens", "token"),
        ("/v1/me/absences", "absence"),
        ("/v1/me/invitations", "invited"),
        ("{open}/invitations", "invite"),
        ("{open}/invitation-links", "link"),
    ],
)
def test_a_list_is_304_until_it_changes(client: FlaskClient, sign_up: SignUp, path: str, change: str | None) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    game = start(client, ann, ben)
    table, other = (
        f"/v1/games/{client.post('/v1/games', json={'seats': 3}, headers=maker.headers).get_json()['id']}"
        for maker in (ann, ben)
    )
    path = path.format(game=game.path, open=table)
    tag = client.get(path, headers=ann.headers).headers["ETag"]
    known = ann.headers | {"If-None-Match": tag}
    unchanged = client.get(path, headers=known)
    assert (unchanged.status_code, unchanged.headers["ETag"], unchanged.data) == (304, tag, b"")
    changes: dict[str | None, Callable[[], object]] = {
        "move": game.move,
        "say": lambda: client.post(f"{game.path}/messages", json={"text": "Hello!"}, headers=ben.headers),
        "note": lambda: client.post(f"{game.path}/notes", json={"text": "Mind the moon."}, headers=ann.headers),
        "solo": lambda: client.post("/v1/solo-sessions", headers=ann.headers),
        "block": lambda: client.put(f"/v1/me/blocked/{ben.account}", headers=ann.headers),
        "token": lambda: sign_up(None, ann.email),
        "absence": lambda: client.post("/v1/me/absences", json={"until": "2026-12-05"}, headers=ann.headers),
        "invited": lambda: client.post(f"{other}/invitations", json={"player": ann.account}, headers=ben.headers),
        "invite": lambda: client.post(f"{table}/invitations", json={"player": ben.account}, headers=ann.headers),
        "link": lambda: client.post(f"{table}/invitation-links", headers=ann.headers),
        None: lambda: None,
    }
    changes[change]()
    assert client.get(path, headers=known).status_code == (304 if change is None else 200)


def test_time_alone_changes_no_tag_of_a_list(client: FlaskClient, sign_up: SignUp, clock: Clock) -> None:
    game = start(client, sign_up("Ann"), sign_up("Ben"), **CLOCK)
    headers = game.to_move().headers
    first = client.get("/v1/games?mine=true", headers=headers)
    clock.now += timedelta(hours=5)
    later = client.get("/v1/games?mine=true", headers=headers)
    assert first.get_json()["items"][0]["left"] != later.get_json()["items"][0]["left"]
    assert first.headers["ETag"] == later.headers["ETag"]


def test_games_since_a_cursor_are_those_with_events(client: FlaskClient, sign_up: SignUp, cursor: Cursor) -> None:
    ann, ben = sign_up("Ann"), sign_up("Ben")
    first, second = start(client, ann, ben), start(client, ann, ben)
    since = cursor(ann)
    assert listed(client, ann, "/v1/games", mine="true", since=since) == []
    first.move()
    now = cursor(ann)
    assert listed(client, ann, "/v1/games", mine="true", since=since) == [first.id]
    second.move()
    cursor(ann)
    assert listed(client, ann, "/v1/games", mine="true", since=now) == [second.id]
    assert listed(client, ann, "/v1/games", mine="true") == [second.id, first.id]


def test_a_since_that_is_no_longer_kept_is_gone(
    client: FlaskClient, sign_up: SignUp, cursor: Cursor, owner: Any
) -> None:
    ann = sign_up("Ann")
    since = cursor(ann)
    with owner.begin() as connection:
        epoch.renew(connection)
    response = client.get(f"/v1/games?since={since}", headers=ann.headers)
    assert (response.status_code, response.get_json()["code"]) == (410, "events_gone")
    assert response.get_json()["after"] == cursor(ann)


def test_moves_and_messages_since_a_number(client: FlaskClient, sign_up: SignUp) -> None:
    game: Game = start(client, sign_up("Ann"), sign_up("Ben"))
    headers = game.players[0].headers
    for _ in range(3):
        game.move()
        client.post(f"{game.path}/messages", json={"text": "Hello!"}, headers=headers)

    def numbers(path: str, name: str) -> list[int]:
        return [item[name] for item in client.get(f"{game.path}/{path}", headers=headers).get_json()["items"]]

    assert numbers("moves?since=1", "seq") == [2, 3]
    assert numbers("moves?since=9007199254740991", "seq") == []
    assert numbers("moves?since=1&limit=1", "seq") == [2]
    last, middle, _ = numbers("messages", "number")
    assert numbers(f"messages?since={middle}", "number") == [last]
    page = client.get(f"{game.path}/messages?since={middle}&limit=1", headers=headers).get_json()
    assert page["next"] is None
