"""Measure what a whole game costs: requests, statements, write-ahead log, jobs and mails.

Two people play over HTTP, with every mail sent as soon as its wait begins, as where a worker keeps up. The figures do
not depend on the machine, but for the write-ahead log, which has whole pages after each checkpoint; none is made here.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from functools import partial
from statistics import fmean
from typing import Any

import psycopg
from flask.testing import FlaskClient
from sqlalchemy.orm import Session

from bench import seed, served
from bench.rounds import ROUNDS, Finding
from bench.statements import StatementLog
from service.app import create_app
from service.config import Settings
from service.jobs.worker import work
from service.jobs.worker_context import WorkerContext, sessions
from service.mail.transport import make_transport
from service.store.clock import by_sessions

_KEY = "for-measurements-only-and-32-characters-long"
_WRITTEN = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"
_SENT = "SELECT count(*) FROM deliveries WHERE state = 'sent'"


def measure(rounds: int = ROUNDS) -> Iterator[Finding]:
    """Measure one game in each round."""
    with served.database({"max_wal_size": "4GB", "checkpoint_timeout": "1h"}) as database:
        with served.connected(database.url) as engine, Session(engine) as session, session.begin():
            people = seed.sign_up(session, 2)
        log = StatementLog(database.url, database.folder / "data")
        settings = Settings(
            database_url=database.service_url, secret_keys=(_KEY,), data_dir=database.folder, mail_pictures=False
        )
        client = create_app(settings).test_client()
        made = sessions(settings, 2)
        context = WorkerContext(settings, made, make_transport(settings), by_sessions(made))
        taken: dict[str, list[float]] = {}
        with psycopg.connect(database.url, autocommit=True) as connection:
            for number in range(rounds):
                before = _value(connection, _WRITTEN), _value(connection, _SENT)
                counts = _play(client, [each.token for each in people], context, log, random.Random(number))
                counts["write-ahead log, bytes"] = _value(connection, _WRITTEN) - before[0]
                counts["mails"] = _value(connection, _SENT) - before[1]
                for name, value in counts.items():
                    taken.setdefault(name, []).append(value)
    for name, values in taken.items():
        yield Finding(f"a game of two: {name}", None, tuple(values), f"{fmean(values):,.0f}", "")


def _value(connection: psycopg.Connection[Any], statement: str) -> float:
    row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return float(row[0])


def _play(
    client: FlaskClient, tokens: list[str], context: WorkerContext, log: StatementLog, chance: random.Random
) -> dict[str, float]:
    """Play a game to its end, and return what that took."""
    headers = [{"Authorization": f"Bearer {token}"} for token in tokens]
    opened = client.post("/v1/games", json={"seats": 2, "discs": "full", "visibility": "public"}, headers=headers[0])
    path = f"/v1/games/{opened.get_json()['id']}"
    client.post(f"{path}/players", headers=headers[1])

    def move(body: dict[str, Any], seat: int) -> None:
        made = client.post(f"{path}/moves", json=body, headers=headers[seat])
        if made.status_code != 201:
            raise AssertionError(made.text)

    def send() -> None:
        asyncio.run(work(context, until_idle=True))

    send()
    idle = len(log.of(send))
    entries, by_moves, by_worker = 0, 0, 0
    while (shown := client.get(path).get_json())["status"] == "running":
        body = _any(client.get(f"{path}/legal-moves").get_json(), chance)
        by_moves += len(log.of(partial(move, body, shown["turn"]["seat"])))
        by_worker += len(log.of(send)) - idle
        entries += 1
    return {"entries": entries, "statements of moves": by_moves, "statements of mails": by_worker}


def _any(legal: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return a move by chance, which places a tile if one can be placed."""
    version = {"expected_version": legal["version"]}
    if not legal["tiles"]:
        return {"type": "refill", **version}
    cell = chance.choice(legal["cells"])
    return {"type": "place", "tile": chance.choice(legal["tiles"]), "x": cell["x"], "y": cell["y"], **version}
