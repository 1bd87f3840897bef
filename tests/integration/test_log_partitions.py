"""A log that `novaluna partition-log` has split: games go on, and all that holds for the whole log holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from psycopg.errors import DatabaseError, InsufficientPrivilege
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from service.config import Settings
from service.store.base import engine_url
from service.store.migrate import upgrade
from tests.support import world
from tests.support.clock import Clock
from tests.support.command_line import Ran, environ, run_in
from tests.support.databases import as_service
from tests.support.http_games import start
from tests.support.web import KEYS, opened, sign_up

PARTITIONS = 4


def command(owner_url: str, folder: Path, *arguments: str) -> Ran:
    given = environ(as_service(owner_url), folder) | {"NOVALUNA_OWNER_URL": owner_url}
    return run_in(given, *arguments)


def split(owner_url: str, folder: Path) -> Ran:
    return command(owner_url, folder, "partition-log", "--partitions", str(PARTITIONS))


def play_some(owner_url: str, games: int = 6) -> list[str]:
    """Play games in an empty database, and return their ids."""
    upgrade(owner_url, as_service(owner_url))
    engine = create_engine(engine_url(owner_url))
    with Session(engine) as session, session.begin():
        people = [world.account(session, name) for name in ("Ann", "Ben")]
        tables = [world.match(session, *people) for _ in range(games)]
        for table in tables:
            for _ in range(5):
                world.move(session, table)
    engine.dispose()
    return tables


@pytest.mark.slow
def test_games_go_on_when_the_log_has_been_split(owner_url: str, clock: Clock, tmp_path: Path) -> None:
    settings = Settings(database_url=as_service(owner_url), secret_keys=KEYS)
    with opened(settings, clock) as app:
        game = start(app.test_client(), *(sign_up(app, f"{name}@example.org") for name in ("ann", "ben")))
        game.move()
        refused = split(owner_url, tmp_path)
        assert refused.code == 1 and refused.err.startswith("novaluna: The service is running (web), ")
    assert split(owner_url, tmp_path).code == 0
    with opened(settings, clock) as app:
        game = replace(game, client=app.test_client())
        game.move()
        view, record = game.view(), app.test_client().get(f"{game.path}/record", headers=game.players[0].headers)
    assert view["version"] == 2 and len(record.get_json()["log"]) == 2
    for check in (("audit", "--all"), ("rebuild", "--dry-run")):
        ran = command(owner_url, tmp_path, *check)
        assert ran.code == 0, ran.err
    with psycopg.connect(owner_url) as connection:
        events = connection.execute("SELECT count(*) FROM new_events WHERE kind = 'move'").fetchone()
        apart = connection.execute("SELECT count(DISTINCT tableoid), count(*) FROM log").fetchone()
    assert events == (2,) and apart == (1, 2)


def test_the_partitions_have_what_the_migrations_gave_the_log(make_database: Callable[[], str], tmp_path: Path) -> None:
    url = make_database()
    play_some(url)
    ran = split(url, tmp_path)
    assert (ran.code, ran.err.splitlines()[0].split(",")[0]) == (0, "novaluna: 30 entries are in 4 partitions")
    with psycopg.connect(url) as connection:

        def found(query: str, table: str) -> list[tuple[object, ...]]:
            return connection.execute(query.encode(), [table]).fetchall()

        columns = """SELECT attname, format_type(atttypid, atttypmod), attnotnull, attcollation,
                            pg_get_expr(adbin, adrelid)
                       FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
                      WHERE attrelid = %s::regclass AND attnum > 0 ORDER BY attnum"""
        constraints = """SELECT pg_get_constraintdef(oid) FROM pg_constraint
                          WHERE conrelid = %s::regclass AND contype <> 'n' ORDER BY 1"""
        triggers = """SELECT tgname, tgtype, tgfoid, tgenabled FROM pg_trigger
                       WHERE tgrelid = %s::regclass AND NOT tgisinternal ORDER BY 1"""
        key = "SELECT reloptions FROM pg_class WHERE oid = (%s || '_pkey')::regclass"
        for query in (columns, constraints, triggers, key):
            assert found(query, "log") == found(query, "log_before") != []
        for number in range(PARTITIONS):
            assert found(triggers, f"log_{number}") == found(triggers, "log_before")
        sizes = connection.execute("SELECT count(*) FROM log GROUP BY tableoid").fetchall()
        counted = connection.execute("SELECT sum(reltuples) FROM pg_class WHERE relname ~ '^log_[0-9]$'").fetchone()
        assert sum(size for (size,) in sizes) == 30 and len(sizes) > 1 and counted == (30,)


def test_no_partition_is_changed_by_its_owner_or_read_by_the_service(
    make_database: Callable[[], str], tmp_path: Path
) -> None:
    url = make_database()
    play_some(url)
    split(url, tmp_path)
    with psycopg.connect(url, autocommit=True) as connection:
        for table in ("log", "log_0", f"log_{PARTITIONS - 1}"):
            for change in (f"UPDATE {table} SET seat = seat WHERE false", f"DELETE FROM {table}", f"TRUNCATE {table}"):
                with pytest.raises(DatabaseError, match="append-only"):
                    connection.execute(change.encode())
    with psycopg.connect(as_service(url), autocommit=True) as connection:
        for table in ("log_0", "log_before"):
            with pytest.raises(InsufficientPrivilege):
                connection.execute(f"SELECT FROM {table}".encode())


@pytest.mark.slow
def test_a_log_in_partitions_is_backed_up_and_upgraded(make_database: Callable[[], str], tmp_path: Path) -> None:
    url, again = make_database(), make_database()
    tables = play_some(url)
    split(url, tmp_path)
    with psycopg.connect(url) as connection:
        connection.execute("DROP TABLE log_before")
    upgrade(url, as_service(url))
    file = str(tmp_path / "backup")
    assert command(url, tmp_path, "backup", file).code == 0
    restored = command(again, tmp_path, "restore", file)
    assert restored.code == 0, restored.err
    engine = create_engine(engine_url(again))
    with Session(engine) as session:
        assert [world.loaded(session, table).version for table in tables] == [5] * len(tables)
    engine.dispose()
    with psycopg.connect(again) as connection:
        assert connection.execute("SELECT count(*) FROM pg_partition_tree('log') WHERE isleaf").fetchone() == (4,)


def test_a_log_is_split_once_and_into_a_number_that_it_can_have(
    make_database: Callable[[], str], tmp_path: Path
) -> None:
    url = make_database()
    empty = split(url, tmp_path)
    assert (empty.code, empty.err) == (1, "novaluna: This database has no tables of the service.\n")
    play_some(url, 1)
    for number in ("1", "257"):
        refused = command(url, tmp_path, "partition-log", "--partitions", number)
        assert (refused.code, refused.err) == (2, "novaluna: a log is split into 2 to 256 partitions\n")
    assert split(url, tmp_path).code == 0
    second = split(url, tmp_path)
    assert (second.code, "in partitions already" in second.err) == (1, True)


def test_a_former_log_that_is_still_there_is_not_lost(make_database: Callable[[], str], tmp_path: Path) -> None:
    url = make_database()
    play_some(url, 1)
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE log_before AS SELECT * FROM log")
    refused = split(url, tmp_path)
    assert refused.code == 1 and "There is a table log_before already" in refused.err
    with psycopg.connect(url) as connection:
        kind = connection.execute("SELECT relkind, (SELECT count(*) FROM log) FROM pg_class WHERE relname = 'log'")
        assert kind.fetchone() == ("r", 5)
