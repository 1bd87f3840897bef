"""Requests while Postgres is away, suspended, too slow, full or read-only get 503, and none hangs."""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from flask import Flask
from sqlalchemy import text
from structlog.testing import capture_logs

from service.config import Settings
from service.local.postgres import Postgres
from service.store import timeouts
from service.store.base import db
from service.store.connecting import TimeoutPolicy, connect_args
from service.store.migrate import upgrade
from tests.support.at_once import at_once
from tests.support.clock import utcnow
from tests.support.running import eventually
from tests.support.suspending import resume, suspend
from tests.support.web import KEYS, opened

HASTY = TimeoutPolicy(statement=1, lock=1, idle=5)

OF_OPERATION = ["08006", "25006", "25P03", "40001", "40P01", "53100", "53300", "55P03", "57014", "57P01", "58030"]

BOUND = 10.0
"""Seconds within which each request must be answered, far more than each wait may take here."""


@pytest.fixture(autouse=True)
def logged() -> Iterator[list[MutableMapping[str, Any]]]:
    """Yield the logged events; otherwise each error would be formatted for the terminal, which takes seconds."""
    with capture_logs() as lines:
        yield lines


@contextmanager
def stopped(postgres: Postgres) -> Iterator[None]:
    """Suspend all processes of a server during the block, as if its machine had frozen."""
    assert postgres.process is not None
    postmaster = postgres.process.pid
    # The postmaster goes first: then there are no new children, and those that end remain as zombies.
    suspend(postmaster)
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
    pids = [postmaster, *map(int, children)]
    suspend(*pids[1:])
    try:
        yield
    finally:
        resume(*pids)


@contextmanager
def served(postgres: Postgres) -> Iterator[Flask]:
    with opened(Settings(database_url=postgres.url, secret_keys=KEYS), utcnow, HASTY) as app:
        yield app


def is_refused(app: Flask, path: str = "/v1/games") -> None:
    began = time.monotonic()
    answer = app.test_client().get(path)
    assert time.monotonic() - began < BOUND
    assert answer.status_code == 503, answer.text
    assert answer.mimetype == "application/problem+json"
    assert answer.get_json()["code"] == "database_unavailable"
    assert int(answer.headers["Retry-After"]) > 0


def is_served(app: Flask) -> bool:
    return app.test_client().get("/v1/games").status_code == 200


@pytest.mark.slow
def test_a_stopped_or_ended_postgres_is_reported_without_waiting() -> None:
    folder = Path(tempfile.mkdtemp(prefix="nova-luna-test-"))
    with Postgres(folder, settings={"fsync": "off"}) as postgres, served(postgres) as app:
        upgrade(postgres.url)
        eventually(lambda: is_served(app))
        with stopped(postgres):
            at_once(*[lambda: is_refused(app)] * 4)  # on existing connections, and on new ones
            is_refused(app)
        eventually(lambda: is_served(app))
        postgres.stop()
        is_refused(app)
        is_refused(app)
        postgres.start()
        eventually(lambda: is_served(app))
    shutil.rmtree(folder)


def test_what_is_no_fault_of_a_statement_is_503(app: Flask) -> None:
    raising = "DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{}'; END $$"

    def through_sqlalchemy(sqlstate: str) -> str:
        db.session.execute(text(raising.format(sqlstate)))
        return ""

    def bare(sqlstate: str) -> str:
        driven = db.session.connection().connection.driver_connection
        assert isinstance(driven, psycopg.Connection)
        driven.execute(raising.format(sqlstate).encode())
        return ""

    for view in (through_sqlalchemy, bare):
        app.add_url_rule(f"/{view.__name__}/<sqlstate>", view_func=view)
    for view in (through_sqlalchemy, bare):
        for sqlstate in OF_OPERATION:
            answer = app.test_client().get(f"/{view.__name__}/{sqlstate}")
            assert (answer.status_code, answer.get_json()["code"]) == (503, "database_unavailable"), sqlstate
            assert answer.headers["Retry-After"]
        assert app.test_client().get(f"/{view.__name__}/42P01").status_code == 500


def test_statements_and_locks_wait_as_long_as_the_server_was_told(database_url: str) -> None:
    def sleeping() -> str:
        db.session.execute(text("SELECT pg_sleep(30)"))
        return ""

    with opened(Settings(database_url=database_url, secret_keys=KEYS), utcnow, HASTY) as app:
        app.add_url_rule("/sleeping", view_func=sleeping)
        with psycopg.connect(database_url) as other:
            other.execute("LOCK TABLE tables")

            def is_told(path: str) -> None:
                answer = app.test_client().get(path)
                assert (answer.status_code, answer.get_json()["code"]) == (503, "database_unavailable")

            at_once(lambda: is_told("/v1/games"), lambda: is_told("/sleeping"))
        eventually(lambda: is_served(app))  # a second is short for a statement on a busy machine


def test_a_pool_without_a_free_connection_is_waited_for_briefly(make_app: Callable[..., Flask]) -> None:
    app = make_app(web_threads=1)

    def pooled() -> str:
        return str(db.session.execute(text("SELECT 'served'")).scalar_one())

    app.add_url_rule("/pooled", view_func=pooled)
    with app.app_context():
        taken = [db.engine.connect() for _ in range(2)]
        is_refused(app, "/pooled")
        for connection in taken:
            connection.close()
    assert app.test_client().get("/pooled").text == "served"


def test_while_the_database_is_away_one_tries_and_others_do_not_wait() -> None:
    now = [100.0]
    circuit = timeouts.Circuit(pause=1.0, clock=lambda: now[0])

    def fails() -> None:
        with pytest.raises(OSError, match="no answer"), circuit.trying():
            raise OSError("no answer")

    def is_not_let_through() -> None:
        with pytest.raises(psycopg.OperationalError, match="found away"), circuit.trying():
            raise AssertionError

    with circuit.trying():
        pass
    fails()
    is_not_let_through()
    now[0] += 1.0
    with circuit.trying():
        is_not_let_through()
    with circuit.trying(), circuit.trying():
        pass
    circuit.failed()
    is_not_let_through()
    now[0] += 1.0
    fails()
    is_not_let_through()


async def _hangs(url: str, settings: Settings) -> None:
    made = timeouts.async_connection_class(HASTY)
    told = connect_args(settings, TimeoutPolicy(0, 0, 0), "test")
    async with await made.connect(url, autocommit=True, **told) as connection:
        assert [notify async for notify in connection.notifies(timeout=0)] == []
        await connection.execute("SELECT pg_sleep(30)")


@pytest.mark.slow
def test_the_connections_of_the_queue_are_bounded_too(database_url: str) -> None:
    import asyncio

    with pytest.raises(psycopg.OperationalError, match="did not answer"):
        asyncio.run(_hangs(database_url, Settings(database_url=database_url, secret_keys=KEYS)))
