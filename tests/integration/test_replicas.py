"""Replicas answer requests without a token, never anything older than the reader knows, whatever happens to them."""

from __future__ import annotations

import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import psycopg
import pytest
from flask import Flask
from sqlalchemy import text
from sqlalchemy.orm import Session

from bench.replication import StreamingReplica, replicas
from engine import rules
from service import metrics
from service.api.context import context_of
from service.local.postgres import Postgres
from service.store.replicas import MOST_BEHIND, Replica, ReplicaFailed, Replicas
from tests.support.http_games import Game, SignUp, start
from tests.support.running import eventually


@contextmanager
def a_replica(primary: Postgres) -> Iterator[StreamingReplica]:
    """Run a replica in a folder that the account of Postgres can enter, as it can none of pytest's."""
    assert primary.process is not None
    folder = Path(tempfile.mkdtemp(prefix="nova-luna-replicas-"))
    folder.chmod(0o711)
    try:
        with replicas(primary.url, primary.process.pid, folder) as (one,):
            yield one
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def replica(postgres: Postgres) -> Iterator[StreamingReplica]:
    with a_replica(postgres) as one:
        yield one


@pytest.fixture
def caught_up(replica: StreamingReplica, postgres: Postgres) -> Callable[[], None]:
    """Return a function that waits until the replica has everything."""

    def wait() -> None:
        with psycopg.connect(postgres.url) as connection:
            [[at]] = connection.execute("SELECT pg_current_wal_insert_lsn()::text")
        eventually(lambda: replica.ask(f"SELECT pg_last_wal_replay_lsn() >= '{at}'::pg_lsn") is True)

    return wait


@pytest.fixture
def spectating(
    make_app: Callable[..., Flask], replica: StreamingReplica, database_url: str, caught_up: Callable[[], None]
) -> Iterator[Flask]:
    """Yield the application of another process, which sends spectators to the replica."""
    caught_up()
    app = make_app(reads_urls=(replica.url(database_url),))
    used = context_of(app).replicas
    assert used is not None
    used.usable()
    eventually(lambda: used.usable() is not None)
    yield app
    used.close()


@pytest.fixture
def behind(replica: StreamingReplica) -> Iterator[Callable[[], object]]:
    """Yield a function from which on the replica falls behind."""
    yield partial(replica.ask, "SELECT pg_wal_replay_pause()")
    replica.ask("SELECT pg_wal_replay_resume()")


@pytest.fixture
def game(app: Flask, sign_up: SignUp, caught_up: Callable[[], None]) -> Game:
    game = start(app.test_client(), sign_up(), sign_up())
    game.move()
    caught_up()
    return game


def test_a_replica_shows_no_earlier_state_than_the_reader_has_seen(
    spectating: Flask, game: Game, behind: Callable[[], object]
) -> None:
    client = spectating.test_client()
    behind()
    game.move()
    newest = game.get().headers["ETag"]
    old = client.get(game.path)
    assert old.get_json()["version"] == 1, "the replica answers, which is behind"
    unchanged = client.get(game.path, headers={"If-None-Match": old.headers["ETag"]})
    assert unchanged.status_code == 304
    assert client.get(game.path, headers={"If-None-Match": newest}).status_code == 304
    assert client.get(game.path).get_json()["version"] == 2, "this process has shown it to somebody"
    assert client.get(f"{game.path}/legal-moves").get_json()["version"] == 2
    assert client.get(f"{game.path}?at=2").get_json()["version"] == 2


def test_what_fails_at_a_replica_is_answered_as_at_the_primary(
    spectating: Flask, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "VERSIONS", {"other": rules.newest()})
    answer = spectating.test_client().get(game.path)
    assert answer.status_code == 503 and answer.get_json()["code"] == "unknown_rules"
    assert answer.headers["X-Request-Id"] and answer.headers["Retry-After"]


