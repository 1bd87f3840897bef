"""Measure streams of events: their memory, how long other requests take beside them, and how soon they tell.

5,000 streams are held on the service as it is deployed, with two processes. 200 of them are of players in whose games
50 moves a second are made; the others have nothing to tell.
"""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path
from threading import Event, Thread

from sqlalchemy.orm import Session

from bench import seed, served
from bench.http import CONNECTIONS, FIRST, READ, VERSION, get, request
from bench.load import Plan, put
from bench.rounds import ROUNDS, Finding, Goal, costs
from bench.spent import family
from bench.streams import Plan as StreamPlan
from bench.streams import held

STREAMS = 5_000
PLAYERS, STREAMS_EACH = 100, 2
"""The players of the games that go on, and the streams that each of them has."""

MOVES_A_SECOND = 50
SECONDS = 5.0
_MOVERS = 4
_IN_A_GAME = 20


def measure(rounds: int = ROUNDS, seconds: float = SECONDS) -> Iterator[Finding]:
    """Compare requests beside streams, idle ones and such with moves, to the same without."""
    moves = round(MOVES_A_SECOND * seconds)
    with (
        served.database() as database,
        served.connected(database.url) as engine,
        served.gunicorn("service.wsgi:app", "gevent", database) as web,
    ):
        with Session(engine) as session, session.begin():
            everybody = seed.sign_up(session, CONNECTIONS + PLAYERS + STREAMS // 10)
            read = seed.games(session, everybody[:CONNECTIONS], READ, VERSION, 0)
            people, idle = everybody[CONNECTIONS:][:PLAYERS], everybody[CONNECTIONS + PLAYERS :]
            needed = 2 * rounds * _MOVERS * _games_of_mover(moves)
            played = iter(seed.games(session, people, needed, FIRST, _IN_A_GAME))
        served.settle(engine)
        tellers = [stream(player) for player in people for _ in range(STREAMS_EACH)]
        others = [stream(idle[number % len(idle)]) for number in range(STREAMS - len(tellers))]
        plan = Plan(web.port, [[get(game) for game in read]] * CONNECTIONS, seconds)
        put(plan)  # then each process has been asked for each game
        before = memory(web.pid)
        used: list[float] = []
        latencies: list[float] = []
        beside_idle: list[tuple[float, float]] = []
        beside_moves: list[tuple[float, float]] = []
        for _ in range(rounds):
            with _moving(web.port, played, moves, seconds):
                alone_with_moves = put(plan).percentile(0.99)
            alone = put(plan).percentile(0.99)
            with held(StreamPlan(web.port, [*tellers, *others])) as told:
                used.append(memory(web.pid))
                beside_idle.append((put(plan).percentile(0.99), alone))
                with _moving(web.port, played, moves, seconds) as made:
                    beside_moves.append((put(plan).percentile(0.99), alone_with_moves))
                time.sleep(1.0)
            latencies += _latencies(made, told.arrived)
            if told.lost:
                raise AssertionError(f"{told.lost} streams ended")
        megabytes = tuple(each / 2**20 for each in used)
        each = (used[-1] - before) / STREAMS / 2**10
        yield Finding(
            f"MB of two processes with {STREAMS:,} streams",
            Goal(400, at_most=True),
            megabytes,
            f"{each:.1f} kB a stream",
            f"{before / 2**20:.0f} MB without",
        )
        yield costs("p99 of GETs beside idle streams: alone", Goal(1.2, at_most=True), beside_idle)
        yield costs("p99 of GETs beside streams with moves: moves alone", Goal(2.0, at_most=True), beside_moves)
        latencies.sort()
        half, most = latencies[len(latencies) // 2] * 1e3, latencies[int(len(latencies) * 0.99)] * 1e3
        name = "ms from a move's answer to its players' streams"
        shown = f"{len(latencies):,} told"
        yield Finding(f"{name}, p50", Goal(30, at_most=True), (half,), shown, "")
        yield Finding(f"{name}, p99", Goal(100, at_most=True), (most,), shown, "")


def stream(player: seed.Player) -> str:
    """Return the request for the stream of a player."""
    return request("GET", "/v1/events", player.token).replace("application/json", "text/event-stream")


def memory(pid: int) -> int:
    """Return the memory of a process and its descendants in bytes; what they share counts once."""
    used = 0
    for member in family(pid):
        for line in Path(f"/proc/{member}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                used += int(line.split()[1]) * 2**10
    return used


def _games_of_mover(moves: int) -> int:
    """Return the number of games in which each mover moves, if together they make a number of moves."""
    return -(-moves // _MOVERS // _IN_A_GAME)


@contextmanager
def _moving(port: int, games: Iterator[seed.Game], moves: int, seconds: float) -> Iterator[dict[str, float]]:
    """Make moves at an even pace during the block; yield when each was answered, by game and version."""
    over = Event()
    answered: dict[str, float] = {}
    waiting = [
        [(game.id, player, body) for game in islice(games, _games_of_mover(moves)) for player, body in game.following]
        for _ in range(_MOVERS)
    ]
    begun = time.monotonic()

    def make(number: int) -> None:
        with closing(HTTPConnection("127.0.0.1", port, timeout=60.0)) as connection:
            for place, (id, player, body) in zip(range(number, moves, _MOVERS), waiting[number], strict=False):
                if over.wait(max(0.0, begun + place * seconds / moves - time.monotonic())):
                    return
                headers = {"Authorization": f"Bearer {player.token}", "Content-Type": "application/json"}
                connection.request("POST", f"/v1/games/{id}/moves", json.dumps(body), headers)
                answer = connection.getresponse()
                view = json.loads(answer.read())
                if answer.status == 201:
                    answered[f"{id} {view['version']}"] = time.monotonic()

    threads = [Thread(target=make, args=(number,)) for number in range(_MOVERS)]
    for thread in threads:
        thread.start()
    try:
        yield answered
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _latencies(answered: dict[str, float], arrived: dict[str, list[float]]) -> Sequence[float]:
    """Return the time between each move's answer and its event in each stream of its players; every event must come."""
    expected = 2 * STREAMS_EACH
    missing = [move for move in answered if len(arrived.get(move, ())) != expected]
    if missing:
        raise AssertionError(f"{len(missing)} of {len(answered)} moves were not told to each stream once")
    return [max(0.0, at - answered[move]) for move in answered for at in arrived[move]]
