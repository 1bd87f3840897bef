"""Write the rows that this release leaves in a used database, for the upgrade test of all later releases.

    .venv/bin/python -m scripts.release_dump > tests/support/release_0_2_0.sql

It runs `novaluna up`, uses it over HTTP as three people would, waits until all mails are sent, and writes the rows as
INSERT statements, with the access tokens and the state of each game in comments at the top.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import psycopg

from demo.launch import running
from demo.people import Api, Person
from demo.postbox import Postbox
from service.backup.postgres_tools import find_postgres_tools
from service.store.migrate import MIGRATIONS
from service.up import database_settings

_SECONDS = 120.0
_LEFT_OUT = ("alembic_version", "procrastinate_workers", "procrastinate_periodic_defers")
_QUEUED = "SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing') AND scheduled_at IS NULL"
_GAMES = """
SELECT tables.key, progress.status, progress.version
  FROM tables JOIN progress ON progress.game = tables.key ORDER BY key
"""


def main() -> None:
    """Use a service as three people would, and write its rows to standard output."""
    with running(0) as service:
        people = _use(Api(service.address), Postbox(service.data / "mail", lambda mail: None))
        settings = database_settings(str(service.data), os.environ)
        owner = settings.owner_url or settings.database_url
        with psycopg.connect(owner, autocommit=True) as connection:
            _await(lambda: connection.execute(_QUEUED).fetchone() == (0,))
            games = connection.execute(_GAMES).fetchall()
        sys.stdout.write(_heading(people, games))
        sys.stdout.write(_rows(owner))


def _use(api: Api, postbox: Postbox) -> list[Person]:
    people = [Person(name, f"{name.lower()}@example.org", f"{name} was here") for name in ("Ann", "Ben", "Cem")]
    ann, ben, cem = people
    for person in people:
        _sign_in(api, postbox, person)
    for seats, moves in ((2, 14), (3, 11), (2, None)):
        table = _table(api, people[:seats])
        _move(api, f"/v1/games/{table}", people, moves)
    left = _table(api, people)
    _move(api, f"/v1/games/{left}", people, 5)
    api.send("POST", f"/v1/games/{left}/moves", {"type": "resign"}, ben, 201)
    solo = api.send("POST", "/v1/solo-sessions", {}, cem, 201)["id"]
    api.send("POST", f"/v1/solo-sessions/{solo}/start", {"entropy": "seven herons"}, cem, 200)
    _move(api, f"/v1/solo-sessions/{solo}", [cem], 9)
    private = {"seats": 4, "discs": "full", "visibility": "private"}
    waiting = api.send("POST", "/v1/games", private, ann, 201)["id"]
    api.send("POST", f"/v1/games/{waiting}/invitations", {"email": "dee@example.org"}, ann, 201)
    api.send("POST", f"/v1/games/{left}/messages", {"text": "Well, that was short!"}, ann, 201)
    api.send("PATCH", "/v1/me/notifications", {"hints": False}, cem, 200)
    return people


def _sign_in(api: Api, postbox: Postbox, person: Person) -> None:
    api.send("POST", "/v1/sign-ins", {"email": person.email}, person, 202)
    code = postbox.await_mail(person, "the code", lambda mail: mail.code).code
    person.token = api.send("POST", "/v1/tokens", {"email": person.email, "code": code}, person, 201)["token"]
    api.send("PATCH", "/v1/me", {"name": person.name}, person, 200)


def _table(api: Api, people: list[Person]) -> str:
    first, *others = people
    asked = {"seats": len(people), "discs": 5, "visibility": "public"}
    table: str = api.send("POST", "/v1/games", asked, first, 201)["id"]
    for person in others:
        api.send("POST", f"/v1/games/{table}/players", {"entropy": person.entropy}, person, 201)
    return table


def _move(api: Api, path: str, people: list[Person], moves: int | None) -> None:
    """Make a number of moves, each the first that is legal; None: play to the end."""
    made = 0
    while made != moves:
        legal = api.get(f"{path}/legal-moves", people[0])
        if legal["seat"] is None:
            return
        person = people[legal["seat"]]
        api.send("POST", f"{path}/moves", _first(legal), person, 201)
        made += 1


def _first(legal: Any) -> Any:
    move: dict[str, Any] = {"type": "refill"}
    if legal["tiles"]:
        cell = legal["cells"][0]
        move = {"type": "place", "tile": legal["tiles"][0], "x": cell["x"], "y": cell["y"]}
    return {**move, "expected_version": legal["version"]}


def _await(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _SECONDS
    while not holds():
        if time.monotonic() > deadline:
            sys.exit(f"the mails were not sent within {_SECONDS:.0f} s")
        time.sleep(0.2)


def _heading(people: list[Person], games: list[Any]) -> str:
    schema = max(path.name[:4] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))
    lines = [f"What release {version('nova-luna-by-post')} left in its database after some people had used it."]
    lines += [f"schema {schema}"]
    lines += [f"token of {person.email}: {person.token}" for person in people]
    lines += [f"game {key}: {status} at {at}" for key, status, at in games]
    return "".join(f"-- {line}\n" for line in lines)


def _rows(owner: str) -> str:
    left_out = [f"--exclude-table-data={name}" for name in _LEFT_OUT]
    options = ["--data-only", "--column-inserts", "--no-unlogged-table-data", "--no-password", *left_out]
    tools = find_postgres_tools(None, owner)
    with tools.running(["pg_dump", *options, tools.database], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        lines = process.stdout.read().decode().splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith("INSERT"))
    return "".join(line for line in lines[first:] if line.strip() and not line.startswith(("--", "\\")))


if __name__ == "__main__":
    main()