def test_reads_are_counted_by_the_server_that_answers(
    spectating: Flask, game: Game, behind: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []
    monkeypatch.setattr(metrics, "spectator_read", counted.append)
    client = spectating.test_client()
    for path in (game.path, "/v1/games", f"{game.path}?at=1"):
        client.get(path)
    behind()
    game.move()
    client.get(game.path, headers={"If-None-Match": game.get().headers["ETag"]})
    client.get(game.path, headers=game.players[0].headers)
    assert counted == ["replica", "replica", "primary"]


def test_whoever_has_a_token_asks_the_primary(spectating: Flask, game: Game, behind: Callable[[], object]) -> None:
    client = spectating.test_client()
    behind()
    game.move()
    assert client.get(game.path, headers=game.players[0].headers).get_json()["version"] == 2
    assert client.get("/v1/games").get_json()["items"][0]["version"] == 1
    listed = client.get("/v1/games", headers=game.players[0].headers).get_json()["items"]
    assert listed[0]["version"] == 2


def test_what_has_changed_since_a_moment_is_asked_of_the_primary(
    spectating: Flask, game: Game, behind: Callable[[], object], session: Session
) -> None:
    since = game.client.get("/v1/events", headers=game.players[0].headers).get_json()["after"]
    client = spectating.test_client()
    behind()
    game.move()
    session.execute(text("SELECT place_events()"))
    session.commit()
    assert [each["version"] for each in client.get(f"/v1/games?since={since}").get_json()["items"]] == [2]
    assert client.get("/v1/games").get_json()["items"][0]["version"] == 1


def test_what_a_replica_does_not_have_is_asked_of_the_primary(
    spectating: Flask, app: Flask, sign_up: SignUp, behind: Callable[[], object]
) -> None:
    behind()
    fresh = start(app.test_client(), sign_up(), sign_up())
    assert spectating.test_client().get(fresh.path).status_code == 200
    assert spectating.test_client().get("/v1/games/abcdefghijkm").status_code == 404


def test_a_replica_that_restarts_is_missed_by_nobody(spectating: Flask, game: Game, replica: StreamingReplica) -> None:
    client = spectating.test_client()
    used = context_of(spectating).replicas
    assert used is not None
    replica.stop(signal.SIGKILL)
    try:
        for path in (game.path, "/v1/games", f"{game.path}/record"):
            assert client.get(path).status_code == 200
        assert used.usable() is None
    finally:
        replica.start()
    eventually(lambda: used.usable() is not None)
    assert client.get(game.path).get_json()["version"] == 1


@pytest.fixture
def now() -> list[float]:
    """Return the time by the clock of `own`, which a test sets."""
    return [0.0]


@pytest.fixture
def own(replica: StreamingReplica, database_url: str, now: list[float]) -> Iterator[Replica]:
    connect = partial(psycopg.connect, replica.url(database_url), autocommit=True)
    made = Replica("own", connect, 2, lambda: now[0])
    yield made
    made.close()


def test_a_replica_that_is_ten_seconds_behind_is_not_used(
    own: Replica, now: list[float], database_url: str, game: Game, behind: Callable[[], object]
) -> None:
    watched = Replicas([own], partial(psycopg.connect, database_url, autocommit=True), lambda: now[0])
    watched.look()
    assert own.is_usable
    behind()
    game.move()
    with psycopg.connect(database_url, autocommit=True) as connection:
        [[at]] = connection.execute("SELECT pg_current_wal_insert_lsn()::text")
        written = f"SELECT pg_current_wal_lsn() >= '{at}'::pg_lsn".encode()
        eventually(lambda: connection.execute(written).fetchone() == (True,))
    for now[0], usable in ((1, True), (9, True), (MOST_BEHIND + 1, False)):
        watched.look()
        assert own.is_usable is usable, now
    watched.close()


def test_a_replica_is_not_used_while_the_primary_hangs(
    own: Replica, now: list[float], database_url: str, caught_up: Callable[[], None]
) -> None:
    caught_up()
    with psycopg.connect(database_url, autocommit=True) as connection:
        watched = Replicas([own], lambda: connection, lambda: now[0])
        watched.look()
        assert own.rows("SELECT 1", {}) == [(1,)]
        hung: list[bool] = []

        class Hanging:
            """A primary that answers a question after eleven seconds, during which a replica is asked."""

            def execute(self, question: bytes) -> psycopg.Cursor:
                for now[0] in (9.0, MOST_BEHIND + 1):
                    hung.append(watched.usable() is not None)
                raise psycopg.OperationalError("the database did not answer")

            def close(self) -> None:
                pass

        watched._thread = Thread()  # only this test looks
        watched._primary._connection = Hanging()  # type: ignore[assignment]
        watched.look()
    assert hung == [True, False]
    watched.close()


def test_rows_that_come_too_late_are_not_shown(own: Replica, now: list[float]) -> None:
    class Slow(dict[str, Any]):
        """Arguments that are read as the statement is sent; then time passes."""

        def __getitem__(self, name: str) -> Any:
            now[0] = MOST_BEHIND + 1
            return super().__getitem__(name)

    own.complete_at = 0.0
    with pytest.raises(ReplicaFailed):
        own.rows("SELECT %(one)s::integer", Slow(one=1))


def test_a_replica_of_another_epoch_is_not_used(
    own: Replica, database_url: str, owner_url: str, caught_up: Callable[[], None], behind: Callable[[], object]
) -> None:
    caught_up()
    watched = Replicas([own], partial(psycopg.connect, database_url, autocommit=True), lambda: 0.0)
    watched.look()
    assert own.is_usable
    behind()
    with psycopg.connect(owner_url) as connection:
        connection.execute("UPDATE epoch SET value = '01234567'")
    watched.look()
    assert not own.is_usable
    watched.close()


def test_without_the_primary_nobody_knows_how_far_a_replica_is_behind(own: Replica, database_url: str) -> None:
    def away() -> psycopg.Connection[object]:
        raise psycopg.OperationalError("away")

    own.complete_at = 0.0
    Replicas([own], away).look()
    assert not own.is_usable


def test_a_statement_that_is_canceled_by_conflict_is_run_at_the_primary(
    own: Replica, replica: StreamingReplica, owner_url: str, caught_up: Callable[[], None]
) -> None:
    caught_up()
    own.complete_at = 0.0
    active = "SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()"
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(own.rows, "SELECT pg_sleep(60)::text, count(*) FROM accounts", {})
        eventually(lambda: replica.ask(active) is True)
        with psycopg.connect(owner_url) as connection:
            connection.execute("LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE")
            connection.execute("SELECT txid_current()")
        with pytest.raises(ReplicaFailed):
            asked.result(60)
    assert not own.is_usable


def test_a_replica_that_is_promoted_is_used_no_longer(postgres: Postgres, database_url: str) -> None:
    with a_replica(postgres) as one:
        own = Replica("own", partial(psycopg.connect, one.url(database_url), autocommit=True), 2)
        watched = Replicas([own], partial(psycopg.connect, database_url, autocommit=True))

        def is_used() -> bool:
            watched.look()
            return own.is_usable

        eventually(is_used)
        assert one.ask("SELECT pg_promote()") is True
        watched.look()
        assert not own.is_usable
        watched.close()


@pytest.mark.slow
def test_a_replica_that_does_not_follow_the_new_primary_is_not_used(
    postgres: Postgres, replica: StreamingReplica, own: Replica, game: Game, database_url: str
) -> None:
    """It has what the new primary lacks, and the same epoch, as after a failover to a synchronous standby."""
    with a_replica(postgres) as promoted, psycopg.connect(postgres.url, autocommit=True) as primary:
        receivers = "SELECT count(*) FROM pg_stat_wal_receiver WHERE status = 'streaming'"
        eventually(lambda: promoted.ask(receivers) == 1)  # one that is about to start would still receive what follows
        promoted.run("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()")
        eventually(lambda: promoted.ask("SELECT count(*) FROM pg_stat_wal_receiver") == 0)
        primary.execute("SELECT pg_logical_emit_message(true, 'more than a promotion writes', repeat('.', 1000000))")
        game.move()
        received = promoted.ask("SELECT pg_last_wal_receive_lsn()::text")
        eventually(lambda: replica.ask(f"SELECT pg_last_wal_replay_lsn() > '{received}'::pg_lsn + 1000000") is True)
        assert promoted.ask("SELECT pg_promote()") is True
        watched = Replicas([own], partial(psycopg.connect, promoted.url(database_url), autocommit=True))
        watched.look()
        assert not own.is_usable
        watched.close()
