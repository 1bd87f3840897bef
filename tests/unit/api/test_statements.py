"""The statements of the hot path, counted on the wire; and what happens when its connections are lost."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from flask import Flask

from service.store.autocommit_pool import AutocommitPool
from service.store.idempotency import LIFETIME
from tests.support.at_once import at_once
from tests.support.clock import Clock
from tests.support.counting_proxy import CountingProxy
from tests.support.http_games import Game, SignUp, start
from tests.support.running import eventually

_KEPT = ("ETag", "Location", "Content-Type")


@pytest.fixture
def app(make_app: Callable[..., Flask], proxy: CountingProxy) -> Flask:
    return make_app(database_url=proxy.url)


@pytest.fixture
def other(make_app: Callable[..., Flask], proxy: CountingProxy) -> Flask:
    """Return an application that stands for another process: it has cached nothing yet."""
    return make_app(database_url=proxy.url)


@pytest.fixture
def game(app: Flask, sign_up: SignUp) -> Game:
    return start(app.test_client(), sign_up("Ann"), sign_up("Ben"))


def scalar(database_url: str, query: str) -> Any:
    with psycopg.connect(database_url) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def entries(database_url: str) -> int:
    return int(scalar(database_url, "SELECT count(*) FROM log"))


def restarted(database_url: str, proxy: CountingProxy) -> int:
    """Close all connections, as when Postgres restarts, and return how many, once the service can notice it."""
    ended = """
        SELECT count(pg_terminate_backend(pid, 20000)) FROM pg_stat_activity
         WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
    """
    count = int(scalar(database_url, ended))
    eventually(lambda: proxy.open == 0)
    return count


def test_how_many_statements_the_hot_path_takes(game: Game, proxy: CountingProxy, other: Flask) -> None:
    waits = []
    for _ in range(8):  # with and without a job, within a turn and at its end: each form of a statement is prepared
        body, mover = game.first(), game.to_move()
        proxy.clear()
        assert game.post(mover, body).status_code == 201
        assert len(proxy.statements) == 1
        waits.append(proxy.waits)
    assert min(waits) == 1 and max(waits) <= 3
    away = Game(game.path, game.players, other.test_client())
    away.client.get(f"/v1/games/{'2' * 12}")  # SQLAlchemy asks for the server's version once
    for _ in range(2):  # where the table is not cached, or out of date
        body, mover = game.first(), game.to_move()
        proxy.clear()
        assert away.post(mover, body).status_code == 201
        assert len(proxy.statements) == 2
        assert game.move().status_code == 201
    reader = game.players[0].headers
    elsewhere = other.test_client()
    tag = game.get().headers["ETag"]
    for client in (elsewhere, game.client):
        for headers, status in ((reader, 200), ({}, 200), ({**reader, "If-None-Match": tag}, 304)):
            for _ in range(3):
                proxy.clear()
                assert client.get(game.path, headers=headers).status_code == status
                assert len(proxy.statements) == 1
            assert proxy.waits == 1, "once it is prepared"
    for suffix, count in (("?at=1", 1), ("/legal-moves", 1), ("/record", 1)):
        proxy.clear()
        assert game.get(suffix).status_code == 200
        assert len(proxy.statements) == count, suffix


def test_what_another_process_did_costs_no_statement_more(game: Game, proxy: CountingProxy, other: Flask) -> None:
    elsewhere = Game(game.path, game.players, other.test_client())
    for number in range(6):
        here, there = (game, elsewhere) if number % 2 else (elsewhere, game)
        body = here.first()
        proxy.clear()
        assert here.post(here.to_move(), body).status_code == 201
        assert len([text for text in proxy.statements if "INSERT INTO log" in text]) == 1
        shown = here.get()
        proxy.clear()
        assert there.get().data == shown.data
        assert len(proxy.statements) == 1


def test_a_key_takes_no_statement_more(game: Game, proxy: CountingProxy, clock: Clock, database_url: str) -> None:
    movers = []
    for _ in range(3):  # two players alternate, so one sends the same key again when it has expired
        body, mover = game.first(), game.to_move()
        proxy.clear()
        made = game.post(mover, body, {"Idempotency-Key": "one"})
        assert made.status_code == 201 and len(proxy.statements) == 2
        proxy.clear()
        again = game.post(mover, body, {"Idempotency-Key": "one"})
        assert (again.status_code, again.data) == (201, made.data) and len(proxy.statements) == 1
        assert [again.headers[name] for name in _KEPT] == [made.headers[name] for name in _KEPT]
        movers.append(mover.account)
        clock.advance(seconds=LIFETIME.total_seconds())
    assert entries(database_url) == 3
    kept = "SELECT count(*) FROM idempotency WHERE path LIKE '%/moves'"
    assert scalar(database_url, kept) == len(set(movers))


def test_when_postgres_was_restarted_the_next_requests_work(
    game: Game, proxy: CountingProxy, database_url: str
) -> None:
    for number in range(3):
        assert game.get().status_code == 200
        assert restarted(database_url, proxy)
        if number == 1:
            assert game.get("/legal-moves").status_code == 200
        if number == 0:
            version = game.view()["version"]
            mover, body = game.to_move(), game.first()
            assert restarted(database_url, proxy)
            assert game.post(mover, body).status_code == 201, "it is known that the connection is gone"
            assert game.view()["version"] == version + 1
            assert restarted(database_url, proxy)
        mover, body = game.players[0], {"type": "resign"}
        assert game.post(mover, body, query="?dry_run=true").status_code == 200 if number < 2 else True
    assert game.post(mover, body).status_code == 201
    assert entries(database_url) == 2


def test_a_write_uses_no_connection_as_old_as_one_that_is_gone(proxy: CountingProxy, database_url: str) -> None:
    pool = AutocommitPool(lambda: psycopg.connect(proxy.url, autocommit=True), 2)
    waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    with psycopg.connect(database_url, autocommit=True) as holder:
        holder.execute("SELECT pg_advisory_lock(1)")

        def read() -> None:
            pool.read("SELECT pg_advisory_xact_lock_shared(1)", {})

        def let_go() -> None:
            eventually(lambda: scalar(database_url, waiting) == 2)
            holder.execute("SELECT pg_advisory_unlock(1)")

        at_once(read, read, let_go)  # so that there are two connections
    assert restarted(database_url, proxy) == 2
    assert pool.write("SELECT 1", {}, wakes=False) == (1,)
    pool.close()


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_move_cut_off_is_made_once(game: Game, proxy: CountingProxy, database_url: str, after: bool) -> None:
    mover, body, key = game.to_move(), game.first(), {"Idempotency-Key": "once"}
    proxy.cut_at, proxy.after = "INSERT INTO log", after
    cut = game.post(mover, body, key)
    assert (cut.status_code, cut.get_json()["code"]) == (503, "database_unavailable")
    assert cut.headers["Retry-After"]
    again = game.post(mover, body, key)
    assert again.status_code == 201 and again.get_json()["version"] == 1
    assert entries(database_url) == 1 and game.view()["version"] == 1


def test_a_read_cut_off_is_read_again(game: Game, proxy: CountingProxy) -> None:
    proxy.cut_at = "FROM tokens"
    proxy.clear()
    assert game.get().status_code == 200
    assert len(proxy.statements) == 2
