"""Compare the service with a minimal Flask application on the same gunicorn (goals A1 to A3), in wall time.

A GET reads a two-player game at move 40 with its player's token. A POST makes one of the moves 31 to 50, which is on
disk together with its mail job before the response. No worker runs beside it: only the web server is measured.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from sqlalchemy.orm import Session

from bench import seed, served
from bench.load import Plan, Result, put
from bench.rounds import ROUNDS, Finding, Goal, costs, in_turn, pairs, speeds
from bench.spent import Meter

CONNECTIONS = 8
SECONDS = 2.0
"""Seconds of load by GETs."""

VERSION = 40
READ = 16
"""The number of games that are read in turn: few, so that each process has soon been asked for each."""

FIRST, MOVES, GAMES_A_SECOND = 30, 20, 12
"""The games that moves are made in: the initial version, the moves in each, and the games per second of load."""


@dataclass
class Measured:
    """A measurement of one kind of request to one server, which stores the result of each round."""

    plans: Iterator[Plan]
    status: str
    meter: Meter
    results: list[Result] = field(default_factory=list)

    def __call__(self) -> float:
        """Run one round; return the seconds per request, of all connections together."""
        plan = next(self.plans)
        self.meter.begin()
        result = put(plan)
        self.meter.end(len(result.latencies), load=result.cpu)
        if set(result.statuses) != {self.status}:
            raise AssertionError(f"answered {result.statuses}, not {self.status}")
        self.results.append(result)
        return result.each

    def warm_up(self) -> None:
        """Run the load once, and discard the result."""
        self()
        self.results.clear()
        self.meter.clear()

    def percentiles(self, share: float) -> list[float]:
        """Return a percentile of the request times in seconds, by round."""
        return [result.percentile(share) for result in self.results]


def measure(kind: str, rounds: int = ROUNDS, seconds: float = SECONDS) -> Iterator[Finding]:
    """Measure A1 to A3 with one kind of gunicorn workers: "sync", which the goals are for, "gthread" or "gevent"."""
    in_a_round = max(CONNECTIONS, round(GAMES_A_SECOND * seconds))
    with ExitStack() as stack:
        database = stack.enter_context(served.database())
        with served.connected(database.url) as engine:
            with Session(engine) as session, session.begin():
                people = seed.sign_up(session, CONNECTIONS)
                read = seed.games(session, people, READ, VERSION, 0)
                played = seed.games(session, people, (rounds + 1) * in_a_round, FIRST, MOVES)
            served.settle(engine)

        def serve(app: str) -> served.Web:
            return stack.enter_context(served.gunicorn(app, kind, database))

        hello, warm, cold = serve("bench.hello:app"), serve("service.wsgi:app"), serve("bench.cold:app")

        def measured(web: served.Web, plans: Iterator[Plan], status: str) -> Measured:
            return Measured(plans, status, Meter({"web": web.pid, "Postgres": database.pid}))

        def compare(name: str, value: float, longest: float, ours: Measured) -> Iterator[Finding]:
            plain = measured(hello, over_and_over(hello.port, [request("GET", "/")], seconds), "200")
            for one in (plain, ours):
                one.warm_up()
            goal, limit = (Goal(value), Goal(longest, at_most=True)) if kind == "sync" else (None, None)
            yield speeds(f"{name}: hello ({kind})", goal, "requests/s", in_turn(ours, plain, rounds))
            spent = speeds(f"   {name} in CPU time", None, "requests/CPU s", pairs(ours.meter.each, plain.meter.each))
            cpu = ours.meter.cpu(f"{name} ({kind})", "request"), plain.meter.cpu(f"   hello ({kind})", "request")
            yield replace(spent, floor=goal.loose if goal else None, cpu=cpu)
            for share, most in ((0.5, None), (0.99, limit)):
                times = pairs(ours.percentiles(share), plain.percentiles(share))
                yield costs(f"   A3 {name[3:]}, p{share * 100:.0f}", most, times)

        gets = [get(game) for game in read]
        conditional = [get(game, f'"{game.tag}"') for game in read]
        over = over_and_over
        yield from compare("A1 GET, cold", 0.38, 3.5, measured(cold, over(cold.port, gets, seconds), "200"))
        yield from compare("A1 GET, asked for before", 0.60, 3.5, measured(warm, over(warm.port, gets, seconds), "200"))
        yield from compare("A1 GET, 304", 0.65, 3.5, measured(warm, over(warm.port, conditional, seconds), "304"))
        moves = measured(warm, once(warm.port, played, in_a_round), "201")
        yield from compare("A2 POST of a move", 0.20, 8, moves)


def over_and_over(port: int, requests: Sequence[str], seconds: float) -> Iterator[Plan]:
    """Yield the same requests forever; each connection begins with another one."""
    step = max(1, len(requests) // CONNECTIONS)
    begins = [number * step % len(requests) for number in range(CONNECTIONS)]
    plan = Plan(port, [[*requests[begin:], *requests[:begin]] for begin in begins], seconds)
    while True:
        yield plan


def once(port: int, games: Sequence[seed.Game], in_a_round: int) -> Iterator[Plan]:
    """Yield the moves of the next games for each round; no two connections have a game in common."""
    for begin in range(0, len(games), in_a_round):
        now = games[begin : begin + in_a_round]
        yield Plan(port, [[r for game in now[n::CONNECTIONS] for r in _posts(game)] for n in range(CONNECTIONS)])


def get(game: seed.Game, tag: str | None = None) -> str:
    """Return a request for a game by one of its players, who has seen it with this ETag."""
    headers = {"If-None-Match": tag} if tag else {}
    return request("GET", f"/v1/games/{game.id}", game.players[0].token, headers)


def _posts(game: seed.Game) -> Iterator[str]:
    for player, body in game.following:
        yield request("POST", f"/v1/games/{game.id}/moves", player.token, {}, json.dumps(body))


def request(
    method: str, path: str, token: str | None = None, headers: dict[str, str] | None = None, body: str = ""
) -> str:
    """Return the text of an HTTP request."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "Accept: application/json"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", body])
