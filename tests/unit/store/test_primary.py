"""A connection to a server that can't commit is not used, where others may have taken its place."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.exc import OperationalError

from service.local.postgres import Postgres
from service.store import primary, promotions
from service.store.autocommit_pool import AutocommitPool
from service.store.base import engine_url
from service.store.connecting import WEB
from service.store.timeouts import Circuit, async_connection_class, connection_class, maker
from tests.drills.service import open_folder
from tests.support.running import eventually

_ASKING = "target_session_attrs=read-write"
_SELECT = "SELECT pg_backend_pid()"


@pytest.fixture(scope="module")
def alone() -> Iterator[Postgres]:
    """Yield a Postgres whose commits wait for a standby while it is told so."""
    with open_folder("primary") as folder, Postgres(Path(folder) / "postgres") as postgres:
        yield postgres


@pytest.fixture
def replaced(alone: Postgres) -> Iterator[psycopg.Connection]:
    """Yield a connection by which a test can have commits wait for a standby; undo that at the end."""
    with psycopg.connect(alone.url, autocommit=True) as connection:
        yield connection
        standby(connection, "")


def standby(connection: psycopg.Connection, name: str) -> None:
    connection.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{name}'".encode())
    connection.execute("SELECT pg_reload_conf()")
    eventually(lambda: connection.execute("SHOW synchronous_standby_names").fetchone() == (name,))
    eventually(lambda: commits_wait(connection) == bool(name))


def commits_wait(connection: psycopg.Connection) -> bool:
    """Return whether a commit waits for a standby; the checkpointer decides that, which reads the setting by itself."""
    seen = """
        SELECT wait_event = 'SyncRep', state = 'idle' AND query LIKE '%%message%%' FROM pg_stat_activity WHERE pid = %s
    """
    with psycopg.connect(connection.info.dsn, autocommit=True) as probe:
        probe.pgconn.send_query(b"SELECT pg_logical_emit_message(true, '', '')")
        found: list[bool] = []

        def is_seen() -> bool:
            row = connection.execute(seen, [probe.info.backend_pid]).fetchone()
            assert row is not None
            found[:] = [bool(each) for each in row]
            return any(found)

        eventually(is_seen)
        probe.pgconn.get_cancel().cancel()
        while probe.pgconn.get_result() is not None:
            pass
    return found[0]


def asking(postgres: Postgres) -> str:
    return f"{postgres.url}&{_ASKING}"


def pool(postgres: Postgres, *, confirms: bool = True) -> AutocommitPool:
    connect = maker(WEB, Circuit())
    return AutocommitPool(lambda: connect(asking(postgres), autocommit=True), 2, confirms=confirms)


@pytest.fixture
def instantly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have connections confirmed at each use, and that given up soon."""
    monkeypatch.setattr(primary, "UNCONFIRMED", -1.0)
    monkeypatch.setattr(primary, "_WITHIN", 0.3)


def test_only_read_write_and_primary_ask_for_a_primary() -> None:
    assert primary.is_asked_for("postgresql://one,two/nova?target_session_attrs=read-write")
    assert primary.is_asked_for("postgresql://one/nova?target_session_attrs=primary")
    assert not primary.is_asked_for("postgresql://one/nova")
    assert not primary.is_asked_for("postgresql://one/nova?target_session_attrs=any")


@pytest.mark.usefixtures("instantly")
def test_a_server_that_cannot_commit_is_not_read(alone: Postgres, replaced: psycopg.Connection) -> None:
    used = pool(alone)
    (first,) = used.read(_SELECT, {})
    assert used.read(_SELECT, {}) == (first,), "the connection was confirmed, and is used again"
    standby(replaced, "nobody")
    with pytest.raises(primary.NotPrimary):
        used.read(_SELECT, {})
    standby(replaced, "")
    (later,) = used.read(_SELECT, {})
    assert later != first, "a connection that was refused is closed"
    used.close()


def test_a_connection_that_answered_just_now_is_not_asked(alone: Postgres, replaced: psycopg.Connection) -> None:
    used = pool(alone)
    (first,) = used.read(_SELECT, {})
    standby(replaced, "nobody")
    assert used.read(_SELECT, {}) == (first,)
    used.close()


@pytest.mark.usefixtures("instantly")
def test_where_nobody_asks_for_a_primary_nothing_is_confirmed(alone: Postgres, replaced: psycopg.Connection) -> None:
    standby(replaced, "nobody")
    used = pool(alone, confirms=False)
    used.read(_SELECT, {})
    used.close()
    engine = watched(alone, alone.url)
    with engine.connect() as connection:
        connection.execute(text(_SELECT))
    engine.dispose()


@pytest.mark.usefixtures("instantly")
def test_an_engine_refuses_a_server_that_cannot_commit(alone: Postgres, replaced: psycopg.Connection) -> None:
    engine = watched(alone, asking(alone))
    with engine.connect() as connection:
        first = connection.scalar(text(_SELECT))
    standby(replaced, "nobody")
    with pytest.raises(OperationalError) as refused, engine.connect():
        pass
    assert isinstance(refused.value.orig, primary.NotPrimary)
    standby(replaced, "")
    with engine.connect() as connection:
        assert connection.scalar(text(_SELECT)) != first
    engine.dispose()


def test_where_commits_wait_a_new_primary_begins_no_epoch(
    alone: Postgres, replaced: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    replaced.execute("CREATE TABLE epoch AS SELECT 'of before' AS value, 7 AS counted_from, 'former' AS timeline")
    stored = "SELECT value, counted_from, timeline ~ '^0+1$' FROM epoch"
    standby(replaced, "nobody")
    monkeypatch.setattr(promotions, "WITHIN", 0.3)
    with pytest.raises(primary.NotPrimary, match="did not say"):
        connection_class(WEB).connect(asking(alone))
    with pytest.raises(primary.NotPrimary, match="did not say"):
        asyncio.run(async_connection_class(WEB).connect(asking(alone)))
    assert replaced.execute(stored).fetchone() == ("of before", 7, False), "nothing is seen before it is acknowledged"
    standby(replaced, "")
    eventually(lambda: replaced.execute(stored).fetchone() == ("of before", 7, True))
    replaced.execute("DROP TABLE epoch")


def watched(postgres: Postgres, url: str) -> Engine:
    engine = create_engine(engine_url(postgres.url))
    primary.watch(engine, url)
    return engine
