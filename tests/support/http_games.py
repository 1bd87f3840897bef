"""Play games over HTTP, as a client does."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.web import Person, codes_for

SignUp = Callable[..., Person]


@dataclass(frozen=True)
class Game:
    """A game or solo session: its path, and its players by seat."""

    path: str
    players: tuple[Person, ...]
    client: FlaskClient

    @property
    def id(self) -> str:
        return self.path.rpartition("/")[2]

    def get(self, suffix: str = "", reader: Person | None = None) -> TestResponse:
        """Return the response to the first player, or to this reader."""
        return self.client.get(f"{self.path}{suffix}", headers=(reader or self.players[0]).headers)

    def view(self, reader: Person | None = None) -> Any:
        return self.get(reader=reader).get_json()

    def to_move(self) -> Person:
        seat: int = self.view()["turn"]["seat"]
        return self.players[seat]

    def post(self, person: Person, body: Any, headers: dict[str, str] | None = None, query: str = "") -> TestResponse:
        return self.client.post(f"{self.path}/moves{query}", json=body, headers={**person.headers, **(headers or {})})

    def first(self) -> dict[str, Any]:
        """Return the first legal move at the current version."""
        return first_legal(self.get("/legal-moves").get_json())

    def move(self) -> TestResponse:
        """Make the first legal move."""
        made = self.post(self.to_move(), self.first())
        assert made.status_code == 201, made.text
        return made


def with_expiring_token(app: Flask, person: Person) -> Person:
    """Return the same person with another token, which expires in a day."""
    client = app.test_client()
    assert client.post("/v1/sign-ins", json={"email": person.email}).status_code == 202
    asked = {"email": person.email, "code": codes_for(app, person.email)[0], "expires_in_days": 1}
    return replace(person, token=client.post("/v1/tokens", json=asked).get_json()["token"])


def first_legal(legal: dict[str, Any]) -> dict[str, Any]:
    """Return a placement of the nearest tile at the first cell, or else a refill."""
    version = {"expected_version": legal["version"]}
    if legal["tiles"]:
        cell = legal["cells"][0]
        return {"type": "place", "tile": legal["tiles"][0], "x": cell["x"], "y": cell["y"], **version}
    return {"type": "refill", **version}


def start(client: FlaskClient, *players: Person, **table: Any) -> Game:
    """Start a match of these players."""
    made = client.post("/v1/games", json={"seats": len(players), **table}, headers=players[0].headers)
    assert made.status_code == 201, made.text
    game = Game(made.headers["Location"], players, client)
    for player in players[1:]:
        joined = client.post(f"{game.path}/players", headers=player.headers)
        assert joined.status_code == 201, joined.text
    return game


def start_solo(client: FlaskClient, player: Person) -> Game:
    """Start a solo session."""
    game = Game(client.post("/v1/solo-sessions", headers=player.headers).headers["Location"], (player,), client)
    assert client.post(f"{game.path}/start", headers=player.headers).status_code == 200
    return game


def play_out(game: Game) -> Any:
    """Play the first legal moves to the end, and return the last view."""
    view = game.view()
    while view["status"] == "running":
        view = game.move().get_json()
    return view
