"""How long requests take while pictures are rendered beside them, at the lowest priority, on one core and on all.

GETs of games as `bench.http` sends them, to the service as it is run: from one connection, and from as many as keep it
busy.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Barrier, Event, Thread

from sqlalchemy.orm import Session

from bench import seed, served
from bench.http import CONNECTIONS, READ, VERSION, get
from bench.load import Plan, put
from bench.pictures import drawings
from bench.rounds import ROUNDS, Finding, Goal, costs
from service.jobs.illustrator import WIDTH
from service.pictures.renderers import Renderers

SECONDS = 4.0
"""How long the load is put on, for either side of a round."""

DRAWINGS = 20


def measure(rounds: int = ROUNDS, seconds: float = SECONDS) -> Iterator[Finding]:
    """The 99th percentile of requests with renderers beside them, against that without."""
    with (
        served.database() as database,
        served.connected(database.url) as engine,
        served.gunicorn("service.wsgi:app", "gthread", database) as web,
    ):
        with Session(engine) as session, session.begin():
            games = seed.games(session, seed.sign_up(session, CONNECTIONS), READ, VERSION, 0)
        served.settle(engine)
        with Session(engine) as session:
            pictured = list(drawings(session, DRAWINGS))
        for connections in (1, CONNECTIONS):
            plan = Plan(web.port, [[get(game) for game in games]] * connections, seconds)
            put(plan)  # each process has been asked for each then
            for renderers in range(1, served.PROCESSES + 1):
                taken = []
                for number in range(rounds):
                    sides = [0.0, 0.0]  # with them, alone
                    for side in (number % 2, 1 - number % 2):
                        with rendering(pictured, renderers if side == 0 else 0):
                            sides[side] = put(plan).percentile(0.99)
                    taken.append((sides[0], sides[1]))
                name = f"p99 of GETs from {connections}, beside {renderers} that render: alone"
                yield costs(name, Goal(1.5, at_most=True), taken)


@contextmanager
def rendering(pictured: Sequence[str], renderers: int) -> Iterator[None]:
    """So many processes render for as long as the block lasts, as a worker's do; each has begun long before."""
    over = Event()
    begun = Barrier(renderers + 1)

    def render(number: int) -> None:
        made.png(pictured[number], WIDTH)
        begun.wait()
        while not over.is_set():
            for drawing in pictured[number:]:
                made.png(drawing, WIDTH)
                if over.is_set():
                    return

    made = Renderers(max(1, renderers), renderers, 60.0)
    threads = [Thread(target=render, args=(number,)) for number in range(renderers)]
    for thread in threads:
        thread.start()
    begun.wait()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
        made.close()
