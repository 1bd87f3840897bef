"""Measure how long requests take while pictures are rendered at the lowest priority, or requested by clients.

The requests are GETs of games as in `bench.http`, to the service as it is deployed: from one connection, and from as
many as keep it busy. Pictures are rendered on one core and on all.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from http.client import HTTPConnection
from itertools import product
from threading import Barrier, Event, Lock, Thread

from sqlalchemy.orm import Session

from bench import seed, served
from bench.http import CONNECTIONS, READ, VERSION, get
from bench.load import Plan, put
from bench.pictures import drawings, drawn
from bench.rounds import ROUNDS, Finding, Goal, costs
from service.jobs.mail_pictures import WIDTH
from service.pictures.renderers import Renderers

SECONDS = 4.0
"""Seconds of load for each side of a round."""

DRAWINGS = 20

ASKING = 24
"""The number of clients that request one new picture after the other over HTTP, and retry when they are told to."""


def measure(rounds: int = ROUNDS, seconds: float = SECONDS) -> Iterator[Finding]:
    """Compare the 99th percentile of requests with renderers running beside them to that without."""
    with (
        served.database() as database,
        served.connected(database.url) as engine,
        served.gunicorn("service.wsgi:app", "gevent", database) as web,
    ):
        with Session(engine) as session, session.begin():
            games = seed.games(session, seed.sign_up(session, CONNECTIONS), READ, VERSION, 0)
        served.settle(engine)
        with Session(engine) as session:
            pictured = list(drawings(session, DRAWINGS))
        for connections in (1, CONNECTIONS):
            plan = Plan(web.port, [[get(game) for game in games]] * connections, seconds)
            put(plan)  # then each process has been asked for each game
            for renderers in range(1, served.PROCESSES + 1):
                taken = []
                for number in range(rounds):
                    sides = [0.0, 0.0]  # with renderers, then alone
                    for side in (number % 2, 1 - number % 2):
                        with rendering(pictured, renderers if side == 0 else 0):
                            sides[side] = put(plan).percentile(0.99)
                    taken.append((sides[0], sides[1]))
                name = f"p99 of GETs from {connections}, beside {renderers} that render: alone"
                yield costs(name, Goal(1.5, at_most=True), taken)
            taken = []
            wanted = _wanted(games)
            for number in range(rounds):
                sides = [0.0, 0.0]
                for side in (number % 2, 1 - number % 2):
                    with asking(web.port, wanted, ASKING if side == 0 else 0):
                        sides[side] = put(plan).percentile(0.99)
                taken.append((sides[0], sides[1]))
            yield costs(
                f"p99 of GETs from {connections}, beside {ASKING} that ask for PNG: alone",
                Goal(1.25, at_most=True),
                taken,
            )


@contextmanager
def rendering(pictured: Sequence[str], renderers: int) -> Iterator[None]:
    """Keep a number of processes rendering during the block, as a worker's do; they are running when it begins."""
    over = Event()
    begun = Barrier(renderers + 1)

    def render(number: int) -> None:
        made.png(drawn(pictured[number]), WIDTH)
        begun.wait()
        while not over.is_set():
            for drawing in pictured[number:]:
                made.png(drawn(drawing), WIDTH)
                if over.is_set():
                    return

    made = Renderers(max(1, renderers), renderers, 60.0)
    with closing(made), _at_work(over, [partial(render, number) for number in range(renderers)]):
        begun.wait()
        yield


def _wanted(games: Sequence[seed.Game]) -> Iterator[tuple[str, str]]:
    """Yield pictures that were not requested yet: the path, and the token of somebody who may see it."""
    for at, part, scheme, game in product(range(VERSION), ("table", "wheel"), ("light", "dark"), games):
        yield f"/v1/games/{game.id}/board.png?at={at}&part={part}&scheme={scheme}", game.players[0].token


@contextmanager
def asking(port: int, wanted: Iterator[tuple[str, str]], clients: int) -> Iterator[None]:
    """Let a number of clients request pictures during the block, retrying when they are told to."""
    over = Event()
    lock = Lock()

    def ask() -> None:
        while not over.is_set():
            with lock:
                path, token = next(wanted)
            with closing(HTTPConnection("127.0.0.1", port, timeout=60.0)) as connection:
                connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
                answer = connection.getresponse()
                answer.read()
            if answer.status != 200:
                over.wait(float(answer.headers["Retry-After"]))

    with _at_work(over, [ask] * clients):
        yield


@contextmanager
def _at_work(over: Event, works: Sequence[Callable[[], None]]) -> Iterator[None]:
    """Run each function in a thread of its own until the end of the block, which sets `over`."""
    threads = [Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
