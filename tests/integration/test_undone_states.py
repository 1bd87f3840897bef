"""States that a restored backup has undone.

A web process continues with everything that it has cached, and takes nothing of that for new.
"""

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from flask.testing import FlaskClient
from psycopg import sql
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from service.backup.commands import backup, restore
from service.local.postgres import Postgres
from service.store import epoch, talk
from tests.support.databases import as_service
from tests.support.http_games import Game, start
from tests.support.web import Person

SignUp = Callable[..., Person]


class Restorable:
    """A backup of the test's database that can be restored while a web process keeps running."""

    def __init__(self, postgres: Postgres, owner_url: str, file: Path) -> None:
        self._postgres, self._owner_url, self._file = postgres, owner_url, file
        self._name = psycopg.conninfo.conninfo_to_dict(owner_url)["dbname"]
        self._other = f"{self._name}_undone"

    def environ(self, owner_url: str) -> dict[str, str]:
        return {
            "DATABASE_URL": as_service(owner_url),
            "NOVALUNA_OWNER_URL": owner_url,
            "NOVALUNA_SECRET_KEY": "k" * 32,
        }

    def back_up(self) -> None:
        backup(str(self._file), None, self.environ(self._owner_url))

    def put_back(self) -> None:
        with psycopg.connect(self._postgres.url, autocommit=True) as connection:
            old, new = sql.Identifier(str(self._name)), sql.Identifier(self._other)
            connection.execute(sql.SQL("CREATE DATABASE {}").format(new))
            assert restore(str(self._file), None, self.environ(self._postgres.url_of(self._other))) == []
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(old))
            connection.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(new, old))


@pytest.fixture
def kept(postgres: Postgres, owner_url: str, tmp_path: Path) -> Restorable:
    return Restorable(postgres, owner_url, tmp_path / "nova.backup")


@pytest.fixture
def ann(sign_up: SignUp) -> Person:
    return sign_up("Ann")


@pytest.fixture
def game(client: FlaskClient, ann: Person, sign_up: SignUp) -> Game:
    return start(client, ann, sign_up("Ben"))


def other_move(game: Game) -> dict[str, object]:
    """Return a legal move other than the first one."""
    legal = game.get("/legal-moves").get_json()
    assert legal is not None
    cell = legal["cells"][-1]
    return {
        "type": "place",
        "tile": legal["tiles"][-1],
        "x": cell["x"],
        "y": cell["y"],
        "expected_version": legal["version"],
    }


def test_an_undone_version_is_not_taken_for_the_next(game: Game, kept: Restorable, client: FlaskClient) -> None:
    for _ in range(4):
        game.move()
    kept.back_up()
    made = game.post(game.to_move(), game.first())
    undone = made.headers["ETag"]
    version, _, head = undone.strip('"').split("-")
    pictures = [f"/board.{kind}?part=track&at={version}&head={head}" for kind in ("svg", "png")]
    assert [game.get(picture).status_code for picture in pictures] == [200, 200]
    assert game.get().headers["ETag"] == undone
    kept.put_back()

    mover, move = game.to_move(), other_move(game)
    refused = game.post(mover, move, {"If-Match": undone})
    assert (refused.status_code, refused.get_json() and refused.get_json()["code"]) == (412, "stale_version")
    new = game.post(mover, move)
    assert new.status_code == 201 and new.headers["ETag"].split("-")[0] == undone.split("-")[0]
    for suffix in (
        "",
        "/legal-moves",
        "/record",
        f"?at={version}",
        f"/board.svg?at={version}",
        "/board.svg",
        "/board.png",
    ):
        answer = client.get(game.path + suffix, headers={"If-None-Match": undone})
        assert answer.status_code == 200 and answer.headers["ETag"] != undone, suffix
    assert game.get().data != made.data
    for gone in (*pictures, f"?at={version}&head={head}"):
        answer = game.get(gone)
        assert (answer.status_code, answer.get_json() and answer.get_json()["code"]) == (404, "no_such_state"), gone


def test_an_undone_name_is_not_taken_for_the_next(
    game: Game, kept: Restorable, client: FlaskClient, ann: Person
) -> None:
    kept.back_up()
    client.patch("/v1/me", json={"name": "Anna"}, headers=ann.headers)
    undone = game.get().headers["ETag"]
    kept.put_back()
    client.patch("/v1/me", json={"name": "Annie"}, headers=ann.headers)
    answer = client.get(game.path, headers={"If-None-Match": undone})
    assert answer.status_code == 200 and answer.get_json() is not None
    assert answer.get_json()["players"][0]["name"] == "Annie"


def test_an_undone_seat_is_not_taken_for_the_next(
    kept: Restorable, client: FlaskClient, ann: Person, sign_up: SignUp
) -> None:
    ben, eve = sign_up("Ben"), sign_up("Eve", "eve@example.org")
    opened = client.post("/v1/games", json={"seats": 3, "visibility": "public"}, headers=ann.headers)
    path = opened.headers["Location"]
    kept.back_up()
    assert client.post(f"{path}/players", json={}, headers=ben.headers).status_code in (200, 201)
    undone = client.get(path).headers["ETag"]
    kept.put_back()
    assert client.post(f"{path}/players", json={}, headers=eve.headers).status_code in (200, 201)
    answer = client.get(path, headers={"If-None-Match": undone})
    assert answer.status_code == 200 and answer.get_json() is not None
    assert [player["name"] for player in answer.get_json()["players"]] == ["Ann", "Eve"]


def test_an_undone_cursor_begins_no_page(game: Game, kept: Restorable, client: FlaskClient, ann: Person) -> None:
    for _ in range(3):
        game.move()
        assert client.post(f"{game.path}/messages", json={"text": "Hello"}, headers=ann.headers).status_code == 201
    kept.back_up()
    lists = [f"{game.path}/moves?limit=1", f"{game.path}/messages?limit=1"]
    cursors = {path: client.get(path, headers=ann.headers).get_json()["next"] for path in lists}
    for path, cursor in cursors.items():
        assert client.get(f"{path}&cursor={cursor}", headers=ann.headers).status_code == 200
    kept.put_back()
    for path, cursor in cursors.items():
        answer = client.get(f"{path}&cursor={cursor}", headers=ann.headers)
        assert (answer.status_code, answer.get_json() and answer.get_json()["code"]) == (422, "cursor_outdated"), path


def test_messages_are_numbered_on_behind_those_that_were_lost(
    owner: Engine, engine: Engine, client: FlaskClient, sign_up: SignUp
) -> None:
    game = start(client, sign_up("Ann"), sign_up("Ben"))
    with Session(engine) as session:
        key = session.scalar(text("SELECT key FROM tables")) or 0
        account = game.players[0]
        now = session.scalar(text("SELECT now()"))
        assert talk.add(session, key, account.account, "One", now).number == 1
        session.commit()
    with owner.begin() as connection:
        epoch.renew(connection)
    with Session(engine) as session:
        numbers = [talk.add(session, key, account.account, "Two", now).number for _ in range(2)]
        session.commit()
    assert numbers[0] > 1000 and numbers[1] == numbers[0] + 1
