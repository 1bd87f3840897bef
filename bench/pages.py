"""Compare the page of a table with its JSON on the same gunicorn: the time of the server for each.

The reader, who is signed in, sits at 200 tables, all at move 40. The page has choices where it is the reader's turn.
What is new to the server is compared with what is new, and what it has answered before with what it has. A new page has
pieces that the process still has from others of its table, as after a move, or it is the first one of its table.
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
from service.access.links import table_text
from service.access.tokens import new_token, session_hash_of
from service.ids import new_id

SECONDS = 2.0
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
        cookie, gzip = {"Cookie": f"__Host-novaluna-session={secret}"}, {"Accept-Encoding": "gzip"}
        links = {game.id: table_text((served.SECRET_KEY,), reader.account, game.id) for game in asked}
        pages = {
            "": [request("GET", f"/games/{game.id}", None, cookie) for game in asked],
            " by a link": [request("GET", f"/games/{game.id}?link={links[game.id]}") for game in asked],
            " as a spectator": [request("GET", f"/games/{game.id}") for game in asked],
        }

        def measured(web: served.Web, requests: Sequence[str]) -> Measured:
            plans = over_and_over(web.port, requests, seconds)
            return Measured(plans, "200", Meter({"web": web.pid, "Postgres": database.pid}))

        def compare(
            name: str, web: served.Web, page: Sequence[str], data: Sequence[str], goal: Goal | None = GOAL
        ) -> Iterator[Finding]:
            ours, other = measured(web, page), measured(web, data)
            for one in (ours, other):
                one.warm_up()
            yield costs(f"the page of a table: its JSON, {name}", goal, in_turn(ours, other, rounds))
            spent = costs("   in CPU time", None, pairs(ours.meter.each, other.meter.each))
            cpu = ours.meter.cpu(f"the page, {name}", "request"), other.meter.cpu("   its JSON", "request")
            yield replace(spent, cpu=cpu)

        data = [request("GET", f"/v1/games/{game.id}", reader.token) for game in asked]
        for how, page in pages.items():
            yield from compare(f"again{how}", warm, page, data)
        data_zipped = [request("GET", f"/v1/games/{game.id}", reader.token, gzip) for game in asked]
        zipped = [request("GET", f"/games/{game.id}", None, cookie | gzip) for game in asked]
        by_link = [request("GET", f"/games/{game.id}?link={links[game.id]}", None, gzip) for game in asked]
        for how, page in (("", zipped), (" by a link", by_link)):
            yield from compare(f"again{how}, compressed", warm, page, data_zipped)
        yield from compare("new", cold, pages[""], data)
        first = [request("GET", f"/games/{game.id}", None, cookie) for game in games]
        data = [request("GET", f"/v1/games/{game.id}", reader.token) for game in games]
        yield from compare("new, the first of its table", cold, first, data, None)
