"""The service beside Flask's hello world on the same gunicorn and the same connections (goals A1 to A3), in wall time.

A GET reads a two-player game at move 40 with its player's token; a POST makes a move after move 30 to 50, on the disk
and with its mail job before it is answered. No worker runs beside it: what is measured is what the web server does.
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
"""How long the load of a GET is put on."""

VERSION = 40
READ = 16
"""Games that are read, in turn: few, so that each process has soon been asked for each."""

FIRST, MOVES, GAMES_A_SECOND = 30, 20, 12
"""Games that moves are made in: the version when it begins, moves in each, games for each second of load."""


@dataclass
class Measured:
    """Measures one kind of request to one server, and keeps what came of each round."""

    plans: Iterator[Plan]
    status: str
    meter: Meter
    results: list[Result] = field(default_factory=list)

    def __call__(self) -> float:
        """Seconds for each request, of all connections together."""
        plan = next(self.plans)
        self.meter.begin()
        result = put(plan)
        self.meter.end(len(result.latencies), load=result.cpu)
        if set(result.statuses) != {self.status}:
            raise AssertionError(f"answered {result.statuses}, not {self.status}")
        self.results.append(result)
        return result.each

    def warm_up(self) -> None:
        """Puts the load on once, and forgets what came of it."""
        self()
        self.results.clear()
        self.meter.clear()

    def percentiles(self, share: float) -> list[float]:
        """So many of the requests took no longer, in seconds, by round."""
        return [result.percentile(share) for result in self.results]


def measure(kind: str, rounds: int = ROUNDS, seconds: float = SECONDS) -> Iterator[Finding]:
    """A1 to A3 with one kind of gunicorn's workers, "sync", "gthread" or "gevent". Goals are for sync ones."""
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
    """The same for ever: each connection begins at another one of the requests."""
    step = max(1, len(requests) // CONNECTIONS)
    begins = [number * step % len(requests) for number in range(CONNECTIONS)]
    plan = Plan(port, [[*requests[begin:], *requests[:begin]] for begin in begins], seconds)
    while True:
        yield plan


def once(port: int, games: Sequence[seed.Game], in_a_round: int) -> Iterator[Plan]:
    """The moves of the next games for each round; no two connections have a game in common."""
    for begin in range(0, len(games), in_a_round):
        now = games[begin : begin + in_a_round]
        yield Plan(port, [[r for game in now[n::CONNECTIONS] for r in _posts(game)] for n in range(CONNECTIONS)])


def get(game: seed.Game, tag: str | None = None) -> str:
    """A request for a game, by one of its players, who has seen it with this ETag."""
    headers = {"If-None-Match": tag} if tag else {}
    return request("GET", f"/v1/games/{game.id}", game.players[0].token, headers)


def _posts(game: seed.Game) -> Iterator[str]:
    for player, body in game.following:
        yield request("POST", f"/v1/games/{game.id}/moves", player.token, {}, json.dumps(body))


def request(
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
