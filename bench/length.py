"""Compare a long game with a short one (goal G3), over HTTP, in wall time.

The log is replayed for a view that is not cached, and for each move; so the GETs are to a server without a cache.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

from sqlalchemy.orm import Session

from bench import seed, served
from bench.http import CONNECTIONS, SECONDS, Measured, get, once, over_and_over
from bench.rounds import ROUNDS, Finding, Goal, costs, in_turn
from bench.spent import Meter

READ = 64
"""The number of games that are read in turn."""
SHORT, LONG = 1, 68
"""The moves of the games that are read. With 68, all tiles but one or two have been placed."""

EARLY, LATE = 1, 60
"""The first of the moves that are made in a game."""
MOVES, GAMES = 3, 128
"""The moves that are made in each game, and the games in each round."""


def measure(rounds: int = ROUNDS) -> Iterator[Finding]:
    """Measure G3 with gunicorn's sync workers."""
    with ExitStack() as stack:
        database = stack.enter_context(served.database())
        with served.connected(database.url) as engine:
            with Session(engine) as session, session.begin():
                people = seed.sign_up(session, CONNECTIONS)
                read = [seed.games(session, people, READ, version, 0) for version in (LONG, SHORT)]
                count = (rounds + 1) * GAMES
                played = [seed.games(session, people, count, move - 1, MOVES) for move in (LATE, EARLY)]
            served.settle(engine)
        cold, warm = (
            stack.enter_context(served.gunicorn(app, "sync", database))
            for app in ("bench.cold:app", "service.wsgi:app")
        )

        def compare(name: str, of: str, goal: float, ours: Measured, other: Measured) -> Finding:
            for one in (ours, other):
                one.warm_up()
            found = costs(f"G3 {name}: {of}", Goal(goal, at_most=True), in_turn(ours, other, rounds))
            return replace(found, cpu=(ours.meter.cpu(f"G3 {name}", "request"), other.meter.cpu(f"   {of}", "request")))

        def watched(web: served.Web) -> Meter:
            return Meter({"web": web.pid, "Postgres": database.pid})

        gets = [over_and_over(cold.port, [get(game) for game in games], SECONDS / 2) for games in read]
        at_length = [Measured(plans, "200", watched(cold)) for plans in gets]
        yield compare(f"GET at move {LONG}", f"at move {SHORT}", 1.8, *at_length)
        posts = [once(warm.port, games, GAMES) for games in played]
        at_length = [Measured(plans, "201", watched(warm)) for plans in posts]
        yield compare(f"POST of move {LATE}", f"of move {EARLY}", 1.5, *at_length)
