"""Upgrades from each release to this version don't rewrite the log, and games that began before end here."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import psycopg
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from flask import Flask
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from engine import audit
from service.auditing.games import differences
from service.auditing.stored_games import read
from service.commands.rebuild import rebuild
from service.config import Settings
from service.local.postgres import Postgres
from service.store import migrate
from service.store.base import engine_url
from service.store.connecting import TimeoutPolicy
from service.store.migrate import SchemaError
from tests.support.databases import as_service
from tests.support.http_games import Game
from tests.support.releases import RELEASES, Release
from tests.support.web import KEYS, Person, opened

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)

FORBID_REWRITES = """
CREATE FUNCTION forbid_rewrite() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'table % is written anew', pg_event_trigger_table_rewrite_oid()::regclass;
END;
$$;
CREATE EVENT TRIGGER forbid_rewrite ON table_rewrite EXECUTE FUNCTION forbid_rewrite();
"""

TRUTH = """
SELECT (SELECT relfilenode FROM pg_class WHERE oid = 'log'::regclass),
       (SELECT relfilenode FROM pg_class WHERE oid = 'setups'::regclass),
       (SELECT md5(string_agg((log, log.xmin)::text, '' ORDER BY game, seq)) FROM log),
       (SELECT md5(string_agg((setups, setups.xmin)::text, '' ORDER BY game)) FROM setups),
       (SELECT string_agg(tgrelid::regclass::text || tgname || tgenabled::text, ','
                          ORDER BY tgrelid::regclass::text, tgname)
          FROM pg_trigger WHERE tgname LIKE 'append_only%' AND tgenabled = 'A'
           AND tgrelid IN ('log'::regclass, 'setups'::regclass))
