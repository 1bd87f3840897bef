"""Measure reads without an access token at two replicas of the database beside one Postgres for all, by CPU time.

The reads are GETs of tables, some of them new to the web processes. How many a second two replicas carry can't be seen
where all of them share a few cores: three Postgres get no more CPU time there than one. But what a read costs a replica
and what it costs a primary can, in the same minute and by the same web processes. A replica on a machine of its own
carries as many reads as fit into its cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from statistics import fmean

from sqlalchemy.orm import Session

from bench import seed, served
from bench.http import Measured, over_and_over, request
from bench.replication import replicas
from bench.rounds import ROUNDS, Finding, Goal, in_turn
from bench.spent import Meter

GAMES = 3_000
VERSION = 40
SECONDS = 3.0

_PRIMARY, _REPLICAS = "Postgres", ("replica 1", "replica 2")


def measure(rounds: int = ROUNDS, seconds: float = SECONDS) -> Iterator[Finding]:
    """Measure the CPU time of a read at a replica beside that at a primary, and what is left for the primary."""
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
        followers = dict(zip(_REPLICAS, (replica.pid for replica in two), strict=True))

        def measured(web: served.Web) -> Measured:
            plans = over_and_over(web.port, requests, seconds)
            return Measured(plans, "200", Meter({"web": web.pid, _PRIMARY: database.pid} | followers))

        ours, other = measured(spread), measured(alone)
        for one in (ours, other):
            one.warm_up()
        in_turn(ours, other, rounds)
        at_replicas, at_primary = ours.meter.each_of(*_REPLICAS), other.meter.each_of(_PRIMARY)
        yield _compared("CPU of a read at a replica: at the primary", Goal(1.25, at_most=True), at_replicas, at_primary)
        left = ours.meter.each_of(_PRIMARY)
        yield _compared(
            "CPU of the primary for a read, with replicas: without", Goal(0.1, at_most=True), left, at_primary
        )
        first, second = (ours.meter.each_of(name) for name in _REPLICAS)
        shares = tuple(one / (one + another) for one, another in zip(first, second, strict=True))
        cpu = ours.meter.cpu("with two replicas", "read"), other.meter.cpu("with one Postgres", "read")
        yield Finding("share of the first replica", None, shares, "", "", cpu=cpu)


def _compared(name: str, goal: Goal, ours: list[float], other: list[float]) -> Finding:
    ratios = tuple(one / another for one, another in zip(ours, other, strict=True))
    told, beside = (f"{fmean(side) * 1e6:,.0f} µs" for side in (ours, other))
    return Finding(name, goal, ratios, told, beside)
