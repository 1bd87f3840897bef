"""The catalog of tiles, and the two addresses for monitoring."""

from collections.abc import Callable
from urllib.parse import quote

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Engine, text

from engine.tiles import ALL
from service.queries.database_state import cause
from tests.support.running import free_port


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
    run("UPDATE alembic_version SET version_num = '0001'")
    behind = client.get("/readyz")
    assert behind.status_code == 503
    assert "novaluna migrate" in behind.get_json()["checks"]["migrations"]


def test_a_later_schema_is_no_reason_to_stop_and_none_to_start(make_app: Callable[..., Flask], owner: Engine) -> None:
    def migrations(client: FlaskClient) -> str:
        return str(client.get("/readyz").get_json()["checks"]["migrations"])

    before = make_app().test_client()
    assert migrations(before) == "ok"
    with owner.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    # The schema is upgraded before the next release takes over, so this release must work with it until then.
    assert migrations(before) == "ok"
    assert "later version" in migrations(make_app().test_client())


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
