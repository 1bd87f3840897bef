"""A connection that the server has closed is given to nobody, and no query is needed to notice it."""

import psycopg
from sqlalchemy import Engine, text

from service.store import closed_connections
from tests.support.running import eventually

_MINE = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


def pids(engine: Engine, count: int) -> list[int]:
    """Return the server processes of a number of connections in use at once, which go back to the pool then."""
    taken = [engine.connect() for _ in range(count)]
    found = [connection.execute(text("SELECT pg_backend_pid()")).scalar_one() for connection in taken]
    for connection in taken:
        connection.close()
    return found


def test_after_a_restart_all_connections_are_new_ones(engine: Engine, owner_url: str) -> None:
    closed_connections.watch(engine)
    before = pids(engine, 3)
    assert set(pids(engine, 3)) == set(before)
    with psycopg.connect(owner_url, autocommit=True) as owner:
        assert {pid for (pid,) in owner.execute(_MINE)} == set(before)
        owner.execute(f"SELECT pg_terminate_backend(pid, 10000) FROM ({_MINE}) AS mine")
    assert not set(pids(engine, 3)) & set(before)


def test_one_that_stands_is_not_taken_for_gone(engine: Engine) -> None:
    with engine.connect() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        assert not closed_connections.is_gone(driver)
        driver.execute("SET client_min_messages = notice")
        driver.execute("DO $$ BEGIN RAISE NOTICE 'something to read'; END $$")
        assert not closed_connections.is_gone(driver)


def test_one_is_gone_when_the_server_has_ended_it_or_it_was_closed_here(engine: Engine, owner_url: str) -> None:
    with psycopg.connect(owner_url) as ended, psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("SELECT pg_terminate_backend(%s, 10000)", (ended.info.backend_pid,))
        eventually(lambda: closed_connections.is_gone(ended))
    closed = psycopg.connect(owner_url)
    closed.close()
    assert closed_connections.is_gone(closed)
