"""A service with very many games that requests are sent to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any

import psycopg
from flask import Flask
from flask.testing import FlaskClient

from bench.copied import Copied
from bench.seed import Player
from bench.surroundings import token_of
from service.access import secrets
from service.api.paging import encode_cursor
from service.jobs.worker_context import WorkerContext
from tests.drills.growth.plans import Log, Plan
from tests.support.web import KEYS


@dataclass
class Site:
    """The copied games, the application on them, a context for its jobs, and the log with the plans."""

    copied: Copied
    app: Flask
    context: WorkerContext
    log: Log
    _numbers: count[int] = field(default_factory=lambda: count(1))

    @property
    def client(self) -> FlaskClient:
        """A client of the application."""
        return self.app.test_client()

    @property
    def reader(self) -> Player:
        """An account with few tables and many tokens."""
        return self.copied.reader

    @property
    def regular(self) -> Player:
        """An account at every fourth table."""
        return self.copied.regular

    def ask(self, who: Player | None, method: str, path: str, json: Any = None, **headers: str) -> Any:
        """Send a request that must succeed, and return the JSON of its response."""
        if who is not None:
            headers["Authorization"] = f"Bearer {who.token}"
        answer = self.client.open(path, method=method, json=json, headers=headers)
        assert answer.status_code < 400, answer.text
        return answer.get_json()

    def cursor(self, path: str, *place: int | str | datetime) -> str:
        """Return the cursor for a place in the order of the list at a path."""
        with self.app.test_request_context(path):
            return encode_cursor(*place)

    def plans(self, work: Callable[[], object]) -> list[Plan]:
        """Return the plans of the statements that some work runs."""
        self.log.plans()
        work()
        return self.log.plans()

    def sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a statement of the test's own, run as the owner of the tables."""
        with psycopg.connect(self.copied.url, autocommit=True) as connection:
            found = connection.execute(statement.encode(), values)
            return found.fetchall() if found.description else []

    def stranger(self) -> Player:
        """Return an account with few games, another one each time."""
        number = 30 + next(self._numbers)
        account = self.sql("SELECT id FROM accounts WHERE email = %s", f"player{number}@example.org")[0][0]
        return Player(account, token_of(number))

    def address(self) -> str:
        """Return an address that no account has."""
        return f"newcomer{next(self._numbers)}@example.org"

    def table(self, maker: Player, seats: int = 3) -> str:
        """Create a public table, and return its id."""
        given = {"seats": seats, "discs": "full", "visibility": "public"}
        return str(self.ask(maker, "POST", "/v1/games", given)["id"])

    def solo(self, player: Player) -> str:
        """Start a solo session, and return its id."""
        made = str(self.ask(player, "POST", "/v1/solo-sessions")["id"])
        self.ask(player, "POST", f"/v1/solo-sessions/{made}/start", {})
        return made

    def my_turn(self) -> str:
        """Return a game in which the reader is to move."""
        found = self.ask(self.reader, "GET", "/v1/games?my_turn=true&limit=100")
        return str(found["items"][next(self._numbers) % len(found["items"])]["id"])

    def public(self, ids: Sequence[str]) -> str:
        """Return one of these games that is public, another one each time."""
        seen = "SELECT id FROM tables WHERE id = ANY(%s) AND visibility = 'public' ORDER BY key"
        found = self.sql(seen, list(ids[:60]))
        return str(found[next(self._numbers) % len(found)][0])

    def player(self, signed_in: dict[str, str]) -> Player:
        """Return the person who has signed in with this response."""
        return Player(signed_in["account"], signed_in["token"])

    def page(self, method: str, link: str, form: dict[str, str] | None = None) -> None:
        """Open a link, or send it a form, which must succeed."""
        path = link.removeprefix(self.context.settings.base_url)
        answer = self.client.open(path, method=method, data=form)
        assert answer.status_code < 400, answer.text

    def move(self, player: Player, path: str) -> dict[str, Any]:
        """Return a move that the player can make in the game or solo session at this path."""
        legal = self.ask(player, "GET", f"{path}/legal-moves")
        version = {"expected_version": self.ask(player, "GET", path)["version"]}
        if legal["refill"]:
            return {"type": "refill", **version}
        return {"type": "place", "tile": legal["tiles"][0], **legal["cells"][0], **version}

    def secret(self, purpose: str, id: str) -> str:
        """Return the secret that was mailed for this id."""
        make = secrets.code if purpose in ("sign-in", "email-change") else secrets.secret
        return make(KEYS, purpose, id)

    def code(self, purpose: str, email: str) -> str:
        """Return the code that was last mailed to an address."""
        newest = "SELECT id FROM codes WHERE email = %s AND purpose = %s ORDER BY created_at DESC, id LIMIT 1"
        return self.secret(purpose, self.sql(newest, email, purpose)[0][0])
