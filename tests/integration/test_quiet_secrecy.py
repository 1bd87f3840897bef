"""Nobody can tell from anything that they get when another player has quiet times (docs/CLOCKS.md, 11).

The same week is lived twice, on the same draw: in one life a player has quiet times, in the other none. Every response
that others can get is read again and again, with its headers: each hour in the drill, else every four hours. What may
differ is when that player's time runs out, which the others have to know; it is given in whole hours, and does not
move with the hours of the day.
"""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count, pairwise
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from flask import Flask
from flask.testing import FlaskClient

from service.store.migrate import upgrade
from tests.support.clock import Clock
from tests.support.databases import as_service
from tests.support.http_games import Game, start
from tests.support.web import Person, codes_for

BEGINS = datetime(2026, 11, 23, 6, 30, 0, 250_000, tzinfo=UTC)
HOURS = 7 * 24
SET_AT = 4
"""The hour at which the quiet times are set, while the game is running."""

MOVES = (8, 12, 32, 52, 56, 76, 100, 104, 132)
"""The hours at which the player to move moves."""

QUIET = {
    "zone": "Asia/Kolkata",
    "quiet": [
        {"days": ["mon", "tue", "wed", "thu", "fri"], "from": "21:45", "to": "07:15"},
        {"days": ["sat", "sun"], "from": "09:00", "to": "08:30"},
    ],
}
BELOW = ("", "/moves", "/moves/1", "/seats/0/goals", "/legal-moves", "/record", "/board.svg", "/moves.atom")
LISTS = ("/v1/games", "/v1/games?status=running", "/v1/games?my_turn=true", "/v1/games?mine=true&sort=runs_out_at")

_OUT = re.compile(rb'("runs_out_at":|"next":\{"step":"[a-z]+","at":)"([0-9TZ:.-]+)"')
_UNTIL = re.compile(rb" has time until [^<]*")
"""The same time on the table's page, in words."""

_OF_REQUEST = "X-Request-Id"


class Seen(NamedTuple):
    """One response: who asked for what in which hour, its headers and its body."""

    hour: int
    reader: str
    path: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def times(self) -> list[str]:
        """The times at which another player's time runs out, or their next step is due."""
        if dict(self.headers)["Content-Type"] != "application/json":
            return []
        data = json.loads(self.body)
        found = []
        for row in data.get("items", [data]):
            clock = row.get("clock") or row
            if clock.get("runs_out_at") and clock.get("seat", row.get("turn")) != row["you"]:
                found += [clock["runs_out_at"], *([clock["next"]["at"]] if clock.get("next") else [])]
        return found

    @property
    def rest(self) -> "Seen":
        """The response without such times, the reader's own included."""
        headers = tuple(header for header in self.headers if header[0] != "Content-Length")
        return self._replace(body=_UNTIL.sub(b"", _OUT.sub(rb"\1", self.body)), headers=headers)


@pytest.fixture
def live(
    make_app: Callable[..., Flask],
    make_database: Callable[[], str],
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    amount: Callable[..., int],
) -> Callable[[bool], list[Seen]]:
    """Return a function that lives through the week, with or without quiet times, on a database of its own."""

    def lived(is_quiet: bool) -> list[Seen]:
        numbers = count(10**11)
        for module in ("commands.tables", "store.accounts"):
            monkeypatch.setattr(f"service.{module}.new_id", lambda: str(next(numbers)))
        monkeypatch.setattr("service.commands.tables.secrets", SimpleNamespace(token_bytes=bytes))
        url = make_database()
        upgrade(url, as_service(url))
        clock.now = BEGINS
        app = make_app(database_url=as_service(url))
        return list(_week(app, clock, is_quiet, amount(1, 4)))

    return lived


def _week(app: Flask, clock: Clock, is_quiet: bool, step: int) -> Iterator[Seen]:
    client = app.test_client()
    people = [_signed_up(app, name) for name in ("Ann", "Ben", "Cleo", "Dora")]
    game = start(client, *people[:3], clock="week")
    quiet = game.to_move()
    readers = {"nobody": None, **{f"player {index}": person for index, person in enumerate(people) if person != quiet}}
    for hour in range(0, HOURS, step):
        if hour == SET_AT and is_quiet:
            assert client.put("/v1/me/quiet-times", json=QUIET, headers=quiet.headers).status_code == 200
        if hour in MOVES:
            game.move()
        for name, reader in readers.items():
            for path in _paths(game, reader):
                yield _seen(client, hour, name, reader, path)
        clock.advance(hours=step)


def _signed_up(app: Flask, name: str) -> Person:
    client, email = app.test_client(), f"{name.lower()}@example.org"
    assert client.post("/v1/sign-ins", json={"email": email}).status_code == 202
    asked = {"email": email, "code": codes_for(app, email)[0], "name": name}
    made = client.post("/v1/tokens", json=asked).get_json()
    return Person(made["account"]["id"], email, made["token"])


def _paths(game: Game, reader: Person | None) -> list[str]:
    lists = LISTS if reader else LISTS[:2]
    return [*(game.path + below for below in BELOW), *lists, game.path.removeprefix("/v1")]


def _seen(client: FlaskClient, hour: int, name: str, reader: Person | None, path: str) -> Seen:
    answer = client.get(path, headers=reader.headers if reader else {})
    headers = tuple(sorted((key, value) for key, value in answer.headers.items() if key != _OF_REQUEST))
    return Seen(hour, name, path, answer.status_code, headers, answer.data)


@pytest.mark.drill
def test_clocks_11_1_others_learn_nothing_of_quiet_times(live: Callable[[bool], list[Seen]]) -> None:
    without, quiet = live(False), live(True)
    assert all(seen.status == 200 for seen in quiet)
    for one, other in zip(without, quiet, strict=True):
        assert one.rest == other.rest
    assert [seen.times for seen in without] != [seen.times for seen in quiet]
    by_request: dict[tuple[str, str], list[Seen]] = {}
    for each in quiet:
        by_request.setdefault((each.reader, each.path), []).append(each)
        assert all(time.endswith(":00:00.000Z") for time in each.times)
    for following in by_request.values():
        for before, after in pairwise(following):
            assert before.times == after.times or after.hour in MOVES
