"""Compare the page of a table with its JSON on the same gunicorn: the time of the server for each.

The reader, who is signed in, sits at 200 tables, all at move 40. The page has choices where it is the reader's turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace

from sqlalchemy import text
from sqlalchemy.orm import Session

from bench import seed, served
from bench.http import VERSION, Measured, over_and_over, request
from bench.reads import ASKED, GAMES
from bench.rounds import ROUNDS, Finding, Goal, costs, in_turn, pairs
from bench.spent import Meter
from service.access.tokens import new_token, session_hash_of
from service.ids import new_id

SECONDS = 1.0
"""Seconds of load on one address."""

GOAL = Goal(2.5, at_most=True)

_SESSION = text(
    "INSERT INTO tokens (id, account, hash, created_at, kind) VALUES (:id, :account, :hash, now(), 'session')"
)


def measure(rounds: int = ROUNDS, seconds: float = SECONDS) -> Iterator[Finding]:
    """Measure the page beside the JSON of tables that the process has read before, and of those that it has not."""
    with ExitStack() as stack:
        database = stack.enter_context(served.database())
        secret = new_token()
        with served.connected(database.url) as engine:
            with Session(engine) as session, session.begin():
                reader, other = seed.sign_up(session, 2)
                games = seed.games(session, (reader, other), GAMES, VERSION, 0)
                own = {"id": new_id(), "account": reader.account, "hash": session_hash_of(secret)}
                session.execute(_SESSION, own)
            served.settle(engine)
        warm, cold = (
            stack.enter_context(served.gunicorn(app, "sync", database))
            for app in ("service.wsgi:app", "bench.cold:app")
        )
        asked = games[:: len(games) // ASKED][:ASKED]
        cookie = {"Cookie": f"__Host-novaluna-session={secret}"}

        def measured(web: served.Web, requests: Sequence[str]) -> Measured:
            plans = over_and_over(web.port, requests, seconds)
            return Measured(plans, "200", Meter({"web": web.pid, "Postgres": database.pid}))

        for name, web in (("known", warm), ("new", cold)):
            page = measured(web, [request("GET", f"/games/{game.id}", None, cookie) for game in asked])
            data = measured(web, [request("GET", f"/v1/games/{game.id}", reader.token) for game in asked])
            for one in (page, data):
                one.warm_up()
            yield costs(f"the page of a table: its JSON, {name}", GOAL, in_turn(page, data, rounds))
            spent = costs("   in CPU time", None, pairs(page.meter.each, data.meter.each))
            cpu = page.meter.cpu(f"the page, {name}", "request"), data.meter.cpu("   its JSON", "request")
            yield replace(spent, cpu=cpu)
