"""The thread that stores signs of life for a part of the service: while it runs, while it cannot, and at a replica."""

from collections.abc import Iterator
from threading import Thread

import psycopg
import pytest
from structlog.testing import capture_logs

from service.config import Settings
from service.local.postgres import Postgres
from service.store.sign_of_life_thread import SignsOfLife
from service.store.signs import MAILIN
from tests.support.running import eventually
from tests.support.web import KEYS

SIGNED = "SELECT part, at FROM service_signs"


def signing(url: str) -> SignsOfLife:
    return SignsOfLife(Settings(database_url=url, secret_keys=KEYS), MAILIN, every=0.01)


def thread_of(signs: SignsOfLife) -> Thread:
    assert signs._thread.daemon, "it keeps no process from ending"
    return signs._thread


@pytest.fixture
def reading(database_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        yield connection


def connections(reading: psycopg.Connection) -> list[int]:
    rows = reading.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'novaluna signs'").fetchall()
    return [pid for (pid,) in rows]


def test_signs_are_stored_until_it_is_stopped(database_url: str, reading: psycopg.Connection) -> None:
    signs = signing(database_url)
    signs.start()
    eventually(lambda: reading.execute(SIGNED).fetchone() is not None)
    first = reading.execute(SIGNED).fetchone()
    assert first is not None and first[0] == MAILIN
    eventually(lambda: reading.execute(SIGNED).fetchone() != first)
    assert len(connections(reading)) == 1, "it keeps its connection"
    signs.stop()
    thread_of(signs).join(60)
    assert not thread_of(signs).is_alive()
    eventually(lambda: connections(reading) == [])


def test_a_cut_connection_is_logged_and_replaced(
    database_url: str, reading: psycopg.Connection, postgres: Postgres
) -> None:
    signs = signing(database_url)
    with capture_logs() as logs, psycopg.connect(postgres.url, autocommit=True) as owner:
        signs.start()
        eventually(lambda: connections(reading))
        (cut,) = connections(reading)
        owner.execute("SELECT pg_terminate_backend(%s)", [cut])
        eventually(lambda: connections(reading) not in ([], [cut]))
        signs.stop()
        thread_of(signs).join(60)
    assert [line["part"] for line in logs if line["event"] == "heartbeat not written"] == [MAILIN]


def test_at_a_replica_there_are_no_signs_until_it_is_promoted(
    database_url: str, reading: psycopg.Connection, postgres: Postgres
) -> None:
    name = reading.info.dbname
    with psycopg.connect(postgres.url, autocommit=True) as owner:
        owner.execute(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on'.encode())
        signs = signing(database_url)
        with capture_logs() as logs:
            signs.start()
            eventually(lambda: connections(reading))
            assert reading.execute(SIGNED).fetchone() is None
            assert logs == []
            owner.execute(f'ALTER DATABASE "{name}" RESET default_transaction_read_only'.encode())
            owner.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) pid", [connections(reading)])
            eventually(lambda: reading.execute(SIGNED).fetchone() is not None)
            signs.stop()
            thread_of(signs).join(60)
    eventually(lambda: connections(reading) == [])
