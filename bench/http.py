"""The service beside Flask's hello world on the same gunicorn and the same connections (goals A1 and A2), in wall time.

A GET reads a two-player game at move 40 with its player's token; a POST makes a move after move 30 to 50, on the disk
and with its mail job before it is answered. No worker runs beside it: what is measured is what the web server does.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from bench import seed, served
from bench.load import Plan, Result, put
from bench.rounds import ROUNDS, Finding, Goal, costs, in_turn, speeds
from service.store.base import engine_url

CONNECTIONS = 8
SECONDS = 2.0
"""How long the load of a GET is put on."""

VERSION = 40
READ = 64
"""Games that are read, in turn."""

FIRST, MOVES, GAMES_A_ROUND = 30, 20, 24
"""Games that moves are made in: the version when it begins, moves in each, games in each round."""


@dataclass
class Measured:
    """Measures one kind of request to one server, and keeps what came of each round."""

    plans: Iterator[Plan]
    status: str
    results: list[Result] = field(default_factory=list)

    def __call__(self) -> float:
        """Seconds for each request, of all connections together."""
        result = put(next(self.plans))
        if set(result.statuses) != {self.status}:
            raise AssertionError(f"answered {result.statuses}, not {self.status}")
        self.results.append(result)
        return result.each


def measure(kind: str, rounds: int = ROUNDS) -> Iterator[Finding]:
    """A1 and A2 with one kind of gunicorn's workers, "sync" or "gthread". Goals are for sync ones."""
    with ExitStack() as stack:
        url, folder = stack.enter_context(served.database())
        engine = create_engine(engine_url(url), connect_args={"options": "-c timezone=UTC"})
        with Session(engine) as session, session.begin():
            people = seed.sign_up(session, CONNECTIONS)
            read = seed.games(session, people, READ, VERSION, 0)
            played = seed.games(session, people, (rounds + 1) * GAMES_A_ROUND, FIRST, MOVES)
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql("VACUUM ANALYZE")
        engine.dispose()

        def serve(app: str) -> int:
            return stack.enter_context(served.gunicorn(app, kind, url, folder))

        hello_port, port, cold_port = serve("bench.hello:app"), serve("service.wsgi:app"), serve("bench.cold:app")

        def compare(name: str, goal: Goal | None, longest: float, ours: Measured) -> Iterator[Finding]:
            hello = Measured(_over_and_over(hello_port, [_request("GET", "/")]), "200")
            for warmed in (hello, ours):
                warmed()
                warmed.results.clear()
            pairs = in_turn(ours, hello, rounds)
            yield speeds(f"{name}: hello ({kind})", goal, "requests/s", pairs)
            for share in (0.5, 0.99):
                times = zip(*([each.percentile(share) for each in one.results] for one in (ours, hello)), strict=True)
                limit = Goal(longest, at_most=True) if share > 0.5 and goal else None
                yield costs(f"   p{share * 100:.0f} of it: of hello", limit, list(times))

        def goal(value: float) -> Goal | None:
            return Goal(value) if kind == "sync" else None

        gets = [_get(game) for game in read]
        conditional = [_get(game, f'"{game.version}-{game.revision}"') for game in read]
        yield from compare("A1 GET, cold", goal(0.38), 3.5, Measured(_over_and_over(cold_port, gets), "200"))
        yield from compare("A1 GET, asked for before", goal(0.60), 3.5, Measured(_over_and_over(port, gets), "200"))
        yield from compare("A1 GET, 304", goal(0.65), 3.5, Measured(_over_and_over(port, conditional), "304"))
        yield from compare("A2 POST of a move", goal(0.20), 8, Measured(_once(port, played), "201"))


def _over_and_over(port: int, requests: Sequence[str]) -> Iterator[Plan]:
    """The same for ever: each connection begins at another one of the requests."""
    step = max(1, len(requests) // CONNECTIONS)
    begins = [number * step % len(requests) for number in range(CONNECTIONS)]
    plan = Plan(port, [[*requests[begin:], *requests[:begin]] for begin in begins], SECONDS)
    while True:
        yield plan


def _once(port: int, games: Sequence[seed.Game]) -> Iterator[Plan]:
    """The next games for each round; no two connections have one in common."""
    for begin in range(0, len(games), GAMES_A_ROUND):
        now = games[begin : begin + GAMES_A_ROUND]
        yield Plan(port, [[r for game in now[n::CONNECTIONS] for r in _posts(game)] for n in range(CONNECTIONS)])


def _get(game: seed.Game, tag: str | None = None) -> str:
    headers = {"If-None-Match": tag} if tag else {}
    return _request("GET", f"/v1/games/{game.id}", game.players[0].token, headers)


def _posts(game: seed.Game) -> Iterator[str]:
    for player, body in game.following:
        yield _request("POST", f"/v1/games/{game.id}/moves", player.token, {}, json.dumps(body))


def _request(
    method: str, path: str, token: str | None = None, headers: dict[str, str] | None = None, body: str = ""
) -> str:
    """A request as it goes over the wire."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Accept: application/json"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", body])