"""


def revisions(after: str) -> list[str]:
    """Return all revisions of the schema after this one, in their order."""
    config = Config()
    config.set_main_option("script_location", str(migrate.MIGRATIONS))
    steps = ScriptDirectory.from_config(config).iterate_revisions("head", after)
    return [step.revision for step in steps][::-1]


@pytest.fixture(scope="module", params=RELEASES, ids=lambda release: release.version)
def release(request: pytest.FixtureRequest) -> Release:
    """Return each release that there was."""
    found: Release = request.param
    return found


@pytest.fixture(scope="module")
def upgraded(make_module_database: Callable[[], str], release: Release) -> str:
    """Return the release's database after its upgrade, step by step, each of which must leave the log as it was."""
    url = make_module_database()
    release.fill(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(FORBID_REWRITES)
        connection.execute("INSERT INTO procrastinate_jobs (queue_name, task_name) VALUES ('default', 'waiting')")
        before = connection.execute(TRUTH).fetchone()
        assert before is not None and before[4].count("append_only") == 4
        for revision in revisions(release.schema):
            migrate.upgrade(url, to=revision)
            assert connection.execute(TRUTH).fetchone() == before, revision
        connection.execute("DROP EVENT TRIGGER forbid_rewrite")
    migrate.upgrade(url, as_service(url))
    return url


@pytest.fixture(scope="module")
def app(upgraded: str) -> Iterator[Flask]:
    with opened(Settings(database_url=as_service(upgraded), secret_keys=KEYS), lambda: NOW) as app:
        yield app


@pytest.mark.slow
def test_games_that_began_in_a_release_end_in_this_one(release: Release, upgraded: str, app: Flask) -> None:
    client = app.test_client()
    people = {
        (me := client.get("/v1/me", headers={"Authorization": f"Bearer {token}"}).get_json())["id"]: Person(
            me["id"], email, token
        )
        for email, token in release.tokens.items()
    }
    listed = client.get("/v1/games?mine=true", headers=next(iter(people.values())).headers).get_json()["items"]
    assert {table["status"] for table in listed} == {"open", "running", "finished"}
    with psycopg.connect(upgraded) as connection:
        seats = connection.execute(
            "SELECT key, id, tables.kind, array_agg(account ORDER BY seat) FROM tables JOIN seats ON game = key"
            " JOIN setups USING (game) GROUP BY key, id, tables.kind"
        ).fetchall()
        log = "SELECT seq, at, seat, by, move, hash FROM log WHERE game = %s ORDER BY seq"
        for key, table, kind, accounts in seats:
            path = f"/v1/{'games' if kind == 'match' else 'solo-sessions'}/{table}"
            game = Game(path, tuple(people[account] for account in accounts), client)
            begun = connection.execute(log, [key]).fetchall()
            connection.rollback()
            view = game.view()
            assert (view["status"], view["version"]) == release.games[key]
            while view["status"] == "running":
                view = game.move().get_json()
            record = game.get("/record").data
            audit.check(record)
            assert json.loads(record)["result"]["reason"] in ("discs", "tiles")
            assert connection.execute(log, [key]).fetchall()[: len(begun)] == begun
            connection.rollback()
    assert {key for key, *_ in seats} == release.games.keys()
    engine = create_engine(engine_url(as_service(upgraded)))
    with Session(engine) as session:
        assert list(rebuild(session, write=False)) == []
    engine.dispose()


@pytest.mark.slow
def test_an_audit_finds_nothing_in_what_a_release_has_left(upgraded: str) -> None:
    engine = create_engine(engine_url(as_service(upgraded)))
    with Session(engine) as session:
        games = list(read(session, 0, 1 << 30))
        assert len(games) > 3
        assert [found for game in games for found in differences(session, game)] == []
    engine.dispose()


def test_a_job_that_waits_keeps_the_time_at_which_it_was_queued(upgraded: str) -> None:
    with psycopg.connect(upgraded) as connection:
        times = "SELECT queued_at, at FROM procrastinate_jobs job JOIN procrastinate_events ON job_id = job.id"
        ((queued_at, deferred_at),) = connection.execute(f"{times} WHERE task_name = 'waiting'").fetchall()
    assert queued_at is not None and queued_at == deferred_at


def busy(connection: psycopg.Connection[object]) -> None:
    """Leave a transaction open that the next migration after the first release has to wait for."""
    connection.execute("INSERT INTO procrastinate_jobs (queue_name, task_name) VALUES ('default', 'a_task')")


HASTY = TimeoutPolicy(statement=0, lock=1, idle=0)


@pytest.mark.slow
def test_a_migration_gives_way_to_who_holds_a_lock_and_tries_again(make_database: Callable[[], str]) -> None:
    url = make_database()
    migrate.upgrade(url, to="0002")
    with psycopg.connect(url) as connection:
        busy(connection)
        paused: list[float] = []

        def pause(seconds: float) -> None:
            with psycopg.connect(url) as other:  # nobody waits in line behind the migration now
                busy(other)
            connection.rollback()
            paused.append(seconds)
            if len(paused) == 1:  # then not even the first query of a try gets its lock
                connection.execute("LOCK TABLE alembic_version")

        migrate.upgrade(url, policy=HASTY, pause=pause)
        assert len(paused) == 2
        busy(connection)


def test_an_upgrade_without_a_lock_says_so_and_leaves_the_schema(make_database: Callable[[], str]) -> None:
    url, paused = make_database(), list[float]()
    migrate.upgrade(url, to="0002")
    with psycopg.connect(url) as connection:
        busy(connection)
        with pytest.raises(SchemaError, match="could not get its lock"):
            migrate.upgrade(url, to="0003", policy=HASTY, tries=1, pause=paused.append)
        assert paused == [], "the only try was the last one"
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("0002",)


def test_the_schema_of_a_later_version_is_left_alone(make_database: Callable[[], str]) -> None:
    url = make_database()
    migrate.upgrade(url, to="0001")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        with pytest.raises(SchemaError, match="later version of the service"):
            migrate.upgrade(url)
        assert connection.execute("SELECT to_regclass('procrastinate_jobs')").fetchone() == (None,)


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_of_another_encoding_is_refused(postgres: Postgres, encoding: str) -> None:
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE other TEMPLATE template0 ENCODING '{encoding}' LOCALE 'C'")
    try:
        with pytest.raises(SchemaError, match=f"encoding is {encoding}, and it has to be UTF8"):
            migrate.upgrade(postgres.url_of("other"))
    finally:
        with psycopg.connect(postgres.url, autocommit=True) as connection:
            connection.execute("DROP DATABASE other WITH (FORCE)")


def test_an_upgrade_waits_for_another_one(make_database: Callable[[], str]) -> None:
    url, paused = make_database(), list[float]()
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [migrate._LOCK])

        def pause(seconds: float) -> None:
            paused.append(seconds)
            if len(paused) == 3:
                other.execute("SELECT pg_advisory_unlock_all()")

        migrate.upgrade(url, to="0001", pause=pause)
    assert len(paused) == 3


def test_an_upgrade_waits_ten_minutes_for_another_one_at_most(
    make_database: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    url, paused = make_database(), list[float]()
    monkeypatch.setattr(migrate, "_OTHER_EVERY", 60)  # thousands of tries would take long
    with psycopg.connect(url, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [migrate._LOCK])
        with pytest.raises(SchemaError, match="for ten minutes"):
            migrate.upgrade(url, pause=paused.append)
    assert paused == [60] * 10
