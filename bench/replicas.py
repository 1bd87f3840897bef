"""Measure reads without an access token with two replicas of the database beside one Postgres for all.

The reads are GETs of tables, some of them new to the web processes. On a machine whose cores the web processes and one
Postgres use up already, two more Postgres can't carry more: what is measured there is what they cost. The CPU time that
the primary has for a read says how much they take off it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

from sqlalchemy.orm import Session

from bench import seed, served
from bench.http import Measured, over_and_over, request
from bench.replication import replicas
from bench.rounds import ROUNDS, Finding, in_turn, speeds
from bench.spent import Meter

GAMES = 3_000
VERSION = 40
SECONDS = 3.0


def measure(rounds: int = ROUNDS, seconds: float = SECONDS) -> Iterator[Finding]:
    """Measure reads a second, and the CPU time of the primary for each."""
    with ExitStack() as stack:
        database = stack.enter_context(served.database())
        with served.connected(database.url) as engine:
            with Session(engine) as session, session.begin():
                games = seed.games(session, seed.sign_up(session, 2), GAMES, VERSION, 0)
            served.settle(engine)
        two = stack.enter_context(replicas(database.url, database.pid, database.folder, 2))
        urls = " ".join(replica.url(database.service_url) for replica in two)
        spread, alone = (
            stack.enter_context(served.gunicorn("bench.cold:app", "gevent", database, more))
            for more in ({"NOVALUNA_READS_URL": urls}, {})
        )
        requests = [request("GET", f"/v1/games/{game.id}") for game in games]

        def measured(web: served.Web) -> Measured:
            plans = over_and_over(web.port, requests, seconds)
            return Measured(plans, "200", Meter({"web": web.pid, "Postgres": database.pid}))

        ours, other = measured(spread), measured(alone)
        for one in (ours, other):
            one.warm_up()
        found = speeds(
            "reads without a token, two replicas: one Postgres", None, "reads/s", in_turn(ours, other, rounds)
        )
        cpu = ours.meter.cpu("with two replicas", "read"), other.meter.cpu("with one Postgres", "read")
        yield replace(found, cpu=cpu)
