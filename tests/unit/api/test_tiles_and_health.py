"""The catalog of tiles, and the two addresses for monitoring."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Engine, text

from engine.tiles import ALL
from service.config import Settings
from service.queries import readiness
from service.queries.database_state import cause
from service.store import migrate
from tests.support.running import free_port
from tests.support.web import KEYS


def test_all_tiles_are_public_and_may_be_kept(offline: FlaskClient) -> None:
    answer = offline.get("/v1/tiles")
    assert [(t["id"], t["color"], t["cost"], [g["asks"] for g in t["goals"]]) for t in answer.get_json()["items"]] == [
        (tile.id, tile.color, tile.cost, list(tile.goals)) for tile in ALL
    ]
    assert answer.headers["Cache-Control"] == "public, max-age=86400"
    assert answer.headers["Vary"] == "Accept-Encoding"
    for tag in (answer.headers["ETag"], f"W/{answer.headers['ETag']}", '"other", ' + answer.headers["ETag"], "*"):
        again = offline.get("/v1/tiles", headers={"If-None-Match": tag})
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == answer.headers["ETag"]
    assert offline.get("/v1/tiles", headers={"If-None-Match": '"other"'}).status_code == 200
    assert offline.head("/v1/tiles").status_code == 200


def test_health_needs_nothing(offline: FlaskClient) -> None:
    answer = offline.get("/healthz")
    assert answer.get_json() == {"status": "ok"}
    assert answer.headers["Cache-Control"] == offline.get("/readyz").headers["Cache-Control"] == "no-store"


def test_readiness_names_what_is_missing(client: FlaskClient, offline: FlaskClient, owner: Engine) -> None:
    away = offline.get("/readyz")
    assert (away.status_code, away.get_json()["code"]) == (503, "not_ready")
    assert away.get_json()["checks"]["database"] == "does not answer"
    alone = offline.get("/readyz/web")
    assert (alone.status_code, alone.get_json()["code"]) == (503, "not_ready")
    assert alone.get_json()["checks"] == {"database": "does not answer", "migrations": "unknown"}

    unattended = client.get("/readyz")
    assert unattended.status_code == 503
    assert unattended.get_json()["checks"] == {
        "database": "ok",
        "migrations": "ok",
        "worker": "no sign of life in the last 60 seconds",
        "mail": "ok",
    }

    def run(statement: str) -> None:
        with owner.begin() as connection:
            connection.execute(text(statement))

    run("INSERT INTO procrastinate_workers (last_heartbeat) VALUES (now() - interval '61 seconds')")
    assert client.get("/readyz").status_code == 503
    run("INSERT INTO procrastinate_workers DEFAULT VALUES")
    assert client.get("/readyz").get_json() == {
        "status": "ready",
        "checks": {"database": "ok", "migrations": "ok", "worker": "ok", "mail": "ok"},
    }
    run("DELETE FROM procrastinate_workers")
    assert client.get("/readyz").status_code == 503
    alone = client.get("/readyz/web")
    assert (alone.status_code, alone.get_json()) == (
        200,
        {"status": "ready", "checks": {"database": "ok", "migrations": "ok"}},
    )
    run("UPDATE alembic_version SET version_num = '0001'")
    assert client.get("/readyz/web").status_code == 503
    behind = client.get("/readyz")
    assert behind.status_code == 503
    assert "novaluna migrate" in behind.get_json()["checks"]["migrations"]


def test_readiness_of_a_database_that_takes_no_writes(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "_IS_READ_ONLY", text("SELECT true"))  # as at a standby
    for path in ("/readyz", "/readyz/web"):
        answer = client.get(path)
        assert (answer.status_code, answer.get_json()["checks"]["database"]) == (503, "is read-only")


def test_what_takes_no_writes_is_known_by_its_settings(owner: Engine) -> None:
    with owner.connect() as connection:
        assert connection.scalar(readiness._IS_READ_ONLY) is False
        connection.rollback()
        connection.execute(text("SET TRANSACTION READ ONLY"))
        assert connection.scalar(readiness._IS_READ_ONLY) is True


@pytest.fixture
def settings(database_url: str) -> Settings:
    return Settings(database_url=database_url, secret_keys=KEYS)


def migrations(client: FlaskClient) -> str:
    """Return a process's report on the database's schema."""
    return str(client.get("/readyz").get_json()["checks"]["migrations"])


@pytest.mark.parametrize("asked", [True, False])
def test_a_later_schema_is_no_reason_to_stop_and_none_to_start(
    client: FlaskClient, owner: Engine, settings: Settings, monkeypatch: pytest.MonkeyPatch, asked: bool
) -> None:
    monkeypatch.setattr(readiness, "_met", set())
    if asked:
        assert migrations(client) == "ok"
    else:
        readiness._note(settings)
    with owner.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    # The schema is upgraded before the next release takes over, so this release must work with it until then.
    assert migrations(client) == "ok"
    monkeypatch.setattr(readiness, "_met", set())  # as in a process that starts now
    readiness._note(settings)
    assert "later version" in migrations(client)


def test_the_schema_is_noted_once_the_database_answers_and_is_complete(
    owner: Engine, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "_met", set())
    with owner.begin() as connection:
        newest = connection.scalar(text("SELECT version_num FROM alembic_version"))
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    pauses: list[float] = []

    def migrate_meanwhile(seconds: float) -> None:
        assert not readiness._met
        pauses.append(seconds)
        with owner.begin() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = :newest"), {"newest": newest})

    readiness._note(settings, migrate_meanwhile)
    assert readiness._met and len(pauses) == 1

    def come_back(seconds: float) -> None:
        raise ConnectionError

    away = replace(settings, database_url=f"postgresql://nova@127.0.0.1:{free_port()}/nova")
    with pytest.raises(ConnectionError):  # which is tried again, and does not end the process
        readiness._note(away, come_back)


def test_migrations_of_a_later_release_put_in_place_change_no_process(
    client: FlaskClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrate, "MIGRATIONS", tmp_path)
    assert migrations(client) == "ok"


def test_a_mail_server_that_takes_nothing_is_told_and_stops_nothing(client: FlaskClient, owner: Engine) -> None:
    def state(seconds: int) -> tuple[int, str, str]:
        with owner.begin() as connection:
            connection.execute(text("DELETE FROM relay_state; DELETE FROM procrastinate_workers"))
            connection.execute(text("INSERT INTO procrastinate_workers DEFAULT VALUES"))
            since = text("INSERT INTO relay_state (failing_since) VALUES (now() - make_interval(secs => :s))")
            connection.execute(since, {"s": seconds})
        answer = client.get("/readyz")
        return answer.status_code, answer.get_json()["status"], answer.get_json()["checks"]["mail"]

    assert state(5) == (200, "ready", "ok"), "one mail can be put off for its own sake"
    status, told, mail = state(60)
    assert (status, told) == (200, "degraded") and mail.startswith("the mail server has taken no mail since 20")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"role": "stranger"}, "refuses the role or its password in DATABASE_URL"),
        ({"database": "elsewhere"}, "is not the one that DATABASE_URL names: there is no such database"),
        ({"host": "127.0.0.1"}, "does not answer"),
    ],
)
def test_what_is_wrong_with_the_database_is_told_by_its_cause(
    make_app: Callable[..., Flask], database_url: str, changed: dict[str, str], said: str
) -> None:
    given = conninfo_to_dict(database_url)
    host = changed.get("host") or quote(str(given["host"]), safe="")
    role, database = changed.get("role", given["user"]), changed.get("database", given["dbname"])
    port = free_port() if "host" in changed else given["port"]
    client = make_app(database_url=f"postgresql://{role}@/{database}?host={host}&port={port}").test_client()
    for _ in range(2):  # it was found to fail, and that is cached
        answer = client.get("/readyz")
        assert (answer.status_code, answer.get_json()["checks"]["database"]) == (503, said)


def test_a_full_disk_and_a_connection_too_many_are_no_silence() -> None:
    full, many = psycopg.errors.DiskFull(), psycopg.errors.TooManyConnections()
    assert str(cause(full)) == "its disk is full" and str(cause(many)).startswith("takes no more connections")
