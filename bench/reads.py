"""Compare every read route with a minimal Flask application on the same gunicorn and connections (goal R1).

It is measured as in `bench.http`, by a reader who sits at 200 tables, all at move 40, with the mails, messages and
notes that collect there. Statements are counted, not measured: those that one request of the route sends to Postgres.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from sqlalchemy import text
from sqlalchemy.orm import Session

from bench import seed, served
from bench.http import VERSION, Measured, over_and_over, request
from bench.rounds import ROUNDS, Finding, Goal, in_turn, pairs, speeds
from bench.spent import Meter
from bench.statements import StatementLog
from service.app import create_app
from service.config import Settings

SECONDS = 1.0
"""Seconds of load on one route."""

GAMES = 200
"""The number of tables that the reader sits at."""

ASKED = 16
"""The number of tables that are requested in turn."""

_TALK = """
INSERT INTO messages (game, number, account, at, text)
SELECT game, number, account, joined_at + number * interval '1 minute', 'Well played. I had my eye on that one!'
  FROM seats, generate_series(1, 60) AS number WHERE seat = number % 2;
INSERT INTO notes (id, account, game, at, text)
SELECT game || '.' || seat || '.' || number, account, game, joined_at + number * interval '1 minute',
       'Two more red ones at the lower end, then tile 12 is done.'
  FROM seats, generate_series(1, 30) AS number;
INSERT INTO deliveries (key, account, kind, game, state, reference, queued_at, at)
SELECT 'turn.' || id || '.' || number || '.' || account, account, 'turn', id, 'sent',
       game || '.' || seat || '.' || number,
       joined_at + number * interval '1 minute', joined_at + number * interval '1 minute'
  FROM seats JOIN tables ON key = game, generate_series(1, 15) AS number;
"""


class Route(NamedTuple):
    """A read route.

    Attributes:
        name: its name in the table.
        goal: the requests per second that it should reach, as a share of hello's.
        paths: the paths that are requested in turn.
        headers: the headers of each request.
        status: the expected status.
        is_cold: whether the server is one without caches of tables and pictures.
    """

    name: str
    goal: float | None
    paths: Sequence[str]
    headers: Mapping[str, str] = MappingProxyType({})
    status: str = "200"
    is_cold: bool = False


def measure(rounds: int = ROUNDS, seconds: float = SECONDS) -> Iterator[Finding]:
    """Measure R1 with gunicorn's sync workers."""
    with ExitStack() as stack:
        database = stack.enter_context(served.database())
        with served.connected(database.url) as engine:
            with Session(engine) as session, session.begin():
                reader, other = seed.sign_up(session, 2)
                games = seed.games(session, (reader, other), GAMES, VERSION, 0)
                session.execute(text(_TALK))
            served.settle(engine)
        hello, warm, cold = (
            stack.enter_context(served.gunicorn(app, "sync", database))
            for app in ("bench.hello:app", "service.wsgi:app", "bench.cold:app")
        )
        counted = _Counted(database, reader.token)

        def measured(web: served.Web, requests: Sequence[str], status: str = "200") -> Measured:
            plans = over_and_over(web.port, requests, seconds)
            return Measured(plans, status, Meter({"web": web.pid, "Postgres": database.pid}))

        for route in _routes(games, counted):
            requests = [request("GET", path, reader.token, dict(route.headers)) for path in route.paths]
            ours = measured(cold if route.is_cold else warm, requests, route.status)
            plain = measured(hello, [request("GET", "/")])
            for one in (plain, ours):
                one.warm_up()
            goal = None if route.goal is None else Goal(route.goal)
            found = speeds(f"R1 {route.name}: hello", goal, "requests/s", in_turn(ours, plain, rounds))
            yield replace(found, ours=f"{found.ours}, statements: {counted.statements(route)}")
            spent = speeds("   in CPU time", None, "requests/CPU s", pairs(ours.meter.each, plain.meter.each))
            cpu = ours.meter.cpu(f"R1 {route.name}", "request"), plain.meter.cpu("   hello", "request")
            yield replace(spent, floor=goal.loose if goal else None, cpu=cpu)


def _routes(games: Sequence[seed.Game], counted: _Counted) -> Iterator[Route]:
    asked = games[:: len(games) // ASKED][:ASKED]
    yield Route("me", 0.30, ["/v1/me"])
    for filtered in ("mine", "my_turn"):
        for rows, goal in ((1, 0.25), (20, 0.18), (100, 0.09)):
            yield Route(f"games?{filtered}, {rows} rows", goal, [f"/v1/games?{filtered}=true&limit={rows}"])
    for name, goal in (("legal-moves", 0.35), ("record", 0.30), ("moves", 0.25), ("messages", 0.20), ("notes", 0.20)):
        paths = [f"/v1/games/{game.id}/{name}" for game in asked]
        yield Route(name, goal, paths)
        if name in ("legal-moves", "record"):
            yield Route(f"{name}, new", None, paths, is_cold=True)
    yield Route("deliveries", 0.20, ["/v1/me/deliveries"])
    yield Route("notifications", 0.20, ["/v1/me/notifications"])
    yield Route("notifications of a game", 0.20, [f"/v1/games/{game.id}/notifications" for game in asked])
    pictures = [f"/v1/games/{game.id}/board.svg" for game in asked]
    yield Route("board.svg, new", 0.10, pictures, is_cold=True)
    yield Route("board.svg, kept", 0.60, pictures)
    yield Route("board.svg, kept, gzip", 0.60, pictures, {"Accept-Encoding": "gzip"})
    # One game, so that its tag fits each request.
    yield Route("board.svg, 304", 0.60, pictures[:1], {"If-None-Match": f'"{asked[0].tag}"'}, "304")
    for name in ("tiles", "rules"):
        yield Route(name, 0.60, [f"/v1/{name}"])
        yield Route(f"{name}, 304", 0.60, [f"/v1/{name}"], {"If-None-Match": counted.tag(f"/v1/{name}")}, "304")


class _Counted:
    """An application on the same database, which counts its statements."""

    def __init__(self, database: served.Database, token: str) -> None:
        self._log = StatementLog(database.url, database.folder / "data")
        settings = Settings(database_url=database.service_url, secret_keys=("for-measurements-only",))
        self._client = create_app(settings).test_client()
        self._headers = {"Authorization": f"Bearer {token}"}

    def tag(self, path: str) -> str:
        """Return the ETag of the response to a request."""
        return self._client.get(path, headers=self._headers).headers["ETag"]

    def statements(self, route: Route) -> int:
        """Return the number of statements of one request, which is not the first one."""

        def ask() -> None:
            answer = self._client.get(route.paths[0], headers=self._headers | dict(route.headers))
            if answer.status_code != int(route.status):
                raise AssertionError(f"answered {answer.status}, not {route.status}: {answer.text}")

        ask()
        return len(self._log.of(ask))
